"""Conversations: trees of messages, written before and while a turn runs.

Always: a message is stored before anything depends on it; the head of a conversation is the last message of the path that is shown; a
message with status `streaming` whose turn is no longer running is what a crash left behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from sqlalchemy import Connection, Row, Text, func, insert, literal_column, select, type_coerce, update

from runtime.clock import Clock
from runtime.core.codec import to_json
from runtime.core.ids import new_id
from runtime.core.json import JsonObject
from runtime.core.messages import Message, MessageStatus
from runtime.storage.engine import Database
from runtime.storage.schema import conversation as conversations
from runtime.storage.schema import message as messages
from runtime.storage.shown_path import AnyRow, readable, to_root

TITLE_LENGTH = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation without its messages. `pending_question` waits for the person's next message."""

    id: str
    title: str
    created_at: datetime
    updated_at: datetime
    head_id: str | None
    pending_question: str | None
    draft: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """A message with its place in the tree."""

    id: str
    conversation_id: str
    parent_id: str | None
    turn_id: str
    status: MessageStatus
    created_at: datetime
    message: Message


class ConversationStore:
    """Reads and writes conversations.

    Args:
        database: where they live.
        clock: dates them.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def open(self, conversation_id: str | None, first_text: str) -> Conversation:
        """The conversation of an id, made when there is none; without an id a new one. The first text names it."""
        wanted = conversation_id or new_id()
        now = self._clock.now()

        def work(connection: Connection) -> Conversation:
            row = connection.execute(select(conversations).where(conversations.c.id == wanted)).one_or_none()
            if row is not None:
                return _conversation(row)
            title = " ".join(first_text.split())[:TITLE_LENGTH]
            connection.execute(insert(conversations).values(id=wanted, title=title, created_at=now, updated_at=now))
            return _conversation(connection.execute(select(conversations).where(conversations.c.id == wanted)).one())

        return await self._database.run(work)

    async def recent(self, limit: int = 50, search: str = "") -> tuple[Conversation, ...]:
        """Conversations that are not deleted, the last used first; with `search` those whose title contains it."""
        statement = (
            select(conversations)
            .where(conversations.c.deleted_at.is_(None), conversations.c.title.contains(search, autoescape=True))
            .order_by(conversations.c.updated_at.desc())
            .limit(limit)
        )
        rows = await self._database.run(lambda connection: connection.execute(statement).all())
        return tuple(_conversation(row) for row in rows)

    async def get(self, conversation_id: str) -> Conversation | None:
        """A conversation by its id."""
        statement = select(conversations).where(conversations.c.id == conversation_id)
        row = await self._database.run(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else _conversation(row)

    async def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation another title."""
        await self._set(conversation_id, title=title)

    async def delete(self, conversation_id: str) -> None:
        """Put a conversation out of sight; `restore` brings it back."""
        await self._set(conversation_id, deleted_at=self._clock.now())

    async def restore(self, conversation_id: str) -> None:
        """Bring a deleted conversation back."""
        await self._set(conversation_id, deleted_at=None)

    async def save_draft(self, conversation_id: str, draft: str) -> None:
        """Keep what the person typed and has not sent."""
        await self._set(conversation_id, draft=draft)

    async def show_branch(self, conversation_id: str, message_id: str) -> None:
        """Make the newest path through a message the one that is shown."""

        def work(connection: Connection) -> None:
            head: str | None = message_id
            while (child := self._newest_child(connection, str(head))) is not None:
                head = child
            connection.execute(update(conversations).where(conversations.c.id == conversation_id).values(head_id=head))

        await self._database.run(work)

    def _newest_child(self, connection: Connection, message_id: str) -> str | None:
        statement = (
            select(messages.c.id)
            .where(messages.c.parent_id == message_id)
            .order_by(messages.c.created_at.desc(), literal_column("rowid").desc())
            .limit(1)
        )
        return connection.execute(statement).scalar_one_or_none()

    async def _set(self, conversation_id: str, **values: object) -> None:
        statement = update(conversations).where(conversations.c.id == conversation_id).values(**values)
        await self._database.run(lambda connection: connection.execute(statement).rowcount)

    async def append(
        self,
        conversation_id: str,
        parent_id: str | None,
        turn_id: str,
        message: Message,
        status: MessageStatus = "complete",
    ) -> StoredMessage:
        """Store a message below its parent and make it the head."""
        stored = StoredMessage(
            id=new_id(),
            conversation_id=conversation_id,
            parent_id=parent_id,
            turn_id=turn_id,
            status=status,
            created_at=self._clock.now(),
            message=message,
        )
        body = to_json(message)

        def work(connection: Connection) -> None:
            connection.execute(
                insert(messages).values(
                    id=stored.id,
                    conversation_id=conversation_id,
                    parent_id=parent_id,
                    turn_id=turn_id,
                    role=message.role,
                    status=status,
                    body=body,
                    created_at=stored.created_at,
                )
            )
            connection.execute(
                update(conversations)
                .where(conversations.c.id == conversation_id)
                .values(head_id=stored.id, updated_at=stored.created_at)
            )

        await self._database.run(work)
        return stored

    async def rewrite(self, message_id: str, message: Message, status: MessageStatus) -> None:
        """Replace the body of a message that is still being written."""
        statement = update(messages).where(messages.c.id == message_id).values(body=to_json(message), status=status)
        await self._database.run(lambda connection: connection.execute(statement).rowcount)

    async def path(self, conversation_id: str) -> tuple[StoredMessage, ...]:
        """The messages from the first to the head; one that cannot be read is left out, and in the log."""

        def work(connection: Connection) -> tuple[StoredMessage, ...]:
            head = connection.execute(
                select(conversations.c.head_id).where(conversations.c.id == conversation_id)
            ).scalar_one_or_none()
            body = type_coerce(messages.c.body, Text).label("body")  # decoded row by row: one may be broken
            others = [column for column in messages.c if column.name != "body"]
            rows = connection.execute(select(*others, body).where(messages.c.conversation_id == conversation_id)).all()
            path = [(row, readable(row)) for row in to_root(rows, head)]
            return tuple(_stored(row, message) for row, message in reversed(path) if message is not None)

        return await self._database.read(work)

    async def close_interrupted(self, conversation_id: str) -> int:
        """Mark what a crash left behind as stopped; returns how many messages. Only for a conversation without a running turn."""
        statement = (
            update(messages)
            .where(messages.c.conversation_id == conversation_id, messages.c.status == "streaming")
            .values(status="stopped")
        )
        return await self._database.run(lambda connection: connection.execute(statement).rowcount)

    async def set_pending_question(self, conversation_id: str, question: str | None) -> None:
        """Remember a question of the agent that the next message answers, or forget it."""
        value: JsonObject | None = None if question is None else {"question": question}
        await self._set(conversation_id, pending_question=value)

    async def count(self) -> int:
        """How many conversations there are."""
        statement = select(func.count()).select_from(conversations).where(conversations.c.deleted_at.is_(None))
        return await self._database.run(lambda connection: connection.execute(statement).scalar_one())


def _conversation(row: Row[tuple[object, ...]]) -> Conversation:
    pending = cast("JsonObject | None", row.pending_question)
    return Conversation(
        id=row.id,
        title=row.title,
        created_at=row.created_at,
        updated_at=row.updated_at,
        head_id=row.head_id,
        pending_question=None if pending is None else str(pending["question"]),
        draft=row.draft,
    )


def _stored(row: AnyRow, message: Message) -> StoredMessage:
    return StoredMessage(
        id=row.id,
        conversation_id=row.conversation_id,
        parent_id=row.parent_id,
        turn_id=row.turn_id,
        status=row.status,
        created_at=row.created_at,
        message=message,
    )
