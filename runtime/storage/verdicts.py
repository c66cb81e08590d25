"""Verdicts, as they were made."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy import Connection, insert, select

from runtime.clock import Clock
from runtime.core.json import JsonObject
from runtime.storage.engine import Database
from runtime.storage.schema import verdict as verdicts


class VerdictStore:
    """Writes verdicts.

    Args:
        database: where they live.
        clock: dates them.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(
        self,
        *,
        conversation_id: str,
        turn_id: str,
        symbol: str,
        action: str,
        capped_from: str | None,
        confidence: float | None,
        price: float | None,
        price_as_of: date | None,
        body: JsonObject,
    ) -> int:
        """Store one verdict; returns its id."""
        statement = insert(verdicts).values(
            at=self._clock.now(),
            conversation_id=conversation_id,
            turn_id=turn_id,
            symbol=symbol,
            action=action,
            capped_from=capped_from,
            confidence=confidence,
            price=None if price is None else Decimal(str(price)),
            price_as_of=price_as_of,
            body=body,
        )

        def work(connection: Connection) -> int:
            key = connection.execute(statement).inserted_primary_key
            return int(key[0]) if key else 0

        return await self._database.run(work)

    async def of(self, symbol: str, limit: int = 10) -> tuple[JsonObject, ...]:
        """The last verdicts on a stock, the newest first."""
        statement = (
            select(verdicts.c.body).where(verdicts.c.symbol == symbol).order_by(verdicts.c.id.desc()).limit(limit)
        )
        rows = await self._database.run(lambda connection: connection.execute(statement).all())
        return tuple(row[0] for row in rows)
