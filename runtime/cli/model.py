"""`wyckoff model`: which language models there are."""

from __future__ import annotations

import getpass
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from runtime.cli.start import USAGE, interactive, run, succeed, workspace

if TYPE_CHECKING:
    from runtime.core.json import JsonObject
    from runtime.providers.model_config import ModelConfig
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
        ("cost", cost),
        ("usage", usage),
        ("test", test),
        ("remove", remove),
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
            succeed([_config_json(config, is_default=config.id == chosen) for config in opened.models.models()])
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
        succeed(_config_json(stored, is_default=is_default) | {"key": kept or "none", "note": told})
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


def cost(
    context: typer.Context,
    id: Id,  # noqa: A002
    input_per_1m: Annotated[float | None, typer.Option("--input-per-1m")] = None,
    output_per_1m: Annotated[float | None, typer.Option("--output-per-1m")] = None,
    context_window: Annotated[int | None, typer.Option("--context-window")] = None,
    json: Json = False,
) -> None:
    """Set what a model costs, and its context window."""
    with workspace(context.obj, json=json) as opened:
        from runtime.providers.windows import Prices

        config = opened.models.get(id)
        before = config.prices or Prices(input=0.0, output=0.0)
        prices = replace(
            before,
            input=before.input if input_per_1m is None else input_per_1m,
            output=before.output if output_per_1m is None else output_per_1m,
        )
        given = input_per_1m is not None or output_per_1m is not None
        changed = replace(
            config,
            prices=prices if given else config.prices,
            context_window=config.context_window if context_window is None else context_window,
        )
        run(lambda: opened.models.replace(changed))
        if json:
            succeed(_config_json(changed, is_default=opened.models.default_id() == id))


def usage(context: typer.Context, days: Annotated[int, typer.Option("--days", min=1)] = 30, json: Json = False) -> None:
    """Tokens and cost by day and model."""
    with workspace(context.obj, json=json) as opened:
        rows = run(lambda: opened.stores.usage.summary(days))
        if json:
            succeed(
                [
                    {
                        "day": row.day.isoformat(),
                        "model": row.model,
                        "calls": row.calls,
                        "input": row.usage.input,
                        "output": row.usage.output,
                        "cache_read": row.usage.cache_read,
                        "cache_write": row.usage.cache_write,
                        "cost": row.usage.cost,
                    }
                    for row in rows
                ]
            )
            return
        if not rows:
            typer.echo(opened.texts("cli.usage_empty", days=days))
        for row in rows:
            cost_text = "--" if row.usage.cost is None else f"{row.usage.cost:.4f}"
            typer.echo(
                opened.texts(
                    "cli.usage_line",
                    day=row.day,
                    model=row.model,
                    calls=row.calls,
                    input=row.usage.input,
                    output=row.usage.output,
                    cached=row.usage.cache_read,
                    cost=cost_text,
                )
            )


def _key(opened: Workspace, *, key_stdin: bool, ask: bool) -> str:
    """The key, from standard input or typed without echo; never from an argument, where other users could see it."""
    if key_stdin:
        return sys.stdin.readline().strip()
    return getpass.getpass(opened.texts("cli.model_key_prompt")).strip() if ask else ""


def _asked(opened: Workspace, key: str) -> str:
    from runtime.providers.presets import PRESETS

    return input(opened.texts(key, choices=", ".join(PRESETS))).strip()


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


def _config_json(config: ModelConfig, *, is_default: bool) -> JsonObject:
    prices = config.prices
    return {
        "id": config.id,
        "provider": config.provider,
        "model": config.model,
        "base_url": config.base_url,
        "key_env": config.key_env,
        "context_window": config.context_window,
        "input_per_1m": None if prices is None else prices.input,
        "output_per_1m": None if prices is None else prices.output,
        "default": is_default,
    }
