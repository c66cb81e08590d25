"""The `wyckoff` command: which sub-commands there are. What they do is imported when they are called, so that `--help` stays fast."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from runtime.cli import analyze, ask, doctor, market, model, portfolio, scratchpad
from runtime.cli.help import localise
from runtime.cli.start import CliContext, first_texts

WINDOW_GROUP: Final = "wyckoff_desk.window"


def main(argv: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    if sys.platform == "win32":
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    texts = first_texts()
    command = localise(typer.main.get_command(build_app()), texts)
    command(args=argv, prog_name="wyckoff")


def build_app() -> typer.Typer:
    """The command tree."""
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
    app.callback(invoke_without_command=True)(root)
    app.command("ask")(ask.ask)
    app.command("chat")(ask.chat)
    app.command("analyze")(analyze.analyze)
    app.add_typer(market.app(), name="market")
    app.add_typer(model.app(), name="model")
    app.add_typer(portfolio.app(), name="portfolio")
    app.add_typer(scratchpad.app(), name="scratchpad")
    app.command("doctor")(doctor.doctor)
    return app


def root(
    context: typer.Context,
    home: Annotated[Path | None, typer.Option("--home")] = None,
    version: Annotated[bool, typer.Option("--version")] = False,
) -> None:
    """Options of all commands; without a command the window opens, or the chat in the terminal."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(installed("wyckoff-desk"))
        raise typer.Exit
    context.obj = CliContext(home=home)
    if context.invoked_subcommand is None:
        _open_window(context.obj)


def _open_window(context: CliContext) -> None:
    """The window comes through an entry point, so that no import crosses a floor."""
    from importlib.metadata import entry_points

    found = tuple(entry_points(group=WINDOW_GROUP))
    if found and _has_display():
        start = found[0].load()
        raise typer.Exit(start(context.home))
    typer.echo(first_texts()("cli.no_window"), err=True)
    ask.run_chat(context, model_id=None, conversation_id=None)


def _has_display() -> bool:
    """Whether a window can be shown: always outside Linux, else with X11, Wayland or a platform named on purpose."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in names)


if __name__ == "__main__":
    main()
