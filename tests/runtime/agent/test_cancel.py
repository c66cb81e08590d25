"""Stopping a turn: at any point it ends with `cancelled`, what was there is kept, and every call has its answer."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace

from runtime.agent.runtime import AgentRuntime
from runtime.agent.turn import Surface, TurnRequest
from runtime.core.events import ApprovalRequested, Cancelled, RuntimeEvent, TextDelta, ToolStart, TurnStart
from runtime.core.messages import AssistantMessage, ToolMessage
from runtime.paths import Home
from runtime.providers.base import LLMProvider, TextChunk
from tests.support.desks import SAMPLE_STOCK, ScriptedApprover, open_desk, run_turn, runtime_with_tools
from tests.support.scripted import Hang, ScriptedProvider, call, calls, say
from tests.support.tools import Probe, SlowWrite
from tests.support.turns import Hesitating, Silent, envelopes, error_code, live_turn, of, stream_of, terminal


async def test_stopping_while_text_streams_keeps_the_text_and_marks_it(home: Home) -> None:
    hang = Hang()
    provider = ScriptedProvider((TextChunk(text="说到"), TextChunk(text="一半"), hang))
    async with open_desk(home, provider) as desk:
        async with live_turn(desk.runtime) as turn:
            await hang.reached.wait()
            assert turn.stop()
            end = await turn.end()
        stored = await desk.stores.conversations.path("c1")
    assert isinstance(end, Cancelled)
    assert end.text == "说到一半"
    assert [item.status for item in stored] == ["complete", "stopped"]
    assert isinstance(stored[1].message, AssistantMessage)
    assert stored[1].message.text == "说到一半"
    assert provider.closed == 1


async def test_calls_that_streamed_before_the_stop_are_neither_run_nor_kept(home: Home) -> None:
    probe, hang = Probe(), Hang()
    provider = ScriptedProvider((TextChunk(text="先查"), call("echo", {"text": "a"}), hang))
    async with open_desk(home) as desk:
        async with live_turn(runtime_with_tools(desk, provider, probe.definition())) as turn:
            await hang.reached.wait()
            turn.stop()
            assert isinstance(await turn.end(), Cancelled)
        stored = await desk.stores.conversations.path("c1")
    assert not probe.seen
    assert isinstance(stored[1].message, AssistantMessage)
    assert not stored[1].message.calls


async def test_stopping_during_tools_answers_the_open_calls_as_aborted_in_call_order(home: Home) -> None:
    quick, held = Probe(name="quick"), Probe(name="held", hold=asyncio.Event())
    asked = calls(
        call("held", {"text": "1"}, call_id="a"),
        call("quick", {"text": "2"}, call_id="b"),
        call("held", {"text": "3"}, call_id="c"),
    )
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, ScriptedProvider(asked), quick.definition(), held.definition())
        async with live_turn(runtime) as turn:
            async with asyncio.timeout(5):
                while not (quick.finished and len(held.seen) == 2):  # noqa: ASYNC110 - probes have no event of their own
                    await asyncio.sleep(0)
            turn.stop()
            assert isinstance(await turn.end(), Cancelled)
        stored = await desk.stores.conversations.path("c1")
    answered = [item.message.call_id for item in stored if isinstance(item.message, ToolMessage)]
    assert answered == ["a", "b", "c"]
    assert [error_code(envelope) for envelope in envelopes(stored)] == ["aborted", None, "aborted"]


async def test_two_stops_in_a_row_lose_no_result_and_end_the_turn_once(home: Home) -> None:
    held = Probe(hold=asyncio.Event())
    asked = calls(*[call("echo", {"text": str(number)}, call_id=str(number)) for number in range(4)])
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, ScriptedProvider(asked), held.definition())
        async with live_turn(runtime) as turn:
            async with asyncio.timeout(5):
                while len(held.seen) < 4:  # noqa: ASYNC110 - probes have no event of their own
                    await asyncio.sleep(0)
            for _ in range(5):  # the person is impatient: stops come while the first one is being carried out
                turn.stop()
                await asyncio.sleep(0)
            assert isinstance(await turn.end(), Cancelled)
        stored = await desk.stores.conversations.path("c1")
    assert [error_code(envelope) for envelope in envelopes(stored)] == ["aborted"] * 4
    assert isinstance(stored[-1].message, ToolMessage)
    assert stored[-1].message.call_id == "3"


async def test_two_stops_while_text_streams_store_one_answer(home: Home) -> None:
    hang = Hang()
    async with open_desk(home, ScriptedProvider((TextChunk(text="一半"), hang))) as desk:
        async with live_turn(desk.runtime) as turn:
            await hang.reached.wait()
            for _ in range(5):
                turn.stop()
                await asyncio.sleep(0)
            assert isinstance(await turn.end(), Cancelled)
        stored = await desk.stores.conversations.path("c1")
    assert [item.status for item in stored] == ["complete", "stopped"]


async def test_stopping_while_an_approval_waits_writes_nothing(home: Home) -> None:
    person = Hesitating()
    provider = ScriptedProvider(calls(call("update_portfolio", {"action": "set_cash", "free_cash": 1000})))
    async with open_desk(home, provider) as desk:
        async with live_turn(desk.runtime, surface=Surface(approver=person)) as turn:
            await person.asked.wait()
            turn.stop()
            assert isinstance(await turn.end(), Cancelled)
        stored = await desk.stores.conversations.path("c1")
        assert (await desk.portfolio.book()).cash is None
    assert of(turn.events, ApprovalRequested)
    assert [error_code(envelope) for envelope in envelopes(stored)] == ["aborted"]


async def test_stopping_while_a_question_waits_leaves_no_question_behind(home: Home) -> None:
    person = Silent()
    async with open_desk(home, ScriptedProvider(calls(call("ask_user", {"question": "哪一只？"})), say("好"))) as desk:
        async with live_turn(desk.runtime, surface=Surface(asker=person)) as turn:
            await person.asked.wait()
            turn.stop()
            assert isinstance(await turn.end(), Cancelled)
        stored = await desk.stores.conversations.path("c1")
        conversation = await desk.stores.conversations.open("c1", "")
    assert [error_code(envelope) for envelope in envelopes(stored)] == ["aborted"]
    assert conversation.pending_question is None


async def test_stopping_before_the_model_started_keeps_the_question(home: Home) -> None:
    choosing = asyncio.Event()

    async def never(_model_id: str | None) -> LLMProvider:
        choosing.set()
        await asyncio.Event().wait()
        raise AssertionError("the turn was stopped")

    async with open_desk(home) as desk:
        runtime = AgentRuntime(replace(desk.runtime._services, provider=never))
        async with live_turn(runtime, "问题") as turn:
            await choosing.wait()
            turn.stop()
            end = await turn.end()
        stored = await desk.stores.conversations.path("c1")
    assert isinstance(end, Cancelled)
    assert end.text == ""
    assert of(turn.events, TurnStart)
    assert len(stored) == 1


async def test_a_stop_before_the_first_step_of_a_turn_still_ends_its_stream(home: Home) -> None:
    async with open_desk(home, ScriptedProvider()) as desk:
        request = TurnRequest(text="问", conversation_id="c1")
        events: list[RuntimeEvent] = []

        async def listen() -> None:
            async with aclosing(stream_of(desk.runtime, request)) as stream:
                events.extend([event async for event in stream])

        async def stop() -> None:
            desk.runtime.cancel(request.turn_id)

        async with asyncio.timeout(5):
            await asyncio.gather(listen(), stop())  # the stop runs before the turn's task does
    assert isinstance(terminal(events), Cancelled)


async def test_leaving_the_events_early_stops_the_turn(home: Home) -> None:
    hang = Hang()
    provider = ScriptedProvider((TextChunk(text="一半"), hang))
    async with open_desk(home, provider) as desk:
        async with aclosing(stream_of(desk.runtime, TurnRequest(text="问", conversation_id="c1"))) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    break
        stored = await desk.stores.conversations.path("c1")
        assert not desk.runtime._running
    assert provider.closed == 1
    assert stored[-1].status == "stopped"


async def test_a_write_that_is_being_committed_completes_and_its_result_is_kept(home: Home) -> None:
    write = SlowWrite()
    provider = ScriptedProvider(calls(call("slow_write", {"text": "x"})))
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, provider, write.definition())
        async with live_turn(runtime, surface=Surface(approver=ScriptedApprover("allow"))) as turn:
            await write.committing.wait()
            turn.stop()
            await asyncio.sleep(0)
            write.proceed.set()
            assert isinstance(await turn.end(), Cancelled)
        stored = await desk.stores.conversations.path("c1")
    assert write.committed == 1
    assert [envelope["ok"] for envelope in envelopes(stored)] == [True]


async def test_a_committing_write_survives_two_stops_and_its_result_is_kept(home: Home) -> None:
    write = SlowWrite()
    provider = ScriptedProvider(calls(call("slow_write", {"text": "x"})))
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, provider, write.definition())
        async with live_turn(runtime, surface=Surface(approver=ScriptedApprover("allow"))) as turn:
            await write.committing.wait()
            for _ in range(3):
                turn.stop()
                await asyncio.sleep(0)
            write.proceed.set()
            assert isinstance(await turn.end(), Cancelled)
        stored = await desk.stores.conversations.path("c1")
    assert write.committed == 1
    assert [envelope["ok"] for envelope in envelopes(stored)] == [True]


async def test_what_follows_a_committed_write_in_a_stopped_turn_is_not_run(home: Home) -> None:
    write, after = SlowWrite(), Probe(name="after")
    provider = ScriptedProvider(calls(call("slow_write", {"text": "x"}), call("after", {"text": "y"})))
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, provider, write.definition(), after.definition())
        async with live_turn(runtime, surface=Surface(approver=ScriptedApprover("allow"))) as turn:
            await write.committing.wait()
            turn.stop()
            await asyncio.sleep(0)
            write.proceed.set()
            await turn.end()
        stored = await desk.stores.conversations.path("c1")
    assert not after.seen
    assert [error_code(envelope) for envelope in envelopes(stored)] == [None, "aborted"]


async def test_a_conversation_goes_on_after_a_stop(home: Home) -> None:
    held = Probe(hold=asyncio.Event())
    provider = ScriptedProvider(calls(call("echo", {"text": "a"}, call_id="k")), say("第二轮"))
    async with open_desk(home) as desk:
        runtime = runtime_with_tools(desk, provider, held.definition())
        async with live_turn(runtime) as turn:
            await turn.until(ToolStart)
            turn.stop()
            await turn.end()
        events = [event async for event in runtime.run(TurnRequest(text="再问", conversation_id="c1"))]
    assert terminal(events).text == "第二轮"
    said = provider.requests[-1].messages
    assert [message.role for message in said] == ["user", "assistant", "tool", "user"]


async def test_stopping_what_does_not_run_says_so(home: Home) -> None:
    async with open_desk(home, ScriptedProvider(say("好"))) as desk:
        await run_turn(desk, f"{SAMPLE_STOCK} 怎么样")
        assert not desk.runtime.cancel("nobody")
