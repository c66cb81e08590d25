"""The history of a model after a compaction: what stands in for the old messages, then the recent ones as they are.

The record is data of the program: it is marked as such, and stands beside the text of the person, not in it. Nothing that looks for what
the person said finds it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from runtime.agent.history import model_history, text_message
from runtime.core.compaction import CompactionRecord
from runtime.core.messages import Message, UserMessage
from runtime.storage.compactions import StoredCompaction
from runtime.storage.conversations import StoredMessage
from runtime.texts import Texts

STAND_INS: Final = 2  # messages that take the place of the old ones
_SECTIONS: Final = ("constraints", "stocks", "files", "fragments", "archives")
_GIVEN_UP: Final = ("fragments", "files", "stocks", "constraints")  # in this order, where the room is too small


def stand_ins(record: CompactionRecord, texts: Texts) -> list[Message]:
    """The messages that take the place of the old ones."""
    parts = [texts("agent.compaction_head", count=record.covered)]
    if record.summary:
        parts.append(texts("agent.compaction_summary", text=record.summary))
    if record.question:
        parts.append(texts("agent.compaction_question", text=record.question))
    for name in _SECTIONS:
        lines = getattr(record, name)
        if lines:
            parts.append(texts(f"agent.compaction_{name}", lines="\n".join(f"- {line}" for line in lines)))
    return [UserMessage(text="", context="\n\n".join(parts)), text_message(texts("agent.compaction_understood"), "")]


def smaller(record: CompactionRecord) -> CompactionRecord | None:
    """The record without the oldest item that matters least; None when there is nothing to leave out."""
    for name in _GIVEN_UP:
        lines: tuple[str, ...] = getattr(record, name)
        if lines:
            return replace(record, **{name: lines[1:]})  # type: ignore[arg-type]
    return None


def resumed(
    path: Sequence[StoredMessage], compactions: Iterable[StoredCompaction], texts: Texts
) -> tuple[CompactionRecord | None, list[Message]]:
    """The record of the newest compaction on a path, and the history of a model that begins with it.

    Args:
        path: the stored messages, the oldest first.
        compactions: those of the conversation, on all of its paths.
        texts: how the record is told.
    """
    places = {stored.id: at for at, stored in enumerate(path)}
    on_path = [(places[item.message_id], item.record) for item in compactions if item.message_id in places]
    if not on_path:
        return None, model_history(path)
    at, record = max(reversed(on_path), key=lambda item: item[0])  # the newest of several at one message
    return record, [*stand_ins(record, texts), *model_history(path[at + 1 :])]


def last_covered(path: Sequence[StoredMessage], tail: Sequence[Message]) -> str | None:
    """The id of the stored message before the first of the recent ones; None when there is none.

    Messages that are in only one of the two (a nudge of the program, an answer that failed) are passed over.
    """
    first = len(path)
    for message in reversed(tail):
        first = next((at for at in range(first - 1, -1, -1) if path[at].message == message), first)
    return path[first - 1].id if 0 < first < len(path) else None
