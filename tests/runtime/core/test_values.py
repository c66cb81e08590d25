"""Deadlines, JSON helpers, sums of usage, and work that is carried to its end."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.clock import SHANGHAI, FixedClock, clock_from_environment, parse_day, parse_moment
from runtime.core.deadline import Deadline
from runtime.core.json import canonical, dumps, json_safe, loads, loads_object, whole_characters
from runtime.core.messages import Usage
from runtime.core.tasks import to_the_end
from runtime.errors import UserError
from tests.support.desks import NOW
from tests.support.executors import HandClock


def a_deadline(seconds: float = 10.0) -> tuple[Deadline, HandClock]:
    clock = HandClock(FixedClock(NOW))
    return Deadline(clock, seconds), clock


def test_a_deadline_runs_down_and_never_below_nothing() -> None:
    deadline, clock = a_deadline()
    clock.seconds = 4
    assert deadline.remaining == 6
    assert (deadline.cut(2), deadline.cut(60), deadline.cut(None)) == (2, 6, 6)
    clock.seconds = 40
    assert deadline.remaining == 0
    assert deadline.cut(5) == 0


def test_a_paused_deadline_stands_still_also_when_pauses_nest() -> None:
    deadline, clock = a_deadline()
    clock.seconds = 4
    with deadline.paused():
        clock.seconds = 100
        assert deadline.remaining == 6
        with deadline.paused():
            clock.seconds = 200
        assert deadline.remaining == 6
        clock.seconds = 300
    assert deadline.remaining == 6
    clock.seconds = 301
    assert deadline.remaining == 5


def test_a_pause_that_breaks_ends_too() -> None:
    deadline, clock = a_deadline()
    with suppress(KeyError), deadline.paused():
        clock.seconds = 50
        raise KeyError
    clock.seconds = 51
    assert deadline.remaining == 9


@pytest.mark.parametrize("text", ["[1]", '"a"', "1", "null", "{", ""])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        loads_object(text)


def test_json_is_compact_keeps_chinese_and_refuses_what_is_no_number() -> None:
    assert dumps({"名": [1, None]}) == '{"名":[1,null]}'
    with pytest.raises(ValueError, match="JSON compliant"):
        dumps({"a": float("nan")})


def test_equal_objects_have_one_canonical_form() -> None:
    assert canonical({"b": 1, "a": {"d": 2, "c": 3}}) == canonical({"a": {"c": 3, "d": 2}, "b": 1})


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(_json)
def test_made_safe_every_value_can_be_written_and_read(value: object) -> None:
    safe = json_safe(value)  # type: ignore[arg-type]
    assert loads(dumps(safe)) == safe


@given(st.text(alphabet=st.characters(categories=["L", "Cs", "So"]), max_size=8))
def test_whole_characters_can_be_encoded_and_whole_texts_stay(text: str) -> None:
    whole = whole_characters(text)
    whole.encode()
    if not any("\ud800" <= char <= "\udfff" for char in text):
        assert whole == text


def test_a_pair_in_two_halves_is_joined() -> None:
    assert whole_characters("涨\ud83d\ude80了\udce4") == "涨🚀了\ufffd"


def test_usage_adds_up_and_an_unknown_cost_stays_unknown() -> None:
    total = Usage(input=1, output=2) + Usage(input=3, cache_read=4, estimated=True)
    assert (total.input, total.output, total.cache_read, total.cost, total.estimated) == (4, 2, 4, None, True)
    assert (Usage(cost=0.5) + Usage()).cost == 0.5


async def test_work_is_finished_however_often_its_waiter_is_cancelled() -> None:
    began, proceed, done = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def work() -> None:
        began.set()
        await proceed.wait()
        done.set()

    waiter = asyncio.create_task(to_the_end(work()))
    await began.wait()
    for _ in range(3):
        waiter.cancel()
        await asyncio.sleep(0)
    assert not waiter.done()
    proceed.set()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    assert done.is_set()


async def test_work_that_fails_says_so_even_when_its_waiter_was_cancelled() -> None:
    proceed = asyncio.Event()

    async def work() -> int:
        await proceed.wait()
        raise KeyError("lost")

    waiter = asyncio.create_task(to_the_end(work()))
    await asyncio.sleep(0)
    waiter.cancel()
    proceed.set()
    with pytest.raises(KeyError):
        await waiter


def test_the_clock_of_the_environment_stands_still_in_shanghai() -> None:
    clock = clock_from_environment({"WYCKOFF_NOW": "2026-06-30T07:00:00+00:00"})
    assert clock.now() == datetime(2026, 6, 30, 15, 0, tzinfo=SHANGHAI)
    assert clock.now().hour == 15
    assert parse_moment("2026-06-30").tzinfo is SHANGHAI
    assert parse_day("20260630") == parse_day("2026/06/30") == parse_day(" 2026-06-30 ")
    with pytest.raises(UserError):
        clock_from_environment({"WYCKOFF_NOW": "gestern"})
