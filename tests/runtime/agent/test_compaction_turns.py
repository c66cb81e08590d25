"""Compaction inside of turns: when it happens, what the model sees then, what is stored, and what happens when it fails."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.agent.compaction import summary
from runtime.agent.compaction.compactor import MemoryHook
from runtime.agent.runtime import AgentRuntime
from runtime.agent.turn import TurnRequest
from runtime.core.events import Cancelled, Compaction, ContextOverflow, Done, Failed, Guard, RuntimeEvent
from runtime.core.messages import Message, Usage, UserMessage, text_of
from runtime.errors import TransientError
from runtime.paths import Home
from runtime.providers.base import FinishChunk, ModelRequest, ProviderError, TextChunk, UsageChunk
from runtime.providers.offline.analyst import NAME as OFFLINE
from tests.support.desks import done, open_desk, runtime_with_models, runtime_with_tools
from tests.support.long_talks import SummarisingProvider, orphans
from tests.support.scripted import Hang, Reply, call, calls, say
from tests.support.tools import Probe
from tests.support.turns import of, terminal

LONG = "云溪股份在区间下沿缩量，等待放量确认；关键位和止损以工具给出的为准。" * 40  # about 1,500 tokens
SUMMARY = "用户在看云溪股份，要求只做右侧，止损 12.30；已读过日线，结论是等待，还没有下单。"
TURNS = 8  # so many of them fill the window of these tests


async def events_of(runtime: AgentRuntime, request: TurnRequest) -> list[RuntimeEvent]:
    return [event async for event in runtime.run(request)]


async def ask(runtime: AgentRuntime, text: str, **more: str) -> list[RuntimeEvent]:
    return await events_of(runtime, TurnRequest(text=text, conversation_id="c1", **more))


async def talk(runtime: AgentRuntime, turns: int = TURNS) -> list[RuntimeEvent]:
    """So many turns; all their events."""
    events: list[RuntimeEvent] = []
    for at in range(turns):
        events += await ask(runtime, f"第 {at} 个问题。")
    return events


def long_answers(count: int = TURNS) -> list[Reply]:
    return [say(f"答 {at}：{LONG}") for at in range(count)]


def everything(request: ModelRequest) -> str:
    return "\n".join(text_of(message) for message in request.messages)


async def test_a_long_conversation_goes_on_with_a_summary_in_the_place_of_old_messages(home: Home) -> None:
    provider = SummarisingProvider(*long_answers(), summaries=[say(SUMMARY)] * TURNS)
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, provider)
        events = await ask(runtime, "看看云溪股份，止损必须设在 12.30。")
        events += await talk(runtime, TURNS - 1)
        path = await desk.stores.conversations.path("c1")
    compactions = of(events, Compaction)
    assert compactions
    assert all(event.after < event.before for event in compactions)
    last = provider.requests[-1]
    first = last.messages[0]
    assert isinstance(first, UserMessage)
    assert first.text == ""
    assert SUMMARY in first.context
    assert "止损必须设在 12.30。" in first.context
    assert compactions[-1].archive_ref is not None
    assert compactions[-1].archive_ref in first.context
    assert orphans(last.messages) == []
    assert len(path) == 2 * TURNS  # nothing that is stored is lost


async def test_between_compactions_what_was_sent_only_grows(home: Home) -> None:
    provider = SummarisingProvider(*long_answers(), summaries=[say(SUMMARY)] * TURNS)
    async with open_desk(home) as desk:
        events = await talk(runtime_with_tools(desk, provider))
    changed = sum(
        later.messages[: len(earlier.messages)] != earlier.messages
        for earlier, later in zip(provider.requests, provider.requests[1:], strict=False)
    )
    assert changed == len(of(events, Compaction)) > 0


async def test_the_next_start_of_the_program_begins_with_the_stored_record(home: Home) -> None:
    provider = SummarisingProvider(*long_answers(), summaries=[say(SUMMARY)] * TURNS)
    async with open_desk(home) as desk:
        await talk(runtime_with_tools(desk, provider))
    before = provider.requests[-1].messages
    again = SummarisingProvider(say("好"))
    async with open_desk(home) as desk:
        events = await ask(runtime_with_tools(desk, again), "继续")
    done(events)
    assert of(events, Compaction) == []
    assert again.requests[0].messages[: len(before)] == before


async def test_tokens_of_a_summary_are_counted_apart(home: Home) -> None:
    counted: Reply = (*say(SUMMARY)[:-1], UsageChunk(usage=Usage(input=900, output=80)), FinishChunk(reason="stop"))
    provider = SummarisingProvider(*long_answers(), summaries=[counted] * TURNS)
    async with open_desk(home) as desk:
        await talk(runtime_with_tools(desk, provider))
        rows = await desk.stores.usage.summary(days=1)
    assert {row.purpose: row.usage.input // 900 for row in rows if row.usage.input} == {
        "compaction": len(provider.asked_for_summary)
    }


async def first_compaction(home: Home, counted: int) -> int:
    """The turn before which the messages are compacted, when the server counts so many tokens for each request."""
    usage = UsageChunk(usage=Usage(input=counted, output=5))
    replies = [(*reply[:-1], usage, reply[-1]) for reply in long_answers()]
    provider = SummarisingProvider(*replies, summaries=[say(SUMMARY)] * TURNS)
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, provider)
        for at in range(TURNS):
            if of(await ask(runtime, f"第 {at} 个问题。"), Compaction):
                return at
    return TURNS


async def test_what_the_server_counts_decides_when(tmp_path: Path) -> None:
    few = await first_compaction(Home(root=tmp_path / "few"), 10)
    many = await first_compaction(Home(root=tmp_path / "many"), 40_000)
    assert many < few


async def test_a_summary_is_asked_for_without_tools_and_with_an_end(home: Home) -> None:
    provider = SummarisingProvider(*long_answers(), summaries=[say(SUMMARY)] * TURNS)
    async with open_desk(home) as desk:
        await talk(runtime_with_tools(desk, provider, Probe().definition()))
    for request in provider.asked_for_summary:
        assert request.tools == ()
        assert request.max_output_tokens is not None


@pytest.mark.parametrize(
    "summaries",
    [
        [say("太短")],
        [(FinishChunk(reason="stop"),)],
        [(ProviderError("auth", model="scripted"),)],
        [(TextChunk(text=SUMMARY),)],
    ],
    ids=["short", "empty", "failing", "broken off"],
)
async def test_without_a_usable_summary_the_messages_stay_and_it_is_said(home: Home, summaries: list[Reply]) -> None:
    provider = SummarisingProvider(*long_answers(6), summaries=summaries * 9, window=16_000)
    async with open_desk(home) as desk:
        runtime, events, sent = runtime_with_tools(desk, provider), list[RuntimeEvent](), list[Message]()
        for at in range(6):
            events = await ask(runtime, f"第 {at} 个问题。")
            sent = list(provider.requests[-1].messages)
            if of(events, Guard):
                break
    assert [guard.name for guard in of(events, Guard)] == ["compaction"]
    assert not of(events, Compaction)
    assert not of(events, ContextOverflow)
    assert [text_of(message).partition("（")[0] for message in sent[::2]] == [
        f"第 {at} 个问题。" for at in range(len(sent[::2]))
    ]
    done(events)


async def test_a_summary_that_takes_too_long_is_given_up(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "SUMMARY_TIMEOUT_S", 0.001)
    provider = SummarisingProvider(*long_answers(), summaries=[(Hang(),)] * TURNS)
    async with open_desk(home) as desk:
        events = await talk(runtime_with_tools(desk, provider))
    assert "没有及时" in of(events, Guard)[0].detail
    assert of(events, Compaction) == []


async def test_a_model_that_gave_no_summary_is_not_asked_again_in_the_turn(home: Home) -> None:
    rounds: list[Reply] = [calls(call("echo", {"text": f"{at}{LONG}"}), text="查") for at in range(3)]
    provider = SummarisingProvider(*long_answers(4), *rounds, say("完"), summaries=[say("短")] * 4)
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, provider, Probe().definition())
        await talk(runtime, 4)
        before = len(provider.asked_for_summary)
        events = await ask(runtime, "现在查几次。")
    done(events)
    assert len(provider.asked_for_summary) - before == 1


async def test_what_cannot_be_answered_as_it_is_goes_without_the_oldest_rounds(home: Home) -> None:
    provider = SummarisingProvider(*long_answers(12), summaries=[say("短")] * 12)
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, provider)
        events = await ask(runtime, "止损必须设在 12.30。")
        events += await talk(runtime, 11)
        restored = desk.stores.archive.search("12.30")
        path = await desk.stores.conversations.path("c1")
    dropped = of(events, ContextOverflow)
    assert dropped
    assert all(event.dropped > 0 for event in dropped)
    assert "止损必须设在 12.30。" in everything(provider.requests[-1])
    assert restored.hits
    assert len(path) == 24


async def test_a_round_that_no_window_holds_is_not_sent(home: Home) -> None:
    provider = SummarisingProvider(window=8_000)
    async with open_desk(home) as desk:
        events = await ask(runtime_with_tools(desk, provider), LONG * 8)
    end = terminal(events)
    assert isinstance(end, Failed)
    assert "没有发送" in end.message
    assert provider.requests == []


async def test_a_server_that_finds_it_too_long_gets_less(home: Home) -> None:
    too_long: Reply = (ProviderError("context_length", model="scripted", detail="too long"),)
    provider = SummarisingProvider(*long_answers(4), too_long, say("好"), summaries=[say(SUMMARY)], window=64_000)
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, provider)
        await talk(runtime, 4)
        events = await ask(runtime, "现在呢？")
    assert done(events).text == "好"
    assert len(of(events, Compaction)) == 1
    assert len(everything(provider.requests[-1])) < len(everything(provider.requests[-2])) / 1.5
    provider.assert_used_up()


async def test_a_server_that_finds_it_too_long_twice_is_believed(home: Home) -> None:
    too_long: Reply = (ProviderError("context_length", model="scripted", detail="too long"),)
    provider = SummarisingProvider(*long_answers(4), too_long, too_long, summaries=[say(SUMMARY)], window=64_000)
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, provider)
        await talk(runtime, 4)
        assert not isinstance(terminal(await ask(runtime, "现在呢？")), Done)
    provider.assert_used_up()


async def test_after_a_fallback_the_smaller_window_counts(home: Home) -> None:
    broken: Reply = (ProviderError("server", model="large", retryable=True),)
    large = SummarisingProvider(*long_answers(9), broken, window=200_000, name="large")
    small = SummarisingProvider(say("好"), summaries=[say(SUMMARY)], window=24_000, name="small")
    async with open_desk(home) as desk:
        await talk(runtime_with_models(desk, large), 9)
        events = await ask(runtime_with_models(desk, replay(large, broken), small), "现在呢？")
    done(events)
    assert len(of(events, Compaction)) == 1
    assert SUMMARY in everything(small.requests[0])


def replay(provider: SummarisingProvider, *replies: Reply) -> SummarisingProvider:
    return SummarisingProvider(*replies, window=provider.capabilities.window, name=provider.name)


async def test_a_message_that_was_edited_before_the_point_has_its_own_history(home: Home) -> None:
    provider = SummarisingProvider(*long_answers(), say("新答"), say("再答"), summaries=[say(SUMMARY)] * TURNS)
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, provider)
        await talk(runtime)
        path = await desk.stores.conversations.path("c1")
        await events_of(runtime, TurnRequest(text="第 1 个问题，改过。", conversation_id="c1", edit_of=path[2].id))
        edited = provider.requests[-1].messages
        await desk.stores.conversations.show_branch("c1", path[2].id)
        await events_of(runtime, TurnRequest(text="", conversation_id="c1", answer_to=path[-2].id))
    assert [text_of(message).partition("（")[0] for message in edited[::2]] == ["第 0 个问题。", "第 1 个问题，改过。"]
    assert SUMMARY in everything(provider.requests[-1])


async def test_memory_sees_what_goes_out_of_sight_before_it_does(home: Home) -> None:
    seen: list[tuple[Message, ...]] = []

    async def remember(messages: tuple[Message, ...]) -> None:
        seen.append(messages)

    provider = SummarisingProvider(*long_answers(), summaries=[say(SUMMARY)] * TURNS)
    async with open_desk(home) as desk:
        events = await talk(with_memory(runtime_with_tools(desk, provider), remember))
    assert len(seen) == len(of(events, Compaction)) > 0
    assert text_of(seen[0][0]).startswith("第 0 个问题。")
    assert not any(message.text == "" for message in seen[-1] if isinstance(message, UserMessage))  # no record of ours


async def test_a_memory_that_fails_is_reported_and_stops_nothing(home: Home) -> None:
    async def fail(_messages: tuple[Message, ...]) -> None:
        raise TransientError("storage.failed", path="x", detail="busy")

    provider = SummarisingProvider(*long_answers(), summaries=[say(SUMMARY)] * TURNS)
    async with open_desk(home) as desk:
        events = await talk(with_memory(runtime_with_tools(desk, provider), fail))
    assert {guard.name for guard in of(events, Guard)} == {"memory"}
    assert of(events, Compaction)


def with_memory(runtime: AgentRuntime, hook: MemoryHook) -> AgentRuntime:
    return AgentRuntime(replace(runtime._services, memory=hook))


async def test_without_an_archive_compaction_goes_on_and_says_so(home: Home) -> None:
    provider = SummarisingProvider(*long_answers(), summaries=[say(SUMMARY)] * TURNS)
    home.ensure()
    home.context_archive.write_text("a file in the way", "utf-8")
    async with open_desk(home) as desk:
        events = await talk(runtime_with_tools(desk, provider))
    assert {event.archive_ref for event in of(events, Compaction)} == {None}
    assert "archive" in {guard.name for guard in of(events, Guard)}


async def test_the_offline_analyst_is_left_alone(home: Home) -> None:
    async with open_desk(home) as desk:
        store, parent = desk.stores.conversations, None
        await store.open("c1", "旧")
        for at in range(120):
            message: Message = UserMessage(text=f"{at} {LONG}")
            parent = (await store.append("c1", parent, f"t{at}", message)).id
        events = await ask(desk.runtime, "大盘怎么样")
        assert (await desk.models.provider(None)).name == OFFLINE
    done(events)
    assert not [event for event in events if isinstance(event, Compaction | ContextOverflow | Guard)]


async def test_a_stop_while_the_summary_comes_changes_nothing(home: Home) -> None:
    hang = Hang()
    provider = SummarisingProvider(*long_answers(), summaries=[(hang,)])
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, provider)
        talking = asyncio.create_task(until_stopped(runtime))
        await hang.reached.wait()
        assert runtime.cancel("stopped here")
        assert isinstance(terminal(await talking), Cancelled)
        assert await desk.stores.compactions.of("c1") == ()


async def until_stopped(runtime: AgentRuntime) -> list[RuntimeEvent]:
    """Turns until one of them is stopped; its events."""
    events = await ask(runtime, "第一个问题。", turn_id="stopped here")
    while not isinstance(events[-1], Cancelled):
        events = await ask(runtime, "下一个问题。", turn_id="stopped here")
    return events
