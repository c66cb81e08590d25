"""The stream of one turn: events in, in order, with exactly one terminal event at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

from runtime.agent.scratchpad import Scratchpad
from runtime.clock import Clock
from runtime.core.events import Cancelled, Done, Failed, RuntimeEvent, Terminal


class EventSink:
    """Stamps, records and queues events.

    Args:
        turn_id: goes on every event.
        clock: dates them.
        scratchpad: keeps them.
    """

    def __init__(self, turn_id: str, clock: Clock, scratchpad: Scratchpad) -> None:
        self._turn_id = turn_id
        self._clock = clock
        self._scratchpad = scratchpad
        self._queue: asyncio.Queue[RuntimeEvent] = asyncio.Queue()
        self._next = 0
        self._ended = False

    @property
    def ended(self) -> bool:
        """Whether the terminal event was sent."""
        return self._ended

    def emit(self, event: RuntimeEvent) -> None:
        """Send an event; after the terminal one nothing is sent any more."""
        if self._ended:
            return
        self._ended = isinstance(event, Done | Cancelled | Failed)
        stamped = replace(event, seq=self._next, ts=self._clock.now(), turn_id=self._turn_id)
        self._next += 1
        self._scratchpad.record(stamped)
        self._queue.put_nowait(stamped)

    def end(self, event: Terminal) -> None:
        """Send the terminal event, unless there was one."""
        self.emit(event)

    async def events(self) -> AsyncIterator[RuntimeEvent]:
        """All events, up to and including the terminal one."""
        while True:
            event = await self._queue.get()
            yield event
            if isinstance(event, Done | Cancelled | Failed):
                return
