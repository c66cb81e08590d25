"""Offers to take a portfolio write back, right after it was done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from desktop.conversation_desk import StartTask
from desktop.panels.undo_bar import UndoBar
from runtime.core.events import ToolResult
from runtime.errors import UserError

if TYPE_CHECKING:
    from runtime.portfolio.service import PortfolioService
    from runtime.tools.registry import ToolRegistry

ORIGIN = "window"


class UndoDesk(QObject):
    """Connects the writes of turns to the undo bar.

    Args:
        portfolio: what was written.
        registry: knows which tools write to it.
        bar: where it is offered.
        start_task: runs work beside the window.
    """

    def __init__(
        self, portfolio: PortfolioService, registry: ToolRegistry, bar: UndoBar, start_task: StartTask
    ) -> None:
        super().__init__()
        self._portfolio = portfolio
        self._registry = registry
        self._bar = bar
        self._start_task = start_task

    def tool_ended(self, event: ToolResult) -> None:
        """Offer to take the write back."""
        data = event.result.get("data")
        if event.ok and self._writes(event.name) and isinstance(data, dict) and isinstance(data.get("version"), int):
            self._offer(event.summary, int(str(data["version"])))

    def _writes(self, name: str) -> bool:
        tool = self._registry.get(name)
        return tool is not None and "portfolio" in tool.side_effects

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
