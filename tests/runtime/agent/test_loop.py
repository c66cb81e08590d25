"""The loop: rounds, order of results, limits, and no turn that ends empty."""

from __future__ import annotations

import asyncio

import pytest

from runtime.agent.turn import TurnRequest
from runtime.core.events import (
    Failed,
    ModelStart,
    Retry,
    RuntimeEvent,
    TextDelta,
    Thinking,
    ToolFailed,
    ToolResult,
    ToolStart,
    TurnStart,
    UsageReport,
)
from runtime.core.json import loads_object
from runtime.core.messages import AssistantMessage, ToolMessage, UserMessage
from runtime.paths import Home
from runtime.providers.base import ProviderError, TextChunk
from tests.support.desks import done, open_desk, run_turn, runtime_with_tools
from tests.support.scripted import Reply, ScriptedProvider, call, calls, say, think_and_say
from tests.support.tools import Probe


async def turn_of(home: Home, provider: ScriptedProvider, *probes: Probe, **settings: object) -> list[RuntimeEvent]:
    async with open_desk(home) as workspace:
        runtime = runtime_with_tools(workspace, provider, *(probe.definition() for probe in probes), **settings)
        return [event async for event in runtime.run(TurnRequest(text="问", conversation_id="c1"))]


async def test_a_plain_answer_streams_and_ends_with_one_done(home: Home) -> None:
    provider = ScriptedProvider(think_and_say("想一想", "答案"))
    events = await turn_of(home, provider)
    end = done(events)
    assert isinstance(events[0], TurnStart)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "答案"
    assert [event.text for event in events if isinstance(event, Thinking)] == ["想一想"]
    assert (end.text, end.streamed, end.partial, end.rounds) == ("答案", True, False, 0)
    assert (end.usage.input, end.usage.output, end.usage.cache_read) == (10, 5, 2)
    assert len([event for event in events if isinstance(event, UsageReport)]) == 1
    provider.assert_used_up()


async def test_events_are_numbered_without_gaps_and_carry_the_turn(home: Home) -> None:
    events = await turn_of(home, ScriptedProvider(calls(call("echo", {"text": "a"})), say("好")), Probe())
    assert [event.seq for event in events] == list(range(len(events)))
    assert len({event.turn_id for event in events}) == 1
    assert all(event.ts is not None for event in events)


async def test_events_of_a_round_carry_its_number(home: Home) -> None:
    events = await turn_of(home, ScriptedProvider(calls(call("echo", {"text": "a"})), say("好")), Probe())
    rounds = [(event.kind, event.round) for event in events if isinstance(event, ModelStart | ToolStart | ToolResult)]
    assert rounds == [("model_start", 0), ("tool_start", 0), ("tool_result", 0), ("model_start", 1)]
    assert {event.round for event in events if isinstance(event, TextDelta)} == {1}
    assert done(events).rounds == 1


async def test_results_enter_the_history_in_call_order_though_they_end_in_another(home: Home) -> None:
    slow, fast = Probe(name="slow", hold=asyncio.Event()), Probe(name="fast")
    provider = ScriptedProvider(
        calls(call("slow", {"text": "1"}, call_id="s"), call("fast", {"text": "2"}, call_id="f")), say("好")
    )
    async with open_desk(home) as workspace:
        runtime = runtime_with_tools(workspace, provider, slow.definition(), fast.definition())
        order: list[str | None] = []
        async for event in runtime.run(TurnRequest(text="问", conversation_id="c1")):
            if isinstance(event, ToolResult):
                order.append(event.call_id)
                assert slow.hold is not None
                slow.hold.set()
    assert order == ["f", "s"]
    results = [message for message in provider.requests[1].messages if isinstance(message, ToolMessage)]
    assert [message.call_id for message in results] == ["s", "f"]


async def test_safe_calls_run_together_up_to_the_limit_and_unsafe_ones_alone(home: Home) -> None:
    safe, unsafe = Probe(name="safe"), Probe(name="unsafe", safe=False)
    many = [call("safe", {"text": str(number)}) for number in range(7)]
    provider = ScriptedProvider(
        calls(*many), calls(call("unsafe", {"text": "a"}), call("unsafe", {"text": "b"})), say("好")
    )
    await turn_of(home, provider, safe, unsafe, max_concurrent_tools=3)
    assert safe.most_at_once == 3
    assert unsafe.most_at_once == 1
    assert len(safe.finished) == 7


async def test_malformed_arguments_are_never_run_and_the_model_is_told_where(home: Home) -> None:
    probe = Probe()
    provider = ScriptedProvider(calls(call("echo", error="line 1 column 9")), say("好"))
    events = await turn_of(home, provider, probe)
    failed = [event for event in events if isinstance(event, ToolFailed)]
    assert [event.code for event in failed] == ["malformed_arguments"]
    assert "line 1 column 9" in failed[0].message
    assert not probe.seen
    assert not [event for event in events if isinstance(event, ToolStart)]


@pytest.mark.parametrize(
    ("name", "args", "code", "told"),
    [
        ("ecko", {"text": "a"}, "unknown_tool", "echo"),
        ("echo", {"text": "a", "colour": "red"}, "invalid_arguments", "colour"),
        ("echo", {}, "invalid_arguments", "text"),
        ("echo", {"text": "a", "times": "many"}, "invalid_arguments", "times"),
    ],
)
async def test_wrong_calls_get_an_error_that_names_the_fix(
    home: Home, name: str, args: dict[str, str], code: str, told: str
) -> None:
    probe = Probe()
    events = await turn_of(home, ScriptedProvider(calls(call(name, dict(args))), say("好")), probe)
    failed = next(event for event in events if isinstance(event, ToolFailed))
    assert failed.code == code
    assert told in failed.message
    assert not probe.seen


async def test_arguments_are_coerced_by_the_tools_own_model(home: Home) -> None:
    provider = ScriptedProvider(calls(call("echo", {"text": " a ", "times": "3"})), say("好"))
    events = await turn_of(home, provider, Probe())
    result = next(event for event in events if isinstance(event, ToolResult))
    assert result.result["data"] == {"echo": "aaa"}


async def test_a_tool_that_breaks_becomes_an_error_and_the_turn_goes_on(home: Home) -> None:
    probe = Probe(error=ZeroDivisionError("secret detail"))
    events = await turn_of(home, ScriptedProvider(calls(call("echo", {"text": "a"})), say("好")), probe)
    failed = next(event for event in events if isinstance(event, ToolFailed))
    assert failed.code == "internal"
    assert "secret detail" not in failed.message
    assert done(events).text == "好"


async def test_a_timed_out_call_is_answered_from_memory_the_second_time(home: Home) -> None:
    probe = Probe(hold=asyncio.Event(), timeout_s=0.01)
    again = calls(call("echo", {"text": "a"}))
    events = await turn_of(home, ScriptedProvider(again, calls(call("echo", {"text": "a"})), say("好")), probe)
    assert [event.code for event in events if isinstance(event, ToolFailed)] == ["timeout", "timeout"]
    assert probe.seen == ["a"]


async def test_the_round_limit_asks_once_more_without_tools(home: Home) -> None:
    rounds: list[Reply] = [calls(call("echo", {"text": str(number)})) for number in range(3)]
    provider = ScriptedProvider(*rounds, say("只根据已有结果"))
    end = done(await turn_of(home, provider, Probe(), max_tool_rounds=3))
    assert (end.text, end.partial, end.rounds) == ("只根据已有结果", True, 3)
    assert end.warnings
    assert [bool(request.tools) for request in provider.requests] == [True, True, True, False]
    last = provider.requests[-1].messages[-1]
    assert isinstance(last, UserMessage)


async def test_the_instruction_for_the_last_call_is_not_kept(home: Home) -> None:
    provider = ScriptedProvider(calls(call("echo", {"text": "a"})), say("答"), say("再答"))
    async with open_desk(home) as workspace:
        runtime = runtime_with_tools(workspace, provider, Probe().definition(), max_tool_rounds=1)
        for text in ("一", "二"):
            async for _ in runtime.run(TurnRequest(text=text, conversation_id="c1")):
                pass
    said = [message.text for message in provider.requests[-1].messages if isinstance(message, UserMessage)]
    assert said == ["一", "二"]


async def test_calls_in_the_last_answer_are_dropped(home: Home) -> None:
    probe = Probe()
    provider = ScriptedProvider(calls(call("echo", {"text": "a"})), calls(call("echo", {"text": "b"}), text="答"))
    end = done(await turn_of(home, provider, probe, max_tool_rounds=1))
    assert end.text == "答"
    assert probe.seen == ["a"]


async def test_an_empty_reply_is_tried_again_once(home: Home) -> None:
    provider = ScriptedProvider(say(""), say("好"))
    events = await turn_of(home, provider)
    assert [event.reason for event in events if isinstance(event, Retry)] == ["empty_reply"]
    assert done(events).text == "好"


async def test_a_model_that_stays_empty_ends_with_what_was_found(home: Home) -> None:
    provider = ScriptedProvider(calls(call("echo", {"text": "a"})), say(""), say(" "), say(""))
    end = done(await turn_of(home, provider, Probe()))
    assert end.partial
    assert "echo a" in end.text


async def test_a_model_that_says_nothing_at_all_ends_with_a_plain_reason(home: Home) -> None:
    end = done(await turn_of(home, ScriptedProvider(say(""), say(""), say(""))))
    assert end.partial
    assert end.text.strip()


async def test_text_before_the_model_failed_is_kept(home: Home) -> None:
    broken: Reply = (TextChunk(text="说到一半"), ProviderError("network", retryable=True, model="m", detail="d"))
    async with open_desk(home) as workspace:
        provider = ScriptedProvider(broken)
        runtime = runtime_with_tools(workspace, provider)
        events = [event async for event in runtime.run(TurnRequest(text="问", conversation_id="c1"))]
        stored = await workspace.stores.conversations.path("c1")
    end = done(events)
    assert end.partial
    assert end.text.startswith("说到一半")
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == end.text  # nothing is said twice
    assert stored[1].status == "stopped"
    assert isinstance(stored[1].message, AssistantMessage)
    assert stored[1].message.text == "说到一半"


async def test_a_model_that_fails_at_once_fails_the_turn_in_words_and_keeps_the_question(home: Home) -> None:
    async with open_desk(home) as workspace:
        runtime = runtime_with_tools(workspace, ScriptedProvider((ProviderError("auth", model="m", detail="d"),)))
        events = [event async for event in runtime.run(TurnRequest(text="问", conversation_id="c1"))]
        stored = await workspace.stores.conversations.path("c1")
    assert isinstance(events[-1], Failed)
    assert events[-1].category == "provider"
    assert events[-1].message.strip()
    assert [message.message for message in stored] == [stored[0].message]
    assert isinstance(stored[0].message, UserMessage)
    assert stored[0].message.text == "问"


async def test_a_stream_without_an_end_is_incomplete_and_its_calls_are_not_run(home: Home) -> None:
    probe = Probe()
    provider = ScriptedProvider((TextChunk(text="先查"), call("echo", {"text": "a"})))
    end = done(await turn_of(home, provider, probe))
    assert end.partial
    assert not probe.seen


async def test_an_answer_cut_at_the_length_limit_says_so(home: Home) -> None:
    cut = [say(text, reason="length") for text in ("很长的回答", "还没完", "还是没完")]
    end = done(await turn_of(home, ScriptedProvider(*cut)))
    assert end.text == "很长的回答还没完还是没完"
    assert end.partial
    assert end.warnings


async def test_every_result_says_where_it_comes_from(home: Home) -> None:
    provider = ScriptedProvider(calls(call("analyze_stock", {"symbol": "608101.SIM"})), say("好"))
    async with open_desk(home, provider) as workspace:
        events = await run_turn(workspace, "云溪股份怎么样")
    message = next(message for message in provider.requests[1].messages if isinstance(message, ToolMessage))
    meta = loads_object(message.content)["meta"]
    assert isinstance(meta, dict)
    assert (meta["source"], meta["as_of"], meta["adjust"]) == ("样本市场", "2026-06-30", "qfq")
    assert done(events).text == "好"


async def test_an_empty_question_is_refused_in_words(home: Home) -> None:
    async with open_desk(home) as workspace:
        runtime = runtime_with_tools(workspace, ScriptedProvider())
        events = [event async for event in runtime.run(TurnRequest(text="  "))]
    assert isinstance(events[-1], Failed)
    assert events[-1].category == "user"
