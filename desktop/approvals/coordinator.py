"""Writes that wait for a decision: one dialog at a time, first come first served; a closed dialog leaves its request waiting.

The runtime awaits `decide`; the future is settled by the dialog or cancelled with the turn. Closing is no answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QObject, Signal

from runtime.approvals.broker import Edit
from runtime.core.approvals import ApprovalDecision, ApprovalRequest
from runtime.core.json import JsonObject

REMEMBERED: Final = 64  # calls whose answer may come back because the portfolio moved


@dataclass(slots=True, kw_only=True, eq=False)
class Waiting:
    """A request that waits.

    Attributes:
        turn_id: the turn that waits with it.
        request: what is asked.
        edit: computes risk and preview of changed arguments.
        answer: settled by the dialog.
        owner: the queue that it waits in.
        refreshed: it was allowed once, but the portfolio had moved: nothing was written, and it is asked with the new figures.
    """

    turn_id: str
    request: ApprovalRequest
    edit: Edit
    answer: asyncio.Future[ApprovalDecision]
    owner: ApprovalCoordinator
    refreshed: bool

    @property
    def position(self) -> tuple[int, int]:
        """Its number in the queue, and how many wait."""
        queue = self.owner.queue
        return (queue.index(self) + 1 if self in queue else 1), max(1, len(queue))


class ApprovalCoordinator(QObject):
    """The queue of requests of a window."""

    changed = Signal()  # the queue is different: show its first, or close
    show_asked = Signal(str)  # a card asks to show its request

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[Waiting] = []
        self._allowed: dict[str, int] = {}  # call to the version of the portfolio that was allowed

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
            turn_id=turn_id,
            request=request,
            edit=edit,
            answer=asyncio.get_running_loop().create_future(),
            owner=self,
            refreshed=self._moved(request),
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
        if waiting is None or waiting.answer.done():
            return
        if decision.choice in ("allow", "always", "modify"):
            self._remember(waiting.request)
        waiting.answer.set_result(decision)

    def _remember(self, request: ApprovalRequest) -> None:
        if request.preview is not None:
            self._allowed[request.call_id] = request.preview.version
        while len(self._allowed) > REMEMBERED:
            del self._allowed[next(iter(self._allowed))]

    def _moved(self, request: ApprovalRequest) -> bool:
        """Whether the same call was allowed on an older version of the portfolio."""
        allowed = self._allowed.get(request.call_id)
        return allowed is not None and request.preview is not None and request.preview.version != allowed


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
