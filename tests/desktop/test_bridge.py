"""The pump between the runtime's stream and the view-models: in order, joined, and never late with what is not text."""

from __future__ import annotations

from desktop.bridge import EventPump
from runtime.core.events import Cancelled, RuntimeEvent, TextDelta, ThinkingDelta, ToolStart
from tests.desktop.conftest import Run
from tests.support.windows import until


def started() -> ToolStart:
    return ToolStart(name="x", display_name="x", args={}, args_summary="", concurrent=False)


def test_deltas_wait_for_the_beat_and_come_as_one(on_loop: Run) -> None:
    async def scenario() -> None:
        seen: list[RuntimeEvent] = []
        pump = EventPump(seen.append)
        for piece in "一二三":
            pump.push(TextDelta(text=piece))
        assert seen == []
        await until(lambda: seen)
        assert seen == [TextDelta(text="一二三")]

    on_loop(scenario())


def test_everything_else_goes_at_once_and_takes_the_text_before_it_along(on_loop: Run) -> None:
    async def scenario() -> None:
        seen: list[RuntimeEvent] = []
        pump = EventPump(seen.append)
        pump.push(ThinkingDelta(text="想"))
        pump.push(TextDelta(text="说"))
        pump.push(started())
        pump.push(Cancelled(text=""))
        assert [type(event) for event in seen] == [ThinkingDelta, TextDelta, ToolStart, Cancelled]

    on_loop(scenario())


def test_a_flush_without_events_delivers_nothing(on_loop: Run) -> None:
    async def scenario() -> None:
        seen: list[RuntimeEvent] = []
        EventPump(seen.append).flush()
        assert seen == []

    on_loop(scenario())
