"""Tokens and cost of every model call."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from sqlalchemy import func, insert, literal, select

from runtime.clock import Clock
from runtime.core.messages import Usage
from runtime.storage.engine import Database
from runtime.storage.schema import usage as usages


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRow:
    """Sums of one model on one day for one purpose. `turn_id` is "" where turns are added up; `unpriced` calls have no known cost."""

    day: date
    model: str
    purpose: str
    calls: int
    usage: Usage
    turn_id: str = ""
    unpriced: int = 0


class UsageStore:
    """Writes and sums usage.

    Args:
        database: where it lives.
        clock: dates it.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, *, conversation_id: str, turn_id: str, model: str, purpose: str, usage: Usage) -> None:
        """Count one model call; `purpose` is `chat` or what else asked."""
        statement = insert(usages).values(
            turn_id=turn_id,
            conversation_id=conversation_id,
            at=self._clock.now(),
            model=model,
            purpose=purpose,
            input=usage.input,
            output=usage.output,
            cache_read=usage.cache_read,
            cache_write=usage.cache_write,
            cost=usage.cost,
            estimated=usage.estimated,
        )
        await self._database.run(lambda connection: connection.execute(statement).rowcount)

    async def spent_today(self) -> float:
        """The cost of all priced calls of today, in the currency of the prices."""
        today = self._clock.now().date().isoformat()
        statement = select(func.sum(usages.c.cost)).where(func.substr(usages.c.at, 1, 10) == today)
        return await self._database.run(lambda connection: float(connection.execute(statement).scalar() or 0.0))

    async def summary(self, days: int, *, by_turn: bool = False) -> tuple[UsageRow, ...]:
        """Sums by day, model and purpose over the last `days` days, the newest first; by turn too if asked for."""
        since = (self._clock.now() - timedelta(days=days)).date()
        day = func.substr(usages.c.at, 1, 10)
        turn = usages.c.turn_id if by_turn else literal("")
        keys = (day, usages.c.model, usages.c.purpose, turn)
        columns = (usages.c.input, usages.c.output, usages.c.cache_read, usages.c.cache_write, usages.c.cost)
        statement = (
            select(
                *keys, func.count(), *map(func.sum, columns), func.max(usages.c.estimated), func.count(usages.c.cost)
            )
            .where(day > since.isoformat())
            .group_by(*keys)
            .order_by(day.desc(), func.max(usages.c.at).desc() if by_turn else usages.c.model, usages.c.purpose)
        )
        return await self._database.run(
            lambda connection: tuple(_row(tuple(row)) for row in connection.execute(statement))
        )


def _row(row: tuple[Any, ...]) -> UsageRow:
    counts = Usage(
        input=row[5], output=row[6], cache_read=row[7], cache_write=row[8], cost=row[9], estimated=bool(row[10])
    )
    return UsageRow(
        day=date.fromisoformat(row[0]),
        model=row[1],
        purpose=row[2],
        turn_id=row[3],
        calls=row[4],
        usage=counts,
        unpriced=row[4] - row[11],
    )
