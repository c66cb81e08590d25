"""Writes that wait for a decision: one dialog at a time, first come first served; a closed dialog leaves its request waiting.

The runtime awaits `decide`; the future is settled by the dialog or cancelled with the turn. Closing is no answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from runtime.approvals.broker import Edit
from runtime.core.approvals import ApprovalDecision, ApprovalRequest
from runtime.core.json import JsonObject


@dataclass(slots=True, kw_only=True, eq=False)
class Waiting:
    """A request that waits."""

    turn_id: str
    request: ApprovalRequest
    edit: Edit
    answer: asyncio.Future[ApprovalDecision]


class ApprovalCoordinator(QObject):
    """The queue of requests of a window."""

    changed = Signal()  # the queue is different: show its first, or close
    show_asked = Signal(str)  # a card asks to show its request

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[Waiting] = []

    @property
    def queue(self) -> tuple[Waiting, ...]:
        """What waits, the oldest first."""
        return tuple(self._waiting)

    def find(self, request_id: str) -> Waiting | None:
        """A waiting request."""
        return next((item for item in self._waiting if item.request.id == request_id), None)

    async def decide(self, turn_id: str, request: ApprovalRequest, edit: Edit) -> ApprovalDecision:
        """Wait until a person decided; cancelled with the turn."""
        waiting = Waiting(
            turn_id=turn_id, request=request, edit=edit, answer=asyncio.get_running_loop().create_future()
        )
        self._waiting.append(waiting)
        self.changed.emit()
        try:
            return await waiting.answer
        finally:
            self._waiting.remove(waiting)
            self.changed.emit()

    def settle(self, decision: ApprovalDecision) -> None:
        """A decision was made."""
        waiting = self.find(decision.request_id)
        if waiting is not None and not waiting.answer.done():
            waiting.answer.set_result(decision)


class TurnApprover:
    """The approver of one turn."""

    def __init__(self, coordinator: ApprovalCoordinator, turn_id: str) -> None:
        self._coordinator = coordinator
        self._turn_id = turn_id

    async def decide(
        self, request: ApprovalRequest, edit: Callable[[JsonObject], Awaitable[ApprovalRequest]]
    ) -> ApprovalDecision:
        """Show the request and wait."""
        return await self._coordinator.decide(self._turn_id, request, edit)


class QuestionDesk(QObject):
    """Questions of the agent, answered on their card in the transcript."""

    def __init__(self) -> None:
        super().__init__()
        self._open: dict[str, asyncio.Future[str]] = {}

    async def ask(self, turn_id: str) -> str:
        """Wait for the answer of a turn's question; cancelled with the turn."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._open[turn_id] = answer
        try:
            return await answer
        finally:
            self._open.pop(turn_id, None)

    def answer(self, turn_id: str, text: str) -> bool:
        """The person answered; returns whether a question was open."""
        waiting = self._open.get(turn_id)
        if waiting is None or waiting.done():
            return False
        waiting.set_result(text)
        return True


class TurnAsker:
    """The asker of one turn."""

    def __init__(self, desk: QuestionDesk, turn_id: str) -> None:
        self._desk = desk
        self._turn_id = turn_id

    async def ask(self, _question: str, _options: tuple[str, ...]) -> str | None:
        """Wait for the card."""
        return await self._desk.ask(self._turn_id)
