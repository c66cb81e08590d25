"""What every command begins and ends with: the home, the workspace, errors in words, exit codes, one JSON object with `--json`."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, TypeVar

import typer

from runtime.errors import UserError, WyckoffError
from runtime.texts import DEFAULT_LANGUAGE, Texts

if TYPE_CHECKING:
    from runtime.core.json import JsonObject, JsonValue
    from runtime.paths import Home
    from runtime.workspace import Workspace

T = TypeVar("T")

OK: Final = 0
FAILED: Final = 1
USAGE: Final = 2
CANCELLED: Final = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class CliContext:
    """Options of all commands."""

    home: Path | None = None

    def resolved_home(self) -> Home:
        """The folder of this call."""
        from runtime.paths import home_from_environment

        return home_from_environment(os.environ, self.home)


def first_texts() -> Texts:
    """The texts before any settings are read: the language of the environment, else Chinese."""
    return Texts(os.environ.get("WYCKOFF_LANGUAGE", DEFAULT_LANGUAGE))


@contextmanager
def workspace(context: CliContext, *, json: bool = False) -> Iterator[Workspace]:
    """An open workspace with its log; errors end the command in words (or as JSON) with exit code 1."""
    from runtime.logs import install_logging
    from runtime.workspace import open_workspace

    with failures(first_texts(), json=json):
        opened = open_workspace(context.resolved_home())
        install_logging(opened.base.home, opened.base.redactor)
        for problem in opened.base.setting_problems:
            typer.echo(opened.texts.error(problem), err=True)
        try:
            with failures(opened.texts, json=json):
                yield opened
        finally:
            opened.close()


@contextmanager
def failures(texts: Texts, *, json: bool) -> Iterator[None]:
    """Turn an error into its text on standard error, or into one JSON object, and exit code 1."""
    try:
        yield
    except WyckoffError as error:
        fail(texts.error(error), json=json, code=error.key)
    except KeyboardInterrupt:
        sys.exit(CANCELLED)


def fail(message: str, *, json: bool = False, code: str = "failed", data: JsonValue = None) -> NoReturn:
    """End the command with an error."""
    if json:
        print_json({"ok": False, "data": data, "error": {"code": code, "message": message}, "meta": {}})
    else:
        typer.echo(message, err=True)
    raise typer.Exit(FAILED)


def succeed(data: JsonValue, meta: JsonObject | None = None) -> None:
    """Print the one JSON object of a command that went well."""
    print_json({"ok": True, "data": data, "error": None, "meta": meta or {}})


def print_json(value: JsonObject) -> None:
    """One JSON object on one line of standard output."""
    from runtime.core.json import dumps

    sys.stdout.write(dumps(value) + "\n")
    sys.stdout.flush()


def run(work: Callable[[], Awaitable[T]]) -> T:
    """Run a coroutine to its end on a fresh loop."""

    async def main() -> T:
        return await work()

    return asyncio.run(main())


def interactive() -> bool:
    """Whether a person sits at standard input."""
    return sys.stdin is not None and sys.stdin.isatty()


def usage_error(texts: Texts, error: UserError) -> NoReturn:
    """End the command with exit code 2."""
    typer.echo(texts.error(error), err=True)
    raise typer.Exit(USAGE)
