"""Tokens and cost of every model call."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from sqlalchemy import Connection, func, insert, select

from runtime.clock import Clock
from runtime.core.messages import Usage
from runtime.storage.engine import Database
from runtime.storage.schema import usage as usages


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRow:
    """Sums of one model on one day."""

    day: date
    model: str
    calls: int
    usage: Usage


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

    async def summary(self, days: int) -> tuple[UsageRow, ...]:
        """Sums by day and model over the last `days` days, the newest first."""
        since = (self._clock.now() - timedelta(days=days)).date()
        day = func.substr(usages.c.at, 1, 10)
        columns = (usages.c.input, usages.c.output, usages.c.cache_read, usages.c.cache_write, usages.c.cost)
        statement = (
            select(day, usages.c.model, func.count(), *(func.sum(column) for column in columns))
            .where(day > since.isoformat())
            .group_by(day, usages.c.model)
            .order_by(day.desc(), usages.c.model)
        )

        def work(connection: Connection) -> tuple[UsageRow, ...]:
            return tuple(
                UsageRow(
                    day=date.fromisoformat(row[0]),
                    model=row[1],
                    calls=row[2],
                    usage=Usage(input=row[3], output=row[4], cache_read=row[5], cache_write=row[6], cost=row[7]),
                )
                for row in connection.execute(statement)
            )

        return await self._database.run(work)
