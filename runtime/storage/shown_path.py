"""The path of a conversation that is shown, with the versions beside it, read in one transaction.

Always: a row that cannot be read is left as a gap in its place; it never hides the others.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sqlalchemy import Connection, Row, Text, literal_column, select, type_coerce

from runtime.core.codec import message_from_json, verdict_from_json
from runtime.core.json import JsonObject
from runtime.core.messages import Message, MessageStatus, Versions
from runtime.core.verdicts import Verdict
from runtime.storage.schema import conversation as conversations
from runtime.storage.schema import message as messages
from runtime.storage.schema import verdict as verdicts

AnyRow: TypeAlias = Row[Any]  # the columns are named where they are selected
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathMessage:
    """A message on the shown path; `message` is None where the row cannot be read."""

    id: str
    turn_id: str
    role: str
    status: MessageStatus
    message: Message | None
    versions: Versions = field(default_factory=Versions)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPath:
    """What is known of a conversation: its path, the verdicts with their turns, the unsent draft."""

    messages: tuple[PathMessage, ...] = ()
    verdicts: tuple[tuple[str, Verdict], ...] = ()
    draft: str = ""


def read_path(connection: Connection, conversation_id: str) -> StoredPath:
    """The shown path of a conversation; empty when there is no such conversation."""
    head = connection.execute(
        select(conversations.c.head_id, conversations.c.draft).where(conversations.c.id == conversation_id)
    ).one_or_none()
    if head is None:
        return StoredPath()
    rows = connection.execute(
        select(
            messages.c.id,
            messages.c.parent_id,
            messages.c.turn_id,
            messages.c.role,
            messages.c.status,
            type_coerce(messages.c.body, Text).label("body"),  # decoded row by row: one may be broken
        )
        .where(messages.c.conversation_id == conversation_id)
        .order_by(messages.c.created_at, literal_column("rowid"))
    ).all()
    families: dict[tuple[str | None, str], list[str]] = {}
    for row in rows:
        families.setdefault((row.parent_id, row.role), []).append(row.id)
    path = [_message(row, families) for row in to_root(rows, head.head_id)]
    return StoredPath(
        messages=tuple(reversed(path)), verdicts=tuple(_verdicts(connection, conversation_id)), draft=head.draft
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a turn stands in the tree: the person's message, and the versions of message and answer."""

    message_id: str
    questions: Versions
    answers: Versions


def read_place(connection: Connection, conversation_id: str, turn_id: str, message_id: str) -> Place | None:
    """The place of a turn; `message_id` helps where an answer left nothing behind. Reads no bodies: it is asked after every turn."""
    rows = connection.execute(
        select(messages.c.id, messages.c.parent_id, messages.c.role, messages.c.turn_id)
        .where(messages.c.conversation_id == conversation_id)
        .order_by(messages.c.created_at, literal_column("rowid"))
    ).all()
    by_id = {row.id: row for row in rows}
    families: dict[tuple[str | None, str], list[str]] = {}
    for row in rows:
        families.setdefault((row.parent_id, row.role), []).append(row.id)
    of_turn = [row for row in rows if row.turn_id == turn_id]
    answer = next((row for row in of_turn if row.role == "assistant"), None)
    question = by_id.get(answer.parent_id) if answer is not None else by_id.get(message_id)
    question = question or next((row for row in of_turn if row.role == "user"), None)
    if question is None or question.role != "user":
        return None
    siblings = families[question.parent_id, question.role]
    answers = families.get((question.id, "assistant"), [])
    shown = answers.index(answer.id) if answer is not None and answer.id in answers else max(0, len(answers) - 1)
    return Place(
        message_id=question.id,
        questions=Versions(ids=tuple(siblings), shown=siblings.index(question.id)),
        answers=Versions(ids=tuple(answers), shown=shown),
    )


def to_root(rows: Sequence[Any], head: str | None) -> Iterator[AnyRow]:
    """The rows from the head up; a ring in broken data ends it."""
    by_id = {row.id: row for row in rows}
    while head is not None and (row := by_id.pop(head, None)) is not None:
        yield row
        head = row.parent_id


def readable(row: AnyRow) -> Message | None:
    """The message of a row whose `body` is plain text; None when it cannot be read, which is logged."""
    try:
        return message_from_json(json.loads(row.body))
    except ValueError:
        logger.warning("message %s cannot be read", row.id)
        return None


def _message(row: AnyRow, families: dict[tuple[str | None, str], list[str]]) -> PathMessage:
    siblings = families[row.parent_id, row.role]
    return PathMessage(
        id=row.id,
        turn_id=row.turn_id,
        role=row.role,
        status=row.status,
        message=readable(row),
        versions=Versions(ids=tuple(siblings), shown=siblings.index(row.id)),
    )


def _verdicts(connection: Connection, conversation_id: str) -> Iterator[tuple[str, Verdict]]:
    rows = connection.execute(
        select(verdicts.c.turn_id, verdicts.c.id, type_coerce(verdicts.c.body, Text).label("body"))
        .where(verdicts.c.conversation_id == conversation_id)
        .order_by(verdicts.c.id)
    ).all()
    for row in rows:
        try:
            body: JsonObject = {**json.loads(row.body), "id": row.id}
            yield row.turn_id, verdict_from_json(body)
        except (TypeError, ValueError):
            logger.warning("verdict %s cannot be read", row.id)
