"""Offers to take a portfolio write back, right after it was done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject

from desktop.conversation_desk import StartTask
from desktop.panels.undo_bar import UndoBar
from runtime.core.events import ToolResult
from runtime.errors import UserError

if TYPE_CHECKING:
    from runtime.portfolio.service import PortfolioService

WRITES: Final = frozenset({"update_portfolio", "record_trade_fill", "set_stop_loss"})
ORIGIN: Final = "window"


class UndoDesk(QObject):
    """Connects the writes of turns to the undo bar.

    Args:
        portfolio: what was written.
        bar: where it is offered.
        start_task: runs work beside the window.
    """

    def __init__(self, portfolio: PortfolioService, bar: UndoBar, start_task: StartTask) -> None:
        super().__init__()
        self._portfolio = portfolio
        self._bar = bar
        self._start_task = start_task

    def tool_ended(self, event: ToolResult) -> None:
        """Offer to take the write back."""
        data = event.result.get("data")
        if event.ok and event.name in WRITES and isinstance(data, dict) and isinstance(data.get("version"), int):
            self._offer(event.summary, int(str(data["version"])))

    def _offer(self, text: str, version: int) -> None:
        self._bar.offer(text, lambda: self._start_task(self._take_back(version), "undo"))

    async def _take_back(self, version: int) -> None:
        """Take back the write that led to a version; undoing can be undone.

        Raises:
            UserError: something else was written since: that must not be taken back in its place.
        """
        plan = await self._portfolio.plan_undo()
        if plan.version != version:
            raise UserError("desktop.undo_too_late")
        applied = await self._portfolio.apply(plan, ORIGIN)
        self._offer(applied.headline, applied.version)
