"""`wyckoff model`: which language models there are."""

from __future__ import annotations

import getpass
import re
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from runtime.cli.model_money import config_json, cost, limit, usage
from runtime.cli.start import USAGE, interactive, run, succeed, workspace

if TYPE_CHECKING:
    from runtime.core.json import JsonObject, JsonValue
    from runtime.providers.discovery import LocalServer
    from runtime.providers.model_config import ModelConfig
    from runtime.providers.presets import WireKind
    from runtime.workspace import Workspace

Json = Annotated[bool, typer.Option("--json")]
Id = Annotated[str, typer.Argument()]


def app() -> typer.Typer:
    """The sub-commands."""
    commands = typer.Typer(no_args_is_help=True)
    for name, command in (
        ("list", list_models),
        ("add", add),
        ("default", default),
        ("fallback", fallback),
        ("cost", cost),
        ("limit", limit),
        ("usage", usage),
        ("test", test),
        ("remove", remove),
        ("discover", discover),
    ):
        commands.command(name)(command)
    return commands


def list_models(context: typer.Context, json: Json = False) -> None:
    """The models, the default one marked."""
    with workspace(context.obj, json=json) as opened:
        chosen = opened.models.default_id()
        for problem in opened.models.problems():
            typer.echo(opened.texts.error(problem), err=True)
        if json:
            fallbacks: list[JsonValue] = [*opened.models.fallback_ids()]
            models = [config_json(config, is_default=config.id == chosen) for config in opened.models.models()]
            succeed([*models], {"fallbacks": fallbacks})
            return
        for config in opened.models.models():
            mark = "*" if config.id == chosen else " "
            key = "cli.model_offline" if config.provider == "offline" else "cli.model_line"
            text = opened.texts(
                key,
                mark=mark,
                id=config.id,
                model=config.model,
                base_url=config.base_url,
                window=config.context_window or "--",
            )
            typer.echo(text)
        others = opened.models.fallback_ids()
        if others:
            typer.echo(opened.texts("cli.model_fallbacks", ids=" → ".join(others)))


def add(
    context: typer.Context,
    id: Annotated[str | None, typer.Argument()] = None,  # noqa: A002 - it is what the person types
    provider: Annotated[str | None, typer.Option("--provider")] = None,
    base_url: Annotated[str | None, typer.Option("--base-url")] = None,
    model: Annotated[str | None, typer.Option("--model")] = None,
    key_env: Annotated[str | None, typer.Option("--key-env")] = None,
    key_stdin: Annotated[bool, typer.Option("--key-stdin")] = False,
    context_window: Annotated[int | None, typer.Option("--context-window")] = None,
    make_default: Annotated[bool, typer.Option("--default")] = False,
    json: Json = False,
) -> None:
    """Add a model; what is not given is asked for on a terminal."""
    with workspace(context.obj, json=json) as opened:
        from runtime.providers.model_config import ModelConfig

        asked = interactive() and not json and (provider or base_url) is None and model is None
        service = base_url or provider or (_asked(opened, "cli.model_prompt_provider") if asked else None)
        name = model or (_asked(opened, "cli.model_prompt_model") if asked else None)
        if not service or not name:
            typer.echo(opened.texts("cli.model_needs_fields"), err=True)
            raise typer.Exit(USAGE)
        config = ModelConfig(
            id=id or _id_of(name),
            provider=_kind(provider, service),
            model=name,
            base_url=service,
            key_env=key_env,
            context_window=context_window,
        )
        key = _key(opened, key_stdin=key_stdin, ask=interactive() and not json and key_env is None)
        _store(opened, config, key, make_default=make_default, json=json)


def _store(opened: Workspace, config: ModelConfig, key: str, *, make_default: bool, json: bool) -> None:
    from runtime.providers.wire.endpoint import is_loopback

    async def work() -> str | None:
        kept = await opened.models.add(config, key)
        if make_default:
            await opened.models.set_default(config.id)
        return kept

    kept = run(work)
    stored = opened.models.get(config.id)
    variable = stored.key_env or _vendor_variable(stored.base_url) or f"{_variable_of(stored.id)}_API_KEY"
    if kept is None:
        local = is_loopback(stored.base_url)
        told = opened.texts("cli.model_key_not_needed" if local else "cli.model_key_none", variable=variable)
    else:
        told = opened.texts(f"cli.model_key_{kept}", variable=variable)
    if json:
        is_default = opened.models.default_id() == stored.id
        succeed(config_json(stored, is_default=is_default) | {"key": kept or "none", "note": told})
        return
    typer.echo(opened.texts("cli.model_added", id=stored.id))
    typer.echo(told)


def default(context: typer.Context, id: Id, json: Json = False) -> None:  # noqa: A002
    """Choose the model that answers when none is named."""
    with workspace(context.obj, json=json) as opened:
        run(lambda: opened.models.set_default(id))
        _said(opened, "cli.model_default", id, json=json)


def remove(context: typer.Context, id: Id, json: Json = False) -> None:  # noqa: A002
    """Remove a model and its key."""
    with workspace(context.obj, json=json) as opened:
        run(lambda: opened.models.remove(id))
        _said(opened, "cli.model_removed", id, json=json)


def test(context: typer.Context, id: Annotated[str | None, typer.Argument()] = None, json: Json = False) -> None:  # noqa: A002
    """Ask the model one word."""
    with workspace(context.obj, json=json) as opened:
        from runtime.providers.catalogue import Probe, test_model

        async def work() -> tuple[str, Probe]:
            provider = await opened.models.provider(id)
            try:
                return provider.name, await test_model(provider)
            finally:
                await provider.aclose()

        name, probe = run(work)
        if json:
            succeed({"id": name, "latency_s": round(probe.latency_s, 3), "words": probe.words})
        else:
            seconds = f"{probe.latency_s:.1f}"
            typer.echo(opened.texts("cli.model_tested", id=name, seconds=seconds, text=probe.words))


def fallback(
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument()] = None,
    none: Annotated[bool, typer.Option("--none")] = False,
    json: Json = False,
) -> None:
    """Choose which models take over when the asked one cannot answer, in order; without ids, say which they are."""
    with workspace(context.obj, json=json) as opened:
        if ids or none:
            run(lambda: opened.models.set_fallbacks(tuple(ids or ())))
        chosen = opened.models.fallback_ids()
        if json:
            succeed({"fallbacks": [*chosen]})
        elif chosen:
            typer.echo(opened.texts("cli.model_fallbacks", ids=" → ".join(chosen)))
        else:
            typer.echo(opened.texts("cli.model_no_fallback"))


def discover(
    context: typer.Context,
    add: Annotated[bool, typer.Option("--add")] = False,
    json: Json = False,
) -> None:
    """Look for Ollama and LM Studio on this machine."""
    with workspace(context.obj, json=json) as opened:
        from runtime.providers.discovery import discover as look

        settings = opened.base.settings
        servers = run(lambda: look(ollama_url=settings.ollama_url, lmstudio_url=settings.lmstudio_url))
        added = run(lambda: _add_missing(opened, servers)) if add else ()
        if json:
            succeed([_server_json(server) for server in servers], {"added": [*added]})
            return
        for server in servers:
            key = "cli.discover_running" if server.running else "cli.discover_nothing"
            typer.echo(opened.texts(key, server=server.server, url=server.base_url, count=len(server.models)))
            for found in server.models:
                window = found.config.context_window or "--"
                typer.echo(opened.texts("cli.discover_model", model=found.config.model, window=window))
        for name in added:
            typer.echo(opened.texts("cli.model_added", id=name))


async def _add_missing(opened: Workspace, servers: tuple[LocalServer, ...]) -> tuple[str, ...]:
    """Add what is found and not there yet; the default stays."""
    known, before = {config.id for config in opened.models.models()}, opened.models.default_id()
    added = [found.config for server in servers for found in server.models if found.config.id not in known]
    for config in added:
        await opened.models.add(config)
    if added:
        await opened.models.set_default(before)
    return tuple(config.id for config in added)


def _server_json(server: LocalServer) -> JsonObject:
    models: list[JsonValue] = [
        {
            "model": found.config.model,
            "context_window": found.config.context_window,
            "tools": found.config.tools,
            "reasoning": found.config.reasoning,
        }
        for found in server.models
    ]
    return {"server": server.server, "base_url": server.base_url, "running": server.running, "models": models}


def _key(opened: Workspace, *, key_stdin: bool, ask: bool) -> str:
    """The key, from standard input or typed without echo; never from an argument, where other users could see it."""
    if key_stdin:
        return sys.stdin.readline().strip()
    return getpass.getpass(opened.texts("cli.model_key_prompt")).strip() if ask else ""


def _asked(opened: Workspace, key: str) -> str:
    from runtime.providers.presets import SERVICES

    return input(opened.texts(key, choices=", ".join(SERVICES))).strip()


def _kind(provider: str | None, service: str) -> WireKind:
    """Which API the service speaks: the one that was named, else what the address tells."""
    from runtime.providers.presets import KINDS, kind_of

    named = (provider or "").strip().lower()
    return next((kind for kind in KINDS if kind == named), None) or kind_of(service)


def _id_of(model: str) -> str:
    """An id from a model's name."""
    return re.sub(r"[^\w.\-:/@]+", "-", model.strip()).strip("-")[:64] or "model"


def _vendor_variable(base_url: str) -> str | None:
    from urllib.parse import urlsplit

    from runtime.secrets import VENDOR_KEYS

    host = urlsplit(base_url).hostname
    return next((variable for variable, vendor in VENDOR_KEYS.items() if vendor == host), None)


def _variable_of(model_id: str) -> str:
    return re.sub(r"\W+", "_", model_id).strip("_").upper()


def _said(opened: Workspace, key: str, model_id: str, *, json: bool) -> None:
    if json:
        succeed({"id": model_id})
    else:
        typer.echo(opened.texts(key, id=model_id))
