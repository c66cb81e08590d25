"""How a turn begins: what the person sent finds its place in the tree of the conversation, before anything runs.

A new message hangs under the last one; an edited one becomes a sibling of the old; a message that is answered again is not stored twice.
Nothing is ever overwritten.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime

from runtime.agent.compaction.rebuild import resumed
from runtime.agent.turn import TurnRequest
from runtime.core.compaction import CompactionRecord
from runtime.core.messages import Message, UserMessage
from runtime.errors import UserError
from runtime.skills.library import SkillLibrary
from runtime.storage.compactions import CompactionStore
from runtime.storage.conversations import ConversationStore, StoredMessage
from runtime.texts import Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A turn that is ready to run.

    Attributes:
        message: the message of the person that is answered.
        head_id: its id; the answer hangs under it.
        history: what came before it, as a model sees it.
        compacted: what the first two messages of the history tell, where they stand in for older ones.
    """

    message: UserMessage
    head_id: str
    history: list[Message]
    compacted: CompactionRecord | None = None


async def open_turn(
    request: TurnRequest,
    conversation_id: str,
    conversations: ConversationStore,
    compactions: CompactionStore,
    texts: Texts,
    now: datetime,
    skills: SkillLibrary,
) -> Opening:
    """Store the message of a request, or find the one that is answered again; a skill that it begins with is spelt out for the model.

    Raises:
        UserError: there is nothing to send, or the message is not in the conversation.
    """
    await conversations.close_interrupted(conversation_id)
    path = await conversations.path(conversation_id)
    known = await compactions.of(conversation_id)
    if request.answer_to is not None:
        at = _position(path, request.answer_to)
        message = path[at].message
        if not isinstance(message, UserMessage):
            raise UserError("agent.no_such_message")
        record, history = resumed(path[:at], known, texts)
        return Opening(message=message, head_id=path[at].id, history=history, compacted=record)
    if not request.text.strip():
        raise UserError("agent.empty_text")
    before = path if request.edit_of is None else path[: _position(path, request.edit_of)]
    context = texts("agent.context_line", now=f"{now:%Y-%m-%d %H:%M}")
    typed = await asyncio.to_thread(skills.typed, request.text)
    if typed is not None:
        skill, said = typed
        context = f"{texts('agent.skill_typed', name=skill.name)}\n{skill.instructions(said)}\n\n{context}"
    message = UserMessage(text=request.text, context=context)
    parent = before[-1].id if before else None
    stored = await conversations.append(conversation_id, parent, request.turn_id, message)
    record, history = resumed(before, known, texts)
    return Opening(message=message, head_id=stored.id, history=history, compacted=record)


def _position(path: tuple[StoredMessage, ...], message_id: str) -> int:
    """Where a message stands on the path."""
    for index, stored in enumerate(path):
        if stored.id == message_id:
            return index
    raise UserError("agent.no_such_message")
