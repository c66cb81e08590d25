"""Small tools for tests of the loop and the executor."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from runtime.core.approvals import PortfolioPreview
from runtime.core.json import JsonObject
from runtime.tools.definition import AnyTool, Prepared, ToolArgs, ToolContext, ToolDefinition, ToolOutcome


class EchoArgs(ToolArgs):
    """One text, one number."""

    text: str
    times: int = 1


@dataclass(slots=True)
class Probe:
    """A tool whose runs a test can watch, hold and let fail.

    Attributes:
        hold: runs wait until it is set.
        error: raised instead of answering.
        seen: arguments of the runs that began, in order.
        finished: arguments of the runs that ended.
    """

    name: str = "echo"
    safe: bool = True
    timeout_s: float | None = 60.0
    hold: asyncio.Event | None = None
    error: Exception | None = None
    seen: list[str] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    most_at_once: int = 0
    _running: int = 0

    async def run(self, _context: ToolContext, args: EchoArgs) -> ToolOutcome:
        self.seen.append(args.text)
        self._running += 1
        self.most_at_once = max(self.most_at_once, self._running)
        try:
            if self.hold is not None:
                await self.hold.wait()
            await asyncio.sleep(0)
            if self.error is not None:
                raise self.error
        finally:
            self._running -= 1
        self.finished.append(args.text)
        return ToolOutcome(data={"echo": args.text * args.times}, summary=f"echo {args.text}")

    def definition(self) -> AnyTool:
        return ToolDefinition(
            name=self.name, args=EchoArgs, run=self.run, concurrency_safe=self.safe, timeout_s=self.timeout_s
        )


@dataclass(slots=True)
class SlowWrite:
    """A writing tool whose commit can be held open."""

    committing: asyncio.Event = field(default_factory=asyncio.Event)
    proceed: asyncio.Event = field(default_factory=asyncio.Event)
    committed: int = 0

    async def prepare(self, _context: ToolContext, args: EchoArgs) -> Prepared:
        async def commit() -> ToolOutcome:
            self.committing.set()
            await self.proceed.wait()
            self.committed += 1
            return ToolOutcome(data={"done": args.text}, summary=f"wrote {args.text}")

        preview = PortfolioPreview(
            headline=f"write {args.text}",
            positions=(),
            cash_before=None,
            cash_after=None,
            fees=None,
            price_as_of=None,
            price_source="",
            order_value=None,
            equity_before=None,
            notices=(),
            version=0,
        )
        pattern: JsonObject = {"write": "echo"}
        return Prepared(preview=preview, commit=commit, destructive=False, pattern=pattern, pattern_text="writes")

    def definition(self) -> AnyTool:
        return ToolDefinition(name="slow_write", args=EchoArgs, prepare=self.prepare, side_effects=("portfolio",))
