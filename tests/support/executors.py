"""A tool executor without a model around it."""

from __future__ import annotations

from dataclasses import dataclass, field

from runtime.approvals.broker import ApprovalBroker, Approver, DecisionContext
from runtime.approvals.consent import ConsentBook
from runtime.clock import Clock
from runtime.core.deadline import Deadline
from runtime.core.events import RuntimeEvent
from runtime.core.messages import ToolCall
from runtime.core.symbols import Resolution
from runtime.tools.definition import AnyTool, Questioner
from runtime.tools.executor import ToolExecutor
from runtime.tools.registry import ToolRegistry
from runtime.tools.results import CallResult
from runtime.tools.scope import StockScope
from runtime.tools.writes import WriteRunner
from runtime.workspace import Workspace
from tests.support.desks import TestTexts


@dataclass(slots=True)
class HandClock:
    """A clock whose monotonic time a test moves by hand; the wall clock is another's."""

    wall: Clock
    seconds: float = 0.0

    def now(self):  # type: ignore[no-untyped-def]  # noqa: ANN201
        return self.wall.now()

    def monotonic(self) -> float:
        return self.seconds


@dataclass(slots=True, kw_only=True)
class Bench:
    """An executor with what it emitted and its deadline."""

    executor: ToolExecutor
    deadline: Deadline
    clock: HandClock
    events: list[RuntimeEvent] = field(default_factory=list)

    async def run(self, *calls: ToolCall) -> list[CallResult]:
        """The results, in call order."""
        results: dict[str, CallResult] = {}
        await self.executor.run(calls, results)
        return [results[call.id] for call in calls]


async def _nobody(_question: str, _options: tuple[str, ...]) -> str | None:
    return None


def bench(
    desk: Workspace,
    *tools: AnyTool,
    seconds: float = 600.0,
    approver: Approver | None = None,
    ask: Questioner = _nobody,
    scope: StockScope | None = None,
) -> Bench:
    """An executor on a desk's storage, with `seconds` left."""
    events: list[RuntimeEvent] = []
    clock = HandClock(desk.base.clock)
    deadline = Deadline(clock, seconds)
    context = DecisionContext(
        conversation_id="c1", turn_id="t1", policy="ask", approver=approver, consents=ConsentBook()
    )
    texts = TestTexts()
    executor = ToolExecutor(
        registry=ToolRegistry(tools),
        writes=WriteRunner(
            broker=ApprovalBroker(desk.stores.approvals),
            context=context,
            deadline=deadline,
            emit=events.append,
            texts=texts,
        ),
        deadline=deadline,
        emit=events.append,
        ask=ask,
        texts=texts,
        clock=clock,
        concurrency=5,
        conversation_id="c1",
        turn_id="t1",
        resolution=Resolution(),
        scope=scope,
        resolve=desk.market.directory.resolve,
        long_results=desk.stores.long_results,
    )
    return Bench(executor=executor, deadline=deadline, clock=clock, events=events)


def a_call(name: str, text: str = "a", call_id: str = "1", **more: int) -> ToolCall:
    """A call of an echoing tool."""
    return ToolCall(id=call_id, name=name, args={"text": text, **more})
