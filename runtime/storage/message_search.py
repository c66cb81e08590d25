"""Finding stored messages by words, over all conversations that are not deleted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Select, Text, literal_column, or_, select, type_coerce

from runtime.core.finding import ENOUGH, excerpt, share_found
from runtime.core.messages import text_of
from runtime.storage.engine import Database
from runtime.storage.schema import conversation as conversations
from runtime.storage.schema import message as messages
from runtime.storage.shown_path import readable

_LOOKED_AT: Final = 2_000  # newest candidates that are read: a word that is everywhere costs no more than this


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageHit:
    """A message that was found, with the passage that fits."""

    conversation_id: str
    title: str
    message_id: str
    role: str
    at: datetime
    passage: str


class MessageSearch:
    """Searches the stored messages.

    Args:
        database: where they live.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, terms: tuple[str, ...], *, without_turn: str = "") -> tuple[MessageHit, ...]:
        """Messages that hold at least half of the terms, the best and newest first.

        Args:
            terms: what is looked for, in small letters.
            without_turn: a turn whose own messages do not count.
        """
        if not terms:
            return ()
        statement = _candidates(terms, without_turn)

        def work(connection: Connection) -> tuple[MessageHit, ...]:
            ranked: list[tuple[float, MessageHit]] = []
            for row in connection.execute(statement):
                message = readable(row)
                text = "" if message is None else text_of(message)
                worth = share_found(text, terms)
                if worth >= ENOUGH:
                    hit = MessageHit(
                        conversation_id=row.conversation_id,
                        title=row.title,
                        message_id=row.id,
                        role=row.role,
                        at=row.created_at,
                        passage=excerpt(text, terms),
                    )
                    ranked.append((worth, hit))
            ranked.sort(key=lambda item: item[0], reverse=True)  # stable: the newest first among equals
            return tuple(hit for _, hit in ranked)

        return await self._database.read(work)


def _candidates(terms: tuple[str, ...], without_turn: str) -> Select[Any]:
    """The newest messages that hold any of the terms."""
    body = type_coerce(messages.c.body, Text)
    return (
        select(
            messages.c.id,
            messages.c.conversation_id,
            messages.c.role,
            messages.c.created_at,
            conversations.c.title,
            body.label("body"),
        )
        .join(conversations, conversations.c.id == messages.c.conversation_id)
        .where(
            conversations.c.deleted_at.is_(None),
            messages.c.turn_id != without_turn,
            or_(*(body.icontains(term, autoescape=True) for term in terms)),
        )
        .order_by(messages.c.created_at.desc(), literal_column("message.rowid").desc())
        .limit(_LOOKED_AT)
    )
