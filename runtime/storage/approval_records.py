"""Approval rules that the person made, and the log of every decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from sqlalchemy import Connection, insert, or_, select, update

from runtime.clock import Clock
from runtime.core.approvals import ApprovalDecision, ApprovalRequest
from runtime.core.json import JsonObject
from runtime.storage.engine import Database
from runtime.storage.schema import approval_log, approval_rule

Effect: TypeAlias = Literal["allow", "deny"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRule:
    """A standing decision: it matches calls of the tool whose arguments equal the pattern's. No conversation = everywhere."""

    id: int
    tool: str
    pattern: JsonObject
    effect: Effect
    conversation_id: str | None


class ApprovalRecords:
    """Reads and writes rules and the log.

    Args:
        database: where they live.
        clock: dates them.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def rules(self, tool: str, conversation_id: str) -> tuple[ApprovalRule, ...]:
        """The rules in force for a tool in a conversation."""
        statement = select(approval_rule).where(
            approval_rule.c.tool == tool,
            approval_rule.c.revoked_at.is_(None),
            or_(approval_rule.c.conversation_id.is_(None), approval_rule.c.conversation_id == conversation_id),
        )
        rows = await self._database.run(lambda connection: connection.execute(statement).all())
        return tuple(
            ApprovalRule(
                id=row.id,
                tool=row.tool,
                pattern=cast("JsonObject", row.pattern),
                effect=row.effect,
                conversation_id=row.conversation_id,
            )
            for row in rows
        )

    async def add_rule(self, *, tool: str, pattern: JsonObject, effect: Effect, conversation_id: str | None) -> int:
        """Store a rule; returns its id."""
        statement = insert(approval_rule).values(
            tool=tool,
            pattern=pattern,
            effect=effect,
            conversation_id=conversation_id,
            created_at=self._clock.now(),
        )

        def work(connection: Connection) -> int:
            key = connection.execute(statement).inserted_primary_key
            return int(key[0]) if key else 0

        return await self._database.run(work)

    async def revoke(self, rule_id: int) -> None:
        """End a rule; it stays in the table."""
        statement = update(approval_rule).where(approval_rule.c.id == rule_id).values(revoked_at=self._clock.now())
        await self._database.run(lambda connection: connection.execute(statement).rowcount)

    async def log(
        self, request: ApprovalRequest, decision: ApprovalDecision, *, conversation_id: str, turn_id: str
    ) -> None:
        """Write down one decision with the arguments before and after."""
        statement = insert(approval_log).values(
            request_id=request.id,
            at=self._clock.now(),
            conversation_id=conversation_id,
            turn_id=turn_id,
            tool=request.tool,
            choice=decision.choice,
            decided_by=decision.decided_by,
            args_before=request.args,
            args_after=decision.args,
            reason=decision.reason,
        )
        await self._database.run(lambda connection: connection.execute(statement).rowcount)
