"""A turn that runs beside the test, so that the test can act in the middle of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar, cast

from runtime.agent.runtime import AgentRuntime
from runtime.agent.turn import Surface, TurnRequest
from runtime.approvals.broker import Approver, Edit
from runtime.core.approvals import ApprovalDecision, ApprovalRequest
from runtime.core.events import Cancelled, Done, Failed, RuntimeEvent, Terminal
from runtime.core.json import JsonObject, loads_object
from runtime.core.messages import ToolMessage
from runtime.storage.conversations import StoredMessage

E = TypeVar("E", bound=RuntimeEvent)
PATIENCE_S = 10.0  # of a test; a turn that hangs fails it


class EventStream(AsyncIterator[RuntimeEvent]):
    """What `aclosing` needs: the runtime yields from an async generator."""

    async def aclose(self) -> None: ...


def stream_of(runtime: AgentRuntime, request: TurnRequest, surface: Surface | None = None) -> EventStream:
    """The events of a turn as something that can be closed."""
    return cast("EventStream", runtime.run(request, surface))


@dataclass(slots=True, kw_only=True)
class LiveTurn:
    """A running turn and what it has said so far."""

    runtime: AgentRuntime
    request: TurnRequest
    events: list[RuntimeEvent] = field(default_factory=list)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None

    async def until(self, kind: type[E]) -> E:
        """The first event of a kind, waited for."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                for event in self.events:
                    if isinstance(event, kind):
                        return event
                self._changed.clear()
                await self._changed.wait()

    def stop(self) -> bool:
        """The person's stop."""
        return self.runtime.cancel(self.request.turn_id)

    async def end(self) -> Terminal:
        """The terminal event: exactly one, and the last."""
        assert self._task is not None
        async with asyncio.timeout(PATIENCE_S):
            await self._task
        return terminal(self.events)

    async def _consume(self, surface: Surface | None) -> None:
        async with aclosing(stream_of(self.runtime, self.request, surface)) as events:
            async for event in events:
                self.events.append(event)
                self._changed.set()


@asynccontextmanager
async def live_turn(
    runtime: AgentRuntime, text: str = "问", surface: Surface | None = None, *, conversation: str = "c1"
) -> AsyncIterator[LiveTurn]:
    """A turn that runs while the block does."""
    turn = LiveTurn(runtime=runtime, request=TurnRequest(text=text, conversation_id=conversation))
    turn._task = asyncio.create_task(turn._consume(surface), name="live-turn")
    try:
        yield turn
    finally:
        turn._task.cancel()
        await asyncio.wait({turn._task})


def terminal(events: list[RuntimeEvent]) -> Terminal:
    """The one terminal event of a stream, which must be its last."""
    ends = [event for event in events if isinstance(event, Done | Cancelled | Failed)]
    assert len(ends) == 1, ends
    assert events[-1] is ends[0]
    return ends[0]


def of(events: list[RuntimeEvent], kind: type[E]) -> list[E]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]


def envelopes(stored: tuple[StoredMessage, ...]) -> list[JsonObject]:
    """The stored tool results of a path, in order."""
    return [loads_object(item.message.content) for item in stored if isinstance(item.message, ToolMessage)]


def error_code(envelope: JsonObject) -> str | None:
    """The code of an envelope's error."""
    error = envelope["error"]
    return str(error["code"]) if isinstance(error, dict) else None


@dataclass(slots=True)
class Hesitating(Approver):
    """A person who is asked and never decides."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def decide(self, request: ApprovalRequest, edit: Edit) -> ApprovalDecision:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError("nobody decides")


@dataclass(slots=True)
class Silent:
    """A person who is asked a question and never answers."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def ask(self, question: str, options: tuple[str, ...]) -> str | None:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError("nobody answers")
