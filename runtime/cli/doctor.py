"""`wyckoff doctor`: is everything there, and if not, how to get it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import typer

from runtime.cli.start import FAILED, print_json, run, workspace
from runtime.errors import WyckoffError

if TYPE_CHECKING:
    from runtime.core.json import JsonValue
    from runtime.workspace import Workspace

State: TypeAlias = Literal["ok", "warn", "bad"]
SYSTEM_PROXY: Final = "system"
LOW_DISK_GB: Final = 1.0
FONT_TIMEOUT_S: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One finding."""

    name: str
    state: State
    detail: str


def doctor(
    context: typer.Context,
    providers: Annotated[bool, typer.Option("--providers")] = False,
    json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Check the surroundings, with `--providers` every configured model too; exit code 1 when something is broken."""
    with workspace(context.obj, json=json) as opened:
        checks = [*_surroundings(opened), *(run(lambda: _each_model(opened)) if providers else ())]
        broken = any(check.state == "bad" for check in checks)
        if json:
            found: list[JsonValue] = [
                {"name": check.name, "state": check.state, "detail": check.detail} for check in checks
            ]
            print_json({"ok": not broken, "data": found, "error": None, "meta": {}})
        else:
            for check in checks:
                name = opened.texts(f"cli.doctor_{check.name}")
                typer.echo(opened.texts(f"cli.doctor_{check.state}", name=name, detail=check.detail))
    raise typer.Exit(FAILED if broken else 0)


def _surroundings(opened: Workspace) -> list[Check]:
    return [
        Check(name="python", state="ok", detail=f"{platform.python_version()} ({sys.executable})"),
        _home(opened),
        _disk(opened),
        _database(opened),
        _keyring(opened),
        _market(opened),
        _calendar(opened),
        _models(opened),
        _proxy(opened),
        _parquet(opened),
        _window(opened),
        _fonts(opened),
    ]


async def _each_model(opened: Workspace) -> list[Check]:
    """Whether each configured model answers a first word; the built-in analyst needs no connection."""
    return [await _one_model(opened, config.id) for config in opened.models.models() if config.provider != "offline"]


async def _one_model(opened: Workspace, model_id: str) -> Check:
    from runtime.providers.catalogue import test_model

    texts = opened.texts
    try:
        provider = await opened.models.provider(model_id)
        try:
            probe = await test_model(provider)
        finally:
            await provider.aclose()
    except WyckoffError as error:
        return Check(name="model", state="bad", detail=f"{model_id}: {texts.error(error)}")
    seconds = f"{probe.latency_s:.1f}"
    detail = texts("cli.model_tested", id=model_id, seconds=seconds, text=probe.words)
    return Check(name="model", state="ok", detail=detail)


def _home(opened: Workspace) -> Check:
    root = opened.base.home.root
    if os.access(root, os.W_OK):
        return Check(name="home", state="ok", detail=str(root))
    return Check(name="home", state="bad", detail=opened.texts("cli.doctor_home_bad", path=root))


def _disk(opened: Workspace) -> Check:
    free = shutil.disk_usage(opened.base.home.root).free / 1e9
    low = free < LOW_DISK_GB
    key = "cli.doctor_disk_low" if low else "cli.doctor_disk_detail"
    return Check(name="disk", state="warn" if low else "ok", detail=opened.texts(key, free=f"{free:.1f}"))


def _database(opened: Workspace) -> Check:
    count = run(opened.stores.conversations.count)
    detail = opened.texts("cli.doctor_database_detail", path=opened.base.home.database, count=count)
    return Check(name="database", state="ok", detail=detail)


def _keyring(opened: Workspace) -> Check:
    backend = opened.base.secrets.backend_name()
    if backend is None:
        return Check(name="keyring", state="warn", detail=opened.texts("cli.doctor_keyring_none"))
    return Check(name="keyring", state="ok", detail=backend)


def _market(opened: Workspace) -> Check:
    infos = run(opened.stores.bars.infos)
    if not infos:
        return Check(name="market", state="warn", detail=opened.texts("cli.doctor_market_empty"))
    newest = max(info.last for info in infos)
    expected = opened.market.calendar.last_final(opened.base.clock.now())
    if newest < expected:
        detail = opened.texts("cli.doctor_market_stale", newest=newest, expected=expected)
        return Check(name="market", state="warn", detail=detail)
    symbols = len({info.symbol for info in infos})
    return Check(
        name="market", state="ok", detail=opened.texts("cli.doctor_market_fresh", symbols=symbols, newest=newest)
    )


def _calendar(opened: Workspace) -> Check:
    until = opened.market.calendar.known_until
    over = opened.base.clock.now().date() > until
    key = "cli.doctor_calendar_old" if over else "cli.doctor_calendar_detail"
    return Check(name="calendar", state="warn" if over else "ok", detail=opened.texts(key, until=until))


def _models(opened: Workspace) -> Check:
    problems = opened.models.problems()
    detail = opened.texts(
        "cli.doctor_models_detail", default=opened.models.default_id(), count=len(opened.models.models())
    )
    if problems:
        return Check(name="models", state="warn", detail=" ".join(opened.texts.error(item) for item in problems))
    return Check(name="models", state="ok", detail=detail)


def _proxy(opened: Workspace) -> Check:
    names = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy", "HTTP_PROXY")
    found = [name for name in names if opened.base.environment.get(name)]
    detail = ", ".join(found) if found else opened.texts("cli.doctor_proxy_none")
    if (chosen := opened.base.settings.proxy) != SYSTEM_PROXY:
        detail = opened.texts("cli.doctor_proxy_setting", proxy=chosen)
    return Check(name="proxy", state="ok", detail=detail)


def _parquet(opened: Workspace) -> Check:
    from runtime.market.table import PARQUET_COMMAND

    if find_spec("pyarrow") is None:
        detail = opened.texts("cli.doctor_parquet_missing", command=PARQUET_COMMAND)
        return Check(name="parquet", state="warn", detail=detail)
    return Check(name="parquet", state="ok", detail=opened.texts("cli.doctor_installed"))


def _window(opened: Workspace) -> Check:
    if find_spec("PySide6") is None:
        return Check(name="window", state="warn", detail=opened.texts("cli.doctor_window_missing"))
    from importlib.metadata import version

    return Check(name="window", state="ok", detail=f"PySide6 {version('PySide6-Essentials')}")


def _fonts(opened: Workspace) -> Check:
    """On Linux, whether fontconfig knows a font with Han characters."""
    if not sys.platform.startswith("linux"):
        return Check(name="fonts", state="ok", detail=opened.texts("cli.doctor_installed"))
    program = shutil.which("fc-list")
    if program is None:
        return Check(name="fonts", state="warn", detail=opened.texts("cli.doctor_fonts_unknown"))
    listed = subprocess.run(  # noqa: S603 - a fixed command
        [program, ":lang=zh-cn", "family"], capture_output=True, text=True, check=False, timeout=FONT_TIMEOUT_S
    )
    fonts = sorted({line.split(",")[0] for line in listed.stdout.splitlines() if line.strip()})
    if not fonts:
        return Check(name="fonts", state="warn", detail=opened.texts("cli.doctor_fonts_missing"))
    return Check(name="fonts", state="ok", detail=", ".join(fonts[:3]))
