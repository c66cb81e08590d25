"""A model that goes in circles is stopped before the call runs, and still answers."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.agent.guards.doom_loop import DoomLoopGuard
from runtime.core.events import Done, Guard, ToolFailed, ToolStart
from runtime.core.json import JsonObject
from runtime.core.messages import ToolCall, ToolMessage
from runtime.paths import Home
from tests.support.cases import Case, cases_of, needs_cases
from tests.support.desks import open_desk, run_turn, runtime_with_tools
from tests.support.scripted import ScriptedProvider, call, calls, say
from tests.support.tools import Probe
from tests.support.turns import of, terminal


def verdicts(sequence: list[tuple[str, JsonObject]]) -> list[bool]:
    """Whether each call, one a message, is stopped."""
    guard = DoomLoopGuard()
    made = [ToolCall(id=str(at), name=name, args=args) for at, (name, args) in enumerate(sequence)]
    return [guard.admitted((one,)) == () for one in made]


@needs_cases
@pytest.mark.parametrize("case", cases_of("loop_guard.doom"), ids=lambda case: case.id)
def test_observed_cases(case: Case) -> None:
    made = cast("list[tuple[str, JsonObject]]", case.input["calls"])
    assert verdicts([(name, args) for name, args in made]) == case.expected


def test_a_pattern_of_two_calls_is_noticed_too() -> None:
    assert verdicts([("f", {"a": 1}), ("g", {}), ("f", {"a": 1}), ("g", {}), ("f", {"a": 1})]) == [False] * 4 + [True]


LONG = "请把这只股票最近三个月的量价关系、均线排列、支撑压力和主力意图都整理出来并给出阶段判断，越详细越好，附上证据"


def test_long_arguments_that_hardly_differ_are_alike() -> None:
    assert verdicts([("f", {"query": LONG}), ("f", {"query": f"{LONG}。"}), ("f", {"query": f"{LONG}！"})]) == [
        False,
        False,
        True,
    ]


@given(numbers=st.lists(st.integers(0, 10**6), min_size=3, max_size=6, unique=True))
def test_other_numbers_are_other_questions(numbers: list[int]) -> None:
    assert not any(verdicts([("f", {"query": f"{LONG}{number}"}) for number in numbers]))


async def test_the_rest_of_the_batch_is_answered_and_the_model_answers(home: Home) -> None:
    probe = Probe()
    same = [call("echo", {"text": "a"}) for _ in range(4)]
    provider = ScriptedProvider(calls(*same), say("就这些"))
    async with open_desk(home, provider) as desk:
        circling = replace(desk, runtime=runtime_with_tools(desk, provider, probe.definition()))
        events = await run_turn(circling, "问")
    done = terminal(events)
    assert isinstance(done, Done)
    assert done.text == "就这些"
    assert len(probe.seen) <= 2
    assert len(of(events, ToolStart)) == 2
    assert [event.code for event in of(events, ToolFailed)] == ["doom_loop", "doom_loop"]
    assert [event.name for event in of(events, Guard)] == ["doom_loop"]
    results = [message for message in provider.requests[1].messages if isinstance(message, ToolMessage)]
    assert [result.call_id for result in results] == [one.id for one in same]


async def test_the_second_time_leads_to_an_answer_without_tools(home: Home) -> None:
    same = [calls(call("echo", {"text": "a"})) for _ in range(4)]
    provider = ScriptedProvider(*same, say("用已有的结果答"))
    async with open_desk(home, provider) as desk:
        events = await run_turn(replace(desk, runtime=runtime_with_tools(desk, provider, Probe().definition())), "问")
    done = terminal(events)
    assert isinstance(done, Done)
    assert (done.text, done.partial) == ("用已有的结果答", True)
    assert provider.requests[-1].tools == ()
    provider.assert_used_up()
