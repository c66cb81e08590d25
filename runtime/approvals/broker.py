"""The one place where it is decided whether a write may happen.

Order: the policy of this run, deny rules, allow rules, the person if somebody can be asked, else the two-lock rule. Every decision is
logged with who made it and the arguments before and after. Unanswered is never a denial and never a consent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias

from runtime.approvals.consent import ConsentBook
from runtime.core.approvals import ApprovalDecision, ApprovalRequest
from runtime.core.json import JsonObject
from runtime.storage.approval_records import ApprovalRecords

RunPolicy: TypeAlias = Literal["ask", "never", "always"]
Edit: TypeAlias = Callable[[JsonObject], Awaitable[ApprovalRequest]]


class Approver(Protocol):
    """A surface on which a person decides."""

    async def decide(self, request: ApprovalRequest, edit: Edit) -> ApprovalDecision:
        """Show a request and wait for the answer.

        Args:
            request: what is asked.
            edit: validates changed arguments and computes risk and preview again; raises WyckoffError when they do not hold.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionContext:
    """Whose turn it is, and how this run may decide.

    Attributes:
        conversation_id: rules of this conversation apply.
        turn_id: for the log.
        policy: `never` refuses every write; `always` is a rule that the person made for this run.
        approver: who can be asked now; None = nobody.
        consents: what the person typed in this turn.
    """

    conversation_id: str
    turn_id: str
    policy: RunPolicy
    approver: Approver | None
    consents: ConsentBook


class ApprovalBroker:
    """Decides requests.

    Args:
        records: rules and log.
    """

    def __init__(self, records: ApprovalRecords) -> None:
        self._records = records

    async def decide(self, request: ApprovalRequest, context: DecisionContext, edit: Edit) -> ApprovalDecision:
        """Decide one request; stores the rule of an `always` and logs the decision before it takes effect."""
        decision = await self._standing(request, context) or await self._asked(request, context, edit)
        if decision.choice == "always":
            decision = await self._make_rule(request, decision, context)
        await self._records.log(request, decision, conversation_id=context.conversation_id, turn_id=context.turn_id)
        return decision

    async def _standing(self, request: ApprovalRequest, context: DecisionContext) -> ApprovalDecision | None:
        """What is decided already: by the run's policy or by a rule."""
        if context.policy == "never":
            return _refused(request, "run:never")
        rules = await self._records.rules(request.tool, context.conversation_id)
        matching = [rule for rule in rules if rule.pattern == request.pattern]
        for rule in matching:
            if rule.effect == "deny":
                return _refused(request, f"rule:{rule.id}")
        if not request.always_offered:
            return None
        if context.policy == "always":
            return _allowed(request, "run:always")
        return next((_allowed(request, f"rule:{rule.id}") for rule in matching if rule.effect == "allow"), None)

    async def _asked(self, request: ApprovalRequest, context: DecisionContext, edit: Edit) -> ApprovalDecision:
        if context.approver is not None:
            decision = await context.approver.decide(request, edit)
            return (
                decision
                if decision.args or decision.choice in ("deny", "unanswered")
                else replace(decision, args=request.args)
            )
        if context.consents.use_for(request):
            return _allowed(request, "consent")
        return ApprovalDecision(request_id=request.id, choice="unanswered", decided_by="no-approver")

    async def _make_rule(
        self, request: ApprovalRequest, decision: ApprovalDecision, context: DecisionContext
    ) -> ApprovalDecision:
        """Store the rule behind an `always`; where it is not offered it is an `allow` for this once."""
        if not request.always_offered:
            return replace(decision, choice="allow")
        everywhere = decision.scope == "forever"
        rule_id = await self._records.add_rule(
            tool=request.tool,
            pattern=request.pattern,
            effect="allow",
            conversation_id=None if everywhere else context.conversation_id,
        )
        return replace(
            decision, scope="forever" if everywhere else "conversation", decided_by=f"person, rule:{rule_id}"
        )


def _allowed(request: ApprovalRequest, by: str) -> ApprovalDecision:
    return ApprovalDecision(request_id=request.id, choice="allow", args=request.args, decided_by=by)


def _refused(request: ApprovalRequest, by: str) -> ApprovalDecision:
    return ApprovalDecision(request_id=request.id, choice="deny", decided_by=by)
