"""A failed model call: what is tried again, who takes over, what the person sees of it, and what it costs."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from runtime.core.events import Done, Failed, Fallback, ModelStart, Retry, StreamReset, TextDelta, UsageReport
from runtime.core.messages import AssistantMessage, Usage
from runtime.paths import Home
from runtime.providers.base import (
    Capabilities,
    ErrorCategory,
    FinishChunk,
    ProviderError,
    TextChunk,
    ThinkingChunk,
    UsageChunk,
)
from runtime.workspace import Workspace
from tests.support.desks import open_desk, run_turn, runtime_with_models
from tests.support.scripted import Hang, ScriptedProvider, call, calls, say
from tests.support.turns import live_turn, of, terminal

FAST = 0.001


def failure(category: ErrorCategory = "server", *, retryable: bool = True, after: float | None = None) -> ProviderError:
    return ProviderError(
        category, retryable=retryable, retry_after_s=after, model="m", host="h", detail="d", seconds=1, base_url="u"
    )


def with_models(desk: Workspace, first: ScriptedProvider, *others: ScriptedProvider, **settings: object) -> Workspace:
    """The desk, with models of the test's own that may retry quickly."""
    chosen = {"model_retries": 2, "retry_wait_s": FAST} | settings
    runtime = runtime_with_models(desk, first, *others, **chosen)
    return replace(desk, runtime=runtime)


def text_seen(events: list[object]) -> str:
    """The answer as a window shows it: a reset takes away what came before."""
    seen = ""
    for event in events:
        match event:
            case TextDelta(text=text):
                seen += text
            case StreamReset():
                seen = ""
            case _:
                pass
    return seen


@pytest.mark.parametrize("category", ["rate_limit", "timeout", "network", "server", "incomplete"])
async def test_what_may_pass_by_itself_is_tried_again(home: Home, category: ErrorCategory) -> None:
    provider = ScriptedProvider((failure(category),), say("好"))
    async with open_desk(home, provider) as desk:
        events = await run_turn(with_models(desk, provider), "问")
    done = terminal(events)
    assert isinstance(done, Done)
    assert done.text == "好"
    [retry] = of(events, Retry)
    assert (retry.reason, retry.attempt) == (category, 1)
    assert "scripted" in retry.detail
    assert of(events, StreamReset) == []
    provider.assert_used_up()


@pytest.mark.parametrize(
    "category", ["auth", "quota", "context_length", "model_not_found", "bad_request", "region", "not_a_model"]
)
async def test_what_the_person_must_mend_is_neither_tried_again_nor_handed_on(
    home: Home, category: ErrorCategory
) -> None:
    first, other = ScriptedProvider((failure(category, retryable=False),)), ScriptedProvider(name="other")
    async with open_desk(home, first) as desk:
        events = await run_turn(with_models(desk, first, other), "问")
    assert isinstance(terminal(events), Failed)
    assert of(events, Retry) == []
    assert of(events, Fallback) == []
    assert other.requests == []


async def test_retries_end(home: Home) -> None:
    provider = ScriptedProvider((failure(),), (failure(),), (failure(),))
    async with open_desk(home, provider) as desk:
        events = await run_turn(with_models(desk, provider), "问")
    assert isinstance(terminal(events), Failed)
    assert [event.attempt for event in of(events, Retry)] == [1, 2]
    provider.assert_used_up()


async def test_a_wait_that_the_vendor_asks_for_is_kept_only_when_short(home: Home) -> None:
    patient = ScriptedProvider((failure("rate_limit", after=FAST),), say("好"))
    async with open_desk(home, patient) as desk:
        assert isinstance(terminal(await run_turn(with_models(desk, patient), "问")), Done)
        hurried = ScriptedProvider((failure("rate_limit", after=3600.0),))
        events = await run_turn(with_models(desk, hurried), "问")
    assert isinstance(terminal(events), Failed)
    assert of(events, Retry) == []


async def test_the_next_model_takes_over_and_says_so(home: Home) -> None:
    first = ScriptedProvider((failure("rate_limit"),))
    other = ScriptedProvider(say("由我来"), name="other")
    async with open_desk(home, first) as desk:
        events = await run_turn(with_models(desk, first, other), "问")
        path = await desk.stores.conversations.path("c1")
    done = terminal(events)
    assert isinstance(done, Done)
    assert done.text == "由我来"
    [event] = of(events, Fallback)
    assert (event.from_model, event.to_model, event.reason) == ("scripted", "other", "rate_limit")
    assert "other" in event.detail
    assert [start.model for start in of(events, ModelStart)] == ["scripted", "other"]
    answer = path[-1].message
    assert isinstance(answer, AssistantMessage)
    assert answer.model == "other"
    assert (first.closed, other.closed) == (1, 1)


async def test_the_model_that_took_over_answers_the_rest_of_the_turn(home: Home) -> None:
    first = ScriptedProvider((failure("rate_limit"),))
    other = ScriptedProvider(calls(call("nothing")), say("好"), name="other")
    async with open_desk(home, first) as desk:
        events = await run_turn(with_models(desk, first, other), "问")
    assert [start.model for start in of(events, ModelStart)] == ["scripted", "other", "other"]
    assert isinstance(terminal(events), Done)


async def test_two_answers_are_never_glued_together(home: Home) -> None:
    first = ScriptedProvider(
        (ThinkingChunk(text="想"), TextChunk(text="茅台结论：先看"), failure("server")), say("茅台结论：完整")
    )
    async with open_desk(home, first) as desk:
        events = await run_turn(with_models(desk, first), "问")
        path = await desk.stores.conversations.path("c1")
    done = terminal(events)
    assert isinstance(done, Done)
    assert done.text == "茅台结论：完整"
    assert text_seen([*events]) == "茅台结论：完整"
    assert len(of(events, StreamReset)) == 1
    answers = [item.message for item in path if isinstance(item.message, AssistantMessage)]
    assert [(answer.text, answer.thinking) for answer in answers] == [("茅台结论：完整", "")]


async def test_what_was_visible_stays_when_every_try_fails(home: Home) -> None:
    broken = (TextChunk(text="先看支撑"), failure())
    provider = ScriptedProvider(broken, (failure(),), (failure(),))
    async with open_desk(home, provider) as desk:
        events = await run_turn(with_models(desk, provider), "问")
    done = terminal(events)
    assert isinstance(done, Done)
    assert done.partial
    assert done.text.startswith("先看支撑")
    assert of(events, StreamReset) == []


async def test_a_failed_try_is_paid_for_and_says_so(home: Home) -> None:
    paid = UsageChunk(usage=Usage(input=1000, output=20, cost=0.5))
    provider = ScriptedProvider(
        (paid, TextChunk(text="半"), failure()), (*say("好")[:-1], paid, FinishChunk(reason="stop"))
    )
    async with open_desk(home, provider) as desk:
        events = await run_turn(with_models(desk, provider), "问")
        [row] = await desk.stores.usage.summary(1)
    done = terminal(events)
    assert isinstance(done, Done)
    assert (done.usage.input, done.usage.cost) == (2000, 1.0)
    assert len(of(events, UsageReport)) == 2
    assert (row.calls, row.usage.cost) == (2, 1.0)
    [retry] = of(events, Retry)
    assert "1,020" in retry.detail
    assert "0.5000" in retry.detail


async def test_a_model_whose_window_is_too_small_is_passed_over(home: Home) -> None:
    first = ScriptedProvider((failure("rate_limit"),))
    small = ScriptedProvider(name="small", capabilities=Capabilities(window=10))
    large = ScriptedProvider(say("好"), name="large")
    async with open_desk(home, first) as desk:
        events = await run_turn(with_models(desk, first, small, large), "一段放不进小窗口的话" * 10)
    assert isinstance(terminal(events), Done)
    assert [event.to_model for event in of(events, Fallback)] == ["large"]
    assert small.requests == []


async def test_a_stop_during_the_wait_ends_the_turn(home: Home) -> None:
    provider = ScriptedProvider((failure("rate_limit", after=15.0),))
    async with open_desk(home, provider) as desk:
        runtime = with_models(desk, provider).runtime
        async with live_turn(runtime) as turn:
            await turn.until(Retry)
            assert turn.stop()
            async with asyncio.timeout(0.5):
                await turn.end()


async def test_all_models_share_the_deadline_of_the_turn(home: Home) -> None:
    first, other = ScriptedProvider((Hang(),)), ScriptedProvider(name="other")
    async with open_desk(home, first) as desk:
        runtime_desk = with_models(desk, first, other, turn_timeout_s=0.05, final_reserve_s=0.01)
        events = await run_turn(runtime_desk, "问")
    assert isinstance(terminal(events), Failed)
    assert other.requests == []


async def test_the_limit_of_the_day_stops_priced_models_only(home: Home) -> None:
    paid = UsageChunk(usage=Usage(input=10, output=1, cost=2.0))
    priced = Capabilities(priced=True)
    provider = ScriptedProvider((TextChunk(text="好"), paid, FinishChunk(reason="stop")), capabilities=priced)
    async with open_desk(home, provider) as desk:
        limited = with_models(desk, provider, daily_spending_limit=1.0)
        assert isinstance(terminal(await run_turn(limited, "一")), Done)
        failed = terminal(await run_turn(limited, "二"))
        assert isinstance(failed, Failed)
        assert "1.00" in failed.message
        local = ScriptedProvider(say("好"), capabilities=Capabilities(free=True))
        assert isinstance(terminal(await run_turn(with_models(desk, local, daily_spending_limit=1.0), "三")), Done)
    provider.assert_used_up()


async def test_a_warning_comes_before_the_limit(home: Home) -> None:
    paid = UsageChunk(usage=Usage(input=10, output=1, cost=0.9))
    answer = (TextChunk(text="好"), paid, FinishChunk(reason="stop"))
    provider = ScriptedProvider(answer, answer, capabilities=Capabilities(priced=True))
    async with open_desk(home, provider) as desk:
        limited = with_models(desk, provider, daily_spending_limit=1.0)
        first, second = terminal(await run_turn(limited, "一")), terminal(await run_turn(limited, "二"))
    assert isinstance(first, Done)
    assert isinstance(second, Done)
    assert first.warnings == ()
    assert len(second.warnings) == 1


async def test_a_blocked_answer_without_words_is_a_plain_reason(home: Home) -> None:
    provider = ScriptedProvider((FinishChunk(reason="blocked"),))
    async with open_desk(home, provider) as desk:
        failed = terminal(await run_turn(with_models(desk, provider), "问"))
    assert isinstance(failed, Failed)
    assert "拒绝" in failed.message
