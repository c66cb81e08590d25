"""Runs the calls of a model's message: validate, remember, ask, run, time out, and answer every one.

Consecutive calls of concurrency-safe tools run together, others alone; results are kept in call order. A call that timed out or can never
succeed is answered from memory when it comes again in the turn. This is the border at which a tool's failure becomes a result.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from runtime.clock import Clock
from runtime.core.deadline import Deadline
from runtime.core.events import RuntimeEvent, ToolFailed, ToolProgress, ToolResult, ToolStart, VerdictRecorded
from runtime.core.json import JsonObject, JsonValue, canonical, dumps, json_safe
from runtime.core.messages import ToolCall
from runtime.core.symbols import Resolution
from runtime.core.tasks import being_cancelled
from runtime.errors import ModelFacingError, WyckoffError
from runtime.texts import Texts
from runtime.tools.definition import AnyTool, Questioner, ToolArgs, ToolContext, ToolOutcome
from runtime.tools.offload import ResultStore
from runtime.tools.registry import ToolRegistry
from runtime.tools.results import CallError, CallResult
from runtime.tools.scope import StockScope
from runtime.tools.validation import validated
from runtime.tools.writes import CommittedBeforeCancel, WriteRunner, Written

logger = logging.getLogger(__name__)


class ToolExecutor:
    """Executes calls in one turn.

    Args:
        registry: the tools.
        writes: runs writing tools.
        deadline: what the turn has left.
        emit: sends events.
        ask: asks the person.
        texts: for people and the model.
        clock: measures durations.
        concurrency: how many calls run together.
        conversation_id: for the tools.
        turn_id: for the tools.
        resolution: the stocks of the turn.
        scope: the stocks that calls may be about; None = any.
        resolve: from what a model wrote to instruments.
        long_results: keeps what is too long for a model.
    """

    def __init__(
        self,
        *,
        registry: ToolRegistry,
        writes: WriteRunner,
        deadline: Deadline,
        emit: Callable[[RuntimeEvent], None],
        ask: Questioner,
        texts: Texts,
        clock: Clock,
        concurrency: int,
        conversation_id: str,
        turn_id: str,
        resolution: Resolution,
        scope: StockScope | None,
        resolve: Callable[[str], Resolution],
        long_results: ResultStore,
    ) -> None:
        self._registry = registry
        self._writes = writes
        self._deadline = deadline
        self._emit = emit
        self._ask = ask
        self._texts = texts
        self._clock = clock
        self._limit = asyncio.Semaphore(concurrency)
        self._conversation_id = conversation_id
        self._turn_id = turn_id
        self._resolution = resolution
        self._scope = scope
        self._resolve = resolve
        self._long_results = long_results
        self._remembered: dict[tuple[str, str], CallError] = {}
        self._answered: dict[tuple[str, str], ToolOutcome] = {}

    async def run(self, calls: Sequence[ToolCall], results: dict[str, CallResult]) -> None:
        """Run the calls and enter each result by call id as it comes; when cancelled, `results` holds what was finished."""
        for batch in self.batches(calls):
            async with asyncio.TaskGroup() as group:
                for call in batch:
                    group.create_task(self._one(call, results, concurrent=len(batch) > 1))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tools that there are."""
        return tuple(tool.name for tool in self._registry.all())

    def batches(self, calls: Sequence[ToolCall]) -> list[list[ToolCall]]:
        """Consecutive concurrency-safe calls together, every other call alone."""
        batches: list[list[ToolCall]] = []
        last_safe = False
        for call in calls:
            tool = self._registry.get(call.name)
            safe = tool is not None and tool.concurrency_safe
            if safe and last_safe:
                batches[-1].append(call)
            else:
                batches.append([call])
            last_safe = safe
        return batches

    def aborted(self, call: ToolCall) -> CallResult:
        """The answer to a call that the person's stop left without one."""
        return CallResult(call=call, error=self._failure("aborted", "tools.aborted"))

    def refused(self, call: ToolCall, code: str, key: str) -> CallResult:
        """The answer to a call that may not run, announced like any other."""
        result = CallResult(call=call, error=self._failure(code, key))
        self._announce(result)
        return result

    def _failure(self, code: str, key: str) -> CallError:
        return CallError(code=code, message=self._texts(key))

    async def _one(self, call: ToolCall, results: dict[str, CallResult], *, concurrent: bool) -> None:
        """Run one call to its result. This is the border: whatever goes wrong inside a tool is a result for the model."""
        async with self._limit:
            started = self._clock.monotonic()
            try:
                result = await self._offloaded(await self._result(call, concurrent=concurrent))
            except CommittedBeforeCancel as committed:
                result = CallResult(call=call, outcome=committed.written.outcome, approval=committed.written.approval)
                self._finish(result, started, results)
                raise
            except WyckoffError as error:
                result = CallResult(call=call, error=self._call_error(error))
            except TimeoutError:
                result = CallResult(call=call, error=self._failure("timeout", "tools.timed_out"))
            except asyncio.CancelledError:
                if being_cancelled():
                    raise
                logger.exception("tool %s was cancelled by itself", call.name)
                result = CallResult(call=call, error=self._failure("internal", "tools.failed_inside"))
            except Exception:  # a bug of the tool: in the log, and a plain word to the model
                logger.exception("tool %s failed", call.name)
                result = CallResult(call=call, error=self._failure("internal", "tools.failed_inside"))
            self._finish(result, started, results)

    async def _result(self, call: ToolCall, *, concurrent: bool) -> CallResult:
        """Check a call, answer it from memory or run it."""
        tool, args = self._checked(call)
        key = (tool.name, canonical(args.model_dump(mode="json")))
        self._keep_in_scope(tool, args)
        if key in self._remembered:
            return CallResult(call=call, error=self._remembered[key], cached=True)
        self._start(tool, call, args, concurrent=concurrent)
        if key in self._answered:
            return CallResult(call=call, outcome=self._answered[key], cached=True)
        match await self._run(tool, args, self._context(call), key):
            case Written(outcome=outcome, approval=approval):
                return CallResult(call=call, outcome=outcome, approval=approval)
            case ToolOutcome() as outcome:
                return CallResult(call=call, outcome=outcome)

    async def _offloaded(self, result: CallResult) -> CallResult:
        """The result with a preview for the model where it is too long. What a write did is said whole, and at once."""
        tool = self._registry.get(result.call.name)
        if tool is None or tool.run is None or not self._long_results.too_long(tool, result.envelope()):
            return result
        keep = self._long_results.keep
        return replace(result, offloaded=await asyncio.to_thread(keep, tool, result.envelope(), self._conversation_id))

    def _finish(self, result: CallResult, started: float, results: dict[str, CallResult]) -> None:
        elapsed = int((self._clock.monotonic() - started) * 1000)
        timed = replace(result, elapsed_ms=elapsed)
        results[result.call.id] = timed
        self._announce(timed)

    async def _run(
        self, tool: AnyTool, args: ToolArgs, context: ToolContext, key: tuple[str, str]
    ) -> ToolOutcome | Written:
        """Run one tool; what will not get better in this turn is remembered."""
        try:
            if tool.run is None:
                self._answered.clear()  # whatever is written makes it old
                return await self._writes.run(tool, args, context)
            async with asyncio.timeout(None if tool.timeout_s is None else self._deadline.cut(tool.timeout_s)):
                outcome: ToolOutcome = await tool.run(context, args)
            dumps(json_safe(outcome.data))  # what is no JSON is the tool's failure, not the turn's
            self._keep(tool, key, outcome)
            return outcome
        except TimeoutError:
            if tool.read_only:
                self._remembered[key] = self._failure("timeout", "tools.timed_out")
            raise
        except WyckoffError as error:
            if tool.read_only:
                problem = self._call_error(error)
                if not problem.retriable:
                    self._remembered[key] = problem
            raise

    def _keep(self, tool: AnyTool, key: tuple[str, str], outcome: ToolOutcome) -> None:
        """Remember what was read for the rest of the turn."""
        if not tool.read_only:
            self._answered.clear()
        elif tool.concurrency_safe:
            self._answered[key] = outcome
        if self._scope is not None:
            self._scope.join(tool.name, outcome.data)

    def _keep_in_scope(self, tool: AnyTool, args: ToolArgs) -> None:
        """Refuse a call about a stock that the turn is not about.

        Raises:
            ModelFacingError: `stock_scope_violation`, with what was expected, requested and allowed.
        """
        scope, asked = self._scope, getattr(args, "symbol", None)
        if scope is None or tool.scope != "stock" or not isinstance(asked, str):
            return
        outside = [item for item in self._resolve(asked).instruments if not scope.admits(item)]
        if not outside:
            return
        allowed: list[JsonValue] = [*scope.symbols]
        details: JsonObject = {
            "expected": scope.expected,
            "requested": outside[0].symbol,
            "allowed": allowed,
            "retriable": False,
        }
        listed = ", ".join(scope.symbols)
        raise ModelFacingError(
            "tools.stock_scope_violation",
            code="stock_scope_violation",
            details=details,
            requested=outside[0].symbol,
            allowed=listed,
        )

    def _checked(self, call: ToolCall) -> tuple[AnyTool, ToolArgs]:
        tool = self._registry.get(call.name)
        if tool is None:
            near = ", ".join(self._registry.near(call.name)) or ", ".join(t.name for t in self._registry.all())
            raise ModelFacingError("tools.unknown_tool", code="unknown_tool", retriable=True, name=call.name, near=near)
        if call.args is None:
            raise ModelFacingError(
                "tools.malformed_arguments", code="malformed_arguments", retriable=True, detail=call.parse_error or ""
            )
        return tool, validated(tool, call.args)

    def _context(self, call: ToolCall) -> ToolContext:
        def report(stage: str, detail: str, progress: float | None) -> None:
            self._emit(ToolProgress(stage=stage, detail=detail, progress=progress, call_id=call.id))

        return ToolContext(
            conversation_id=self._conversation_id,
            turn_id=self._turn_id,
            call_id=call.id,
            resolution=self._resolution,
            ask=self._ask,
            report=report,
        )

    def _call_error(self, error: WyckoffError) -> CallError:
        code = error.code if isinstance(error, ModelFacingError) else error.key.partition(".")[2]
        retriable = isinstance(error, ModelFacingError) and error.retriable
        details = error.details if isinstance(error, ModelFacingError) else None
        return CallError(code=code, message=self._texts.error(error), retriable=retriable, details=details)

    def _start(self, tool: AnyTool, call: ToolCall, args: ToolArgs, *, concurrent: bool) -> None:
        shown = args.model_dump(mode="json", exclude_unset=True)
        self._emit(
            ToolStart(
                name=tool.name,
                display_name=tool.display_name(self._texts),
                args=shown,
                args_summary=tool.args_summary(shown),
                concurrent=concurrent,
                call_id=call.id,
            )
        )

    def _announce(self, result: CallResult) -> None:
        call = result.call
        if result.error is not None:
            self._emit(
                ToolFailed(
                    name=call.name,
                    code=result.error.code,
                    message=result.error.message,
                    retriable=result.error.retriable,
                    elapsed_ms=result.elapsed_ms,
                    call_id=call.id,
                )
            )
            return
        outcome = result.outcome
        if outcome is None:
            raise ValueError("a result has an outcome or an error")
        self._emit(
            ToolResult(
                name=call.name,
                ok=True,
                summary=outcome.summary,
                result=result.envelope(),
                elapsed_ms=result.elapsed_ms,
                cached=result.cached,
                offloaded_ref=None if result.offloaded is None else result.offloaded.reference,
                call_id=call.id,
            )
        )
        if outcome.verdict is not None:
            self._emit(
                VerdictRecorded(
                    verdict=outcome.verdict,
                    capped_from=outcome.capped_from,
                    rules=outcome.cap_rules,
                    call_id=call.id,
                )
            )
