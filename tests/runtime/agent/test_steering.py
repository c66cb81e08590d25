"""What the person says while a turn runs: it enters before the next model call, once, and is never lost; nor is what a model mangles."""

from __future__ import annotations

import asyncio

from runtime.core.events import Cancelled, Done, Steered, TextDelta, ToolStart
from runtime.core.json import JsonObject
from runtime.core.messages import AssistantMessage, UserMessage
from runtime.paths import Home
from runtime.providers.base import FinishChunk, TextChunk
from tests.support.desks import open_desk, runtime_with_tools
from tests.support.scripted import ScriptedProvider, call, calls, say
from tests.support.tools import Probe
from tests.support.turns import live_turn, of


async def test_a_text_enters_before_the_next_model_call_and_is_stored(home: Home) -> None:
    held = Probe(hold=asyncio.Event())
    provider = ScriptedProvider(calls(call("echo", {"text": "a"})), say("好"))
    async with open_desk(home) as desk:
        async with live_turn(runtime_with_tools(desk, provider, held.definition())) as turn:
            await turn.until(ToolStart)
            assert turn.runtime.steer(turn.request.turn_id, "只看大盘")
            assert held.hold is not None
            held.hold.set()
            await turn.end()
        stored = await desk.stores.conversations.path("c1")
    roles = [message.role for message in provider.requests[1].messages]
    assert roles == ["user", "assistant", "tool", "user"]
    assert [event.texts for event in of(turn.events, Steered)] == [("只看大盘",)]
    assert [item.message.text for item in stored if isinstance(item.message, UserMessage)] == ["问", "只看大盘"]


async def test_a_text_that_comes_while_the_answer_streams_is_answered_too(home: Home) -> None:
    provider = ScriptedProvider((TextChunk(text="答"), TextChunk(text="一"), FinishChunk(reason="stop")), say("答二"))
    async with open_desk(home) as desk:
        async with live_turn(runtime_with_tools(desk, provider)) as turn:
            await turn.until(TextDelta)
            steered = turn.runtime.steer(turn.request.turn_id, "还有呢")
            end = await turn.end()
        stored = await desk.stores.conversations.path("c1")
    said = [item.message.text for item in stored if isinstance(item.message, UserMessage | AssistantMessage)]
    assert isinstance(end, Done)
    # Whoever is told that the text was taken finds it in the conversation.
    assert said == (["问", "答一", "还有呢", "答二"] if steered else ["问", "答一"])


async def test_a_text_in_the_last_round_is_not_lost(home: Home) -> None:
    held = Probe(hold=asyncio.Event())
    provider = ScriptedProvider(calls(call("echo", {"text": "a"})), say("好"))
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, provider, held.definition(), max_tool_rounds=1)
        async with live_turn(runtime) as turn:
            await turn.until(ToolStart)
            assert turn.runtime.steer(turn.request.turn_id, "只看大盘")
            assert held.hold is not None
            held.hold.set()
            await turn.end()
        stored = await desk.stores.conversations.path("c1")
    assert [item.message.text for item in stored if isinstance(item.message, UserMessage)] == ["问", "只看大盘"]


async def test_a_text_that_a_stop_overtakes_is_kept_for_the_next_turn(home: Home) -> None:
    held = Probe(hold=asyncio.Event())
    provider = ScriptedProvider(calls(call("echo", {"text": "a"})))
    async with open_desk(home) as desk:
        async with live_turn(runtime_with_tools(desk, provider, held.definition())) as turn:
            await turn.until(ToolStart)
            assert turn.runtime.steer(turn.request.turn_id, "只看大盘")
            turn.stop()
            assert isinstance(await turn.end(), Cancelled)
        stored = await desk.stores.conversations.path("c1")
    assert [item.message.text for item in stored if isinstance(item.message, UserMessage)] == ["问", "只看大盘"]
    assert [event.texts for event in of(turn.events, Steered)] == [("只看大盘",)]


async def test_nobody_steers_what_does_not_run(home: Home) -> None:
    async with open_desk(home, ScriptedProvider(say("好"))) as desk:
        async with live_turn(desk.runtime) as turn:
            await turn.end()
        assert not desk.runtime.steer(turn.request.turn_id, "x")


async def test_half_a_character_from_a_model_costs_neither_the_turn_nor_its_history(home: Home) -> None:
    args: JsonObject = {"text": "涨\ud83d"}
    provider = ScriptedProvider(calls(call("echo", args), text="先\udcff"), say("好\ud800"))
    async with open_desk(home) as desk:
        async with live_turn(runtime_with_tools(desk, provider, Probe().definition())) as turn:
            end = await turn.end()
        stored = await desk.stores.conversations.path("c1")
    assert isinstance(end, Done)
    assert [item.status for item in stored] == ["complete"] * 4
    assert list(home.scratchpad.glob("*.jsonl"))
