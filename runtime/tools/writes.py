"""A write from its arguments to its effect: prepare, ask, commit. What was previewed is exactly what is committed.

When the portfolio moved between preview and commit, the preview is made again and the person is asked again. A commit is never abandoned
half-way: a cancelled turn waits for it and keeps its result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from runtime.approvals.broker import ApprovalBroker, DecisionContext
from runtime.approvals.grading import grade
from runtime.core.approvals import ActionPreview, ApprovalDecision, ApprovalRequest
from runtime.core.deadline import Deadline
from runtime.core.events import ApprovalRequested, ApprovalResolved, RuntimeEvent
from runtime.core.ids import new_id
from runtime.core.json import JsonObject, canonical
from runtime.core.tasks import being_cancelled, to_the_end
from runtime.errors import ModelFacingError, TransientError
from runtime.texts import Texts
from runtime.tools.definition import AnyTool, Prepared, ToolArgs, ToolContext, ToolOutcome
from runtime.tools.validation import validated

MAX_REFRESHES = 3  # the portfolio moved under the preview; after that the model is told to try again


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The result of a write and how it was approved."""

    outcome: ToolOutcome
    approval: JsonObject


class WriteRunner:
    """Runs writing tools in one turn.

    Args:
        broker: decides.
        context: whose turn it is.
        deadline: stands still while a person decides.
        emit: sends events.
        texts: for people and the model.
    """

    def __init__(
        self,
        *,
        broker: ApprovalBroker,
        context: DecisionContext,
        deadline: Deadline,
        emit: Callable[[RuntimeEvent], None],
        texts: Texts,
    ) -> None:
        self._broker = broker
        self._context = context
        self._deadline = deadline
        self._emit = emit
        self._texts = texts

    async def run(self, tool: AnyTool, args: ToolArgs, context: ToolContext) -> Written:
        """Prepare, ask and commit.

        Raises:
            ModelFacingError: impossible as asked, refused, or not answered.
            UserError: the arguments name something that is not there.
        """
        for _ in range(MAX_REFRESHES):
            prepared = await self._prepare(tool, args, context)
            request = self._request(tool, args, prepared, context)
            decision, edited = await self._decide(tool, request, context)
            if decision.choice == "modify":
                args = validated(tool, decision.args or {})
                seen = edited.get(_key(args))
                if seen is None:
                    continue  # changed arguments without their preview: show it first
                prepared = seen
            elif decision.choice not in ("allow", "always"):
                raise self._refusal(decision, prepared)
            try:
                return await _uninterrupted(prepared, self._approval_json(decision))
            except TransientError:
                if being_cancelled():
                    raise asyncio.CancelledError from None
        raise ModelFacingError("tools.portfolio_moved", code="version_changed", retriable=True)

    async def _prepare(self, tool: AnyTool, args: ToolArgs, context: ToolContext) -> Prepared:
        if tool.prepare is None:
            raise TypeError(f"{tool.name} does not write")
        async with asyncio.timeout(self._deadline.cut(tool.timeout_s)):
            prepared = await tool.prepare(context, args)
        problems = [notice.text for notice in prepared.preview.notices if notice.severity == "error"]
        if problems:
            raise ModelFacingError("tools.not_possible", code="not_possible", detail="；".join(problems))
        return prepared

    async def _decide(
        self, tool: AnyTool, request: ApprovalRequest, context: ToolContext
    ) -> tuple[ApprovalDecision, dict[str, Prepared]]:
        """The decision, and what the person was shown when they changed arguments."""
        edited: dict[str, Prepared] = {}

        async def edit(changed: JsonObject) -> ApprovalRequest:
            args = validated(tool, changed)
            prepared = edited[_key(args)] = await self._prepare(tool, args, context)
            return self._request(tool, args, prepared, context)

        self._emit(ApprovalRequested(request=request, call_id=context.call_id))
        with self._deadline.paused():
            decision = await self._broker.decide(request, self._context, edit)
        self._emit(ApprovalResolved(decision=decision, call_id=context.call_id))
        return decision, edited

    def _request(self, tool: AnyTool, args: ToolArgs, prepared: Prepared, context: ToolContext) -> ApprovalRequest:
        graded = grade(prepared.preview, destructive=prepared.destructive)
        reason = self._texts(graded.reason_key)
        return ApprovalRequest(
            id=new_id(),
            call_id=context.call_id,
            tool=tool.name,
            display_name=tool.display_name(self._texts),
            args=args.model_dump(mode="json", exclude_unset=True),
            preview=prepared.preview,
            risk=graded.risk,
            risk_reason=reason,
            pattern=prepared.pattern,
            always_offered=graded.always_offered,
            always_text=prepared.pattern_text if graded.always_offered else reason,
        )

    def _refusal(self, decision: ApprovalDecision, prepared: Prepared) -> ModelFacingError:
        """What the model is told when nothing was written."""
        headline = prepared.preview.headline
        if decision.decided_by == "no-approver":
            wanted = _details(prepared.preview)
            return ModelFacingError(
                "tools.approval_required", code="approval_required", headline=headline, details=wanted
            )
        details: JsonObject = {"headline": headline, "reason": decision.reason}
        if decision.choice == "unanswered":
            return ModelFacingError("tools.approval_unanswered", code="unanswered", details=details, headline=headline)
        if decision.decided_by != "person":
            rule = decision.decided_by
            details["rule"] = rule
            return ModelFacingError(
                "tools.denied_by_rule", code="denied", details=details, headline=headline, rule=rule
            )
        reason = decision.reason or self._texts("tools.no_reason_given")
        return ModelFacingError("tools.denied", code="denied", details=details, headline=headline, reason=reason)

    def _approval_json(self, decision: ApprovalDecision) -> JsonObject:
        approval: JsonObject = {"choice": decision.choice, "decided_by": decision.decided_by}
        if decision.choice == "modify":
            approval |= {"args": decision.args, "note": self._texts("tools.changed_by_person")}
        return approval


def _key(args: ToolArgs) -> str:
    """Equal for equal arguments; a value that is absent is not one that is null."""
    return canonical(args.model_dump(mode="json", exclude_unset=True))


def _details(preview: ActionPreview) -> JsonObject:
    """What a question for consent should say: the action, cash before and after with fees, and the warnings."""
    return {
        "headline": preview.headline,
        "cash_before": None if preview.cash_before is None else float(preview.cash_before),
        "cash_after": None if preview.cash_after is None else float(preview.cash_after),
        "fees": None if preview.fees is None else float(preview.fees.total),
        "notices": [notice.text for notice in preview.notices],
    }


async def _uninterrupted(prepared: Prepared, approval: JsonObject) -> Written:
    """Commit to the end even when the turn is cancelled meanwhile."""
    task = asyncio.ensure_future(prepared.commit())
    try:
        return Written(outcome=await to_the_end(task), approval=approval)
    except asyncio.CancelledError:
        if task.cancelled() or task.exception() is not None:
            raise
        raise CommittedBeforeCancel(Written(outcome=task.result(), approval=approval)) from None


class CommittedBeforeCancel(asyncio.CancelledError):
    """The turn was cancelled while a write was committed; the write is done and its result must be kept."""

    def __init__(self, written: Written) -> None:
        super().__init__()
        self.written = written
