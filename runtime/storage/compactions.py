"""Up to which message of a conversation a model sees a record instead of the messages.

Always: the messages themselves stay as they are. A compaction hangs on the last message that it stands for, so that it counts on every path
through that message and on no other.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Text, insert, select, type_coerce

from runtime.clock import Clock
from runtime.core.codec import compaction_from_json, to_json
from runtime.core.compaction import CompactionRecord
from runtime.storage.engine import Database
from runtime.storage.schema import compaction as compactions

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCompaction:
    """A record and the last message that it stands for."""

    message_id: str
    record: CompactionRecord


class CompactionStore:
    """Reads and writes compactions.

    Args:
        database: where they live.
        clock: dates them.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(
        self, conversation_id: str, message_id: str, record: CompactionRecord, *, before: int, after: int
    ) -> None:
        """Store a record.

        Args:
            conversation_id: where it belongs.
            message_id: the last message that it stands for.
            record: what is left.
            before: messages that a model saw before.
            after: messages that it sees now.
        """
        statement = insert(compactions).values(
            message_id=message_id,
            conversation_id=conversation_id,
            at=self._clock.now(),
            summary=record.summary,
            archive_ref=record.archives[-1] if record.archives else None,
            before=before,
            after=after,
            body=to_json(record),
        )
        await self._database.run(lambda connection: connection.execute(statement).rowcount)

    async def of(self, conversation_id: str) -> tuple[StoredCompaction, ...]:
        """The compactions of a conversation, the oldest first, on all of its paths; what cannot be read is left out, and in the log."""
        statement = (
            select(compactions.c.message_id, type_coerce(compactions.c.body, Text).label("body"))
            .where(compactions.c.conversation_id == conversation_id)
            .order_by(compactions.c.id)
        )

        def work(connection: Connection) -> tuple[StoredCompaction, ...]:
            found = [_stored(row) for row in connection.execute(statement)]
            return tuple(item for item in found if item is not None)

        return await self._database.read(work)


def _stored(row: Row[Any]) -> StoredCompaction | None:
    try:
        return StoredCompaction(message_id=row.message_id, record=compaction_from_json(json.loads(row.body)))
    except ValueError:
        logger.warning("the compaction at message %s cannot be read", row.message_id)
        return None
