"""Turns in a terminal: run them, show their events, let Ctrl-C stop them."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Self, cast

import typer

from runtime.agent.turn import Surface, TurnRequest
from runtime.approvals.broker import RunPolicy
from runtime.cli.approve import StdinAsker, TerminalApprover
from runtime.cli.lines import StdinLines
from runtime.cli.render import JsonRenderer, Renderer, TextRenderer
from runtime.cli.start import CANCELLED, FAILED, OK, interactive
from runtime.core.events import Cancelled, Failed, RuntimeEvent
from runtime.workspace import Workspace


class TerminalSession:
    """A loop on which turns run one after the other.

    Args:
        opened: the workspace.
        json: print events as NDJSON instead of text.
        approve: `ask`, `never` or `always`.
    """

    def __init__(self, opened: Workspace, *, json: bool, approve: str) -> None:
        self._workspace = opened
        self._lines = StdinLines()
        on_terminal = interactive() and sys.stderr.isatty()
        self._surface = Surface(
            approver=TerminalApprover(self._lines, opened.texts) if on_terminal else None,
            asker=StdinAsker(self._lines, opened.texts, prompt=on_terminal),
            policy=cast("RunPolicy", approve),
        )
        self._renderer: Renderer = JsonRenderer() if json else TextRenderer(opened.texts)
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._runner.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.__exit__(kind, error, trace)

    def turn(self, text: str, *, conversation_id: str | None, model_id: str | None) -> int:
        """Run one turn and show it; returns the exit code."""
        request = TurnRequest(text=text, conversation_id=conversation_id, model_id=model_id)
        return self._runner.run(self._turn(request))

    def prompt(self) -> str | None:
        """The next line of the conversation; None at its end."""
        if not interactive():
            return self._runner.run(self._lines.read())
        try:
            import readline  # noqa: F401 - editing and history of the prompt
        except ImportError:
            typer.echo("", nl=False)  # Windows consoles bring their own line editing
        try:
            return input("› ")
        except (EOFError, KeyboardInterrupt):
            typer.echo("")
            return None

    async def _turn(self, request: TurnRequest) -> int:
        runtime = self._workspace.runtime
        restore = _on_interrupt(lambda: runtime.cancel(request.turn_id))
        last: RuntimeEvent | None = None
        try:
            async for event in runtime.run(request, self._surface):
                self._renderer.show(event)
                last = event
        finally:
            restore()
        match last:
            case Failed():
                return FAILED
            case Cancelled():
                return CANCELLED
            case _:
                return OK


def _on_interrupt(stop: Callable[[], object]) -> Callable[[], None]:
    """Let Ctrl-C and a polite kill stop the turn instead of the program; returns what undoes it."""
    loop = asyncio.get_running_loop()
    signals = [signal.SIGINT, signal.SIGTERM]

    def handle(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(stop)

    before = {number: signal.signal(number, handle) for number in signals}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    return restore
