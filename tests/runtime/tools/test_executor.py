"""The executor: batches, memory, time-outs, and a border that lets nothing through but results."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import cast

import pytest

from runtime.approvals.broker import Approver, Edit
from runtime.core.approvals import ApprovalDecision, ApprovalRequest
from runtime.core.events import ToolFailed, ToolResult, ToolStart
from runtime.core.json import JsonObject, JsonValue, loads_object
from runtime.core.messages import ToolCall
from runtime.errors import ModelFacingError, UserError
from runtime.paths import Home
from runtime.tools.definition import AnyTool, Prepared, ToolContext, ToolDefinition, ToolOutcome
from runtime.tools.executor import ToolExecutor
from tests.support.cases import Case, cases_of, needs_cases
from tests.support.desks import ScriptedApprover, open_desk
from tests.support.executors import Bench, HandClock, a_call, bench
from tests.support.tools import EchoArgs, Probe, SlowWrite
from tests.support.turns import of


def a_tool(run: Callable[[ToolContext, EchoArgs], Awaitable[ToolOutcome]], timeout_s: float | None = 60.0) -> AnyTool:
    return ToolDefinition(name="tool", args=EchoArgs, run=run, timeout_s=timeout_s)


def answering(data: object) -> AnyTool:
    async def run(_context: ToolContext, _args: EchoArgs) -> ToolOutcome:
        return ToolOutcome(data=cast("JsonObject", data), summary="s")

    return a_tool(run)


def batches_of(executor: ToolExecutor, names: list[str]) -> list[JsonObject]:
    calls = [ToolCall(id=str(number), name=name, args={}) for number, name in enumerate(names)]
    shaped: list[JsonObject] = []
    for batch in executor.batches(calls):
        concurrent = all(call.name in ("a", "b") for call in batch)
        inside = cast("list[JsonValue]", [call.name for call in batch])
        shaped.append({"concurrent": concurrent, "names": inside})
    return shaped


def safe_and_unsafe() -> tuple[AnyTool, ...]:
    return tuple(Probe(name=name, safe=name in "ab").definition() for name in ("a", "b", "x"))


@needs_cases
@pytest.mark.parametrize("case", cases_of("runtime.partition"), ids=lambda case: case.id)
async def test_observed_calls_are_batched_as_observed(home: Home, case: Case) -> None:
    async with open_desk(home) as desk:
        executor = bench(desk, *safe_and_unsafe()).executor
        assert batches_of(executor, cast("list[str]", case.input["names"])) == case.expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("", []),
        ("x", ["x"]),
        ("ab", ["ab"]),
        ("abxab", ["ab", "x", "ab"]),
        ("xx", ["x", "x"]),
        ("a?b", ["a", "?", "b"]),  # an unknown tool is not safe
        ("xaab", ["x", "aab"]),
    ],
)
async def test_consecutive_safe_calls_share_a_batch(home: Home, names: str, expected: list[str]) -> None:
    async with open_desk(home) as desk:
        executor = bench(desk, *safe_and_unsafe()).executor
        found = batches_of(executor, list(names))
    assert ["".join(cast("list[str]", batch["names"])) for batch in found] == expected


async def test_a_read_that_cannot_succeed_is_asked_once_and_answered_from_memory(home: Home) -> None:
    probe = Probe(error=UserError("market.no_bars", name="n", symbol="s"))
    async with open_desk(home) as desk:
        table = bench(desk, probe.definition())
        first = await table.run(a_call("echo"))
        again = await table.run(a_call("echo", call_id="2"), a_call("echo", text="b", call_id="3"))
    assert probe.seen == ["a", "b"]
    assert [result.cached for result in (*first, *again)] == [False, True, False]
    assert first[0].error == again[0].error
    assert first[0].error is not None
    assert first[0].error.code == "no_bars"


async def test_equal_arguments_are_equal_however_they_were_written(home: Home) -> None:
    probe = Probe(error=UserError("market.no_bars", name="n", symbol="s"))
    async with open_desk(home) as desk:
        table = bench(desk, probe.definition())
        await table.run(ToolCall(id="1", name="echo", args={"text": "a", "times": 1}))
        await table.run(ToolCall(id="2", name="echo", args={"times": "1", "text": " a "}))
    assert probe.seen == ["a"]


async def test_an_error_that_may_pass_is_not_remembered(home: Home) -> None:
    probe = Probe(error=ModelFacingError("tools.invalid_arguments", code="x", retriable=True, detail="", allowed=""))
    async with open_desk(home) as desk:
        table = bench(desk, probe.definition())
        await table.run(a_call("echo"))
        await table.run(a_call("echo", call_id="2"))
    assert probe.seen == ["a", "a"]


async def test_a_refused_write_is_not_remembered(home: Home) -> None:
    write, person = SlowWrite(), ScriptedApprover("deny")
    write.proceed.set()
    async with open_desk(home) as desk:
        table = bench(desk, write.definition(), approver=person)
        refused = await table.run(a_call("slow_write"))
        person.choice = "allow"
        allowed = await table.run(a_call("slow_write", call_id="2"))
    assert (refused[0].ok, allowed[0].ok, write.committed) == (False, True, 1)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
async def test_what_is_no_number_becomes_null(home: Home, number: float) -> None:
    async with open_desk(home) as desk:
        table = bench(desk, answering({"deep": [{"value": number}], "fine": 1.5}))
        result = (await table.run(a_call("tool")))[0]
    data = loads_object(result.message().content)["data"]
    assert data == {"deep": [{"value": None}], "fine": 1.5}
    assert of(table.events, ToolResult)[0].result["data"] == data


@pytest.mark.parametrize("data", [{"value": Decimal("1.5")}, {"value": {1, 2}}, {"value": (float("nan"),)}])
async def test_a_result_that_is_no_json_is_the_tools_failure_and_not_the_turns(home: Home, data: object) -> None:
    async with open_desk(home) as desk:
        table = bench(desk, answering(data))
        result = (await table.run(a_call("tool")))[0]
    assert result.error is not None
    assert result.error.code == "internal"
    assert not of(table.events, ToolResult)


async def test_a_tool_is_cut_to_what_the_turn_has_left(home: Home) -> None:
    probe = Probe(hold=asyncio.Event(), timeout_s=60.0)
    async with open_desk(home) as desk:
        table = bench(desk, probe.definition(), seconds=0.01)
        async with asyncio.timeout(5):
            result = (await table.run(a_call("echo")))[0]
    assert result.error is not None
    assert result.error.code == "timeout"


async def test_a_time_out_of_the_tools_own_is_a_time_out_of_the_call(home: Home) -> None:
    probe = Probe(error=TimeoutError("socket"))
    async with open_desk(home) as desk:
        table = bench(desk, probe.definition())
        first = (await table.run(a_call("echo")))[0]
        again = (await table.run(a_call("echo", call_id="2")))[0]
    assert first.error is not None
    assert first.error.code == "timeout"
    assert again.cached
    assert probe.seen == ["a"]


async def test_a_cancel_inside_a_tool_that_nobody_asked_for_is_its_failure(home: Home) -> None:
    async def run(_context: ToolContext, _args: EchoArgs) -> ToolOutcome:
        raise asyncio.CancelledError

    async with open_desk(home) as desk:
        table = bench(desk, a_tool(run), Probe().definition())
        results = await table.run(a_call("tool"), a_call("echo", call_id="2"))
    assert [result.ok for result in results] == [False, True]
    assert [event.code for event in of(table.events, ToolFailed)] == ["internal"]


@dataclass(slots=True)
class Slow(Approver):
    """A person who takes an hour."""

    clocks: list[HandClock] = field(default_factory=list)

    async def decide(self, request: ApprovalRequest, edit: Edit) -> ApprovalDecision:
        self.clocks[0].seconds += 3600
        return ApprovalDecision(request_id=request.id, choice="allow")


async def test_the_time_of_a_person_who_decides_does_not_count(home: Home) -> None:
    write, person = SlowWrite(), Slow()
    write.proceed.set()
    async with open_desk(home) as desk:
        table: Bench = bench(desk, write.definition(), approver=person, seconds=100)
        person.clocks.append(table.clock)
        result = (await table.run(a_call("slow_write")))[0]
    assert result.ok
    assert table.deadline.remaining == 100
    assert result.elapsed_ms == 3_600_000


async def test_a_write_whose_preparation_breaks_never_asks(home: Home) -> None:
    async def prepare(_context: ToolContext, _args: EchoArgs) -> Prepared:
        raise ZeroDivisionError

    tool: AnyTool = ToolDefinition(name="tool", args=EchoArgs, prepare=prepare, side_effects=("portfolio",))
    person = ScriptedApprover("allow")
    async with open_desk(home) as desk:
        result = (await bench(desk, tool, approver=person).run(a_call("tool")))[0]
    assert result.error is not None
    assert result.error.code == "internal"
    assert not person.asked


async def test_one_tool_that_breaks_leaves_the_rest_of_its_batch_alone(home: Home) -> None:
    good, bad = Probe(name="good"), Probe(name="bad", error=RuntimeError("x"))
    async with open_desk(home) as desk:
        table = bench(desk, good.definition(), bad.definition())
        results = await table.run(a_call("bad"), a_call("good", call_id="2"), a_call("bad", call_id="3"))
    assert [result.ok for result in results] == [False, True, False]
    assert all(event.concurrent for event in of(table.events, ToolStart))


async def test_every_call_has_one_start_and_one_end_under_its_id(home: Home) -> None:
    async with open_desk(home) as desk:
        table = bench(desk, Probe().definition())
        await table.run(*[a_call("echo", text=str(n), call_id=str(n)) for n in range(8)])
    assert sorted(str(event.call_id) for event in of(table.events, ToolStart)) == [str(n) for n in range(8)]
    assert sorted(str(event.call_id) for event in of(table.events, ToolResult)) == [str(n) for n in range(8)]


def test_a_definition_reads_or_writes_and_never_both() -> None:
    with pytest.raises(ValueError, match="exactly one"):
        ToolDefinition(name="neither", args=EchoArgs)
    with pytest.raises(ValueError, match="exactly one"):
        ToolDefinition(name="both", args=EchoArgs, run=Probe().run, prepare=SlowWrite().prepare)
