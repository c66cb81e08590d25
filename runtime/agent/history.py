"""What a model sees of a conversation: the stored path with every call answered.

A crash, a stop or a denied write can leave calls without a result, or a result without its call; APIs refuse both. The repair is made on
the copy that is sent, the stored messages stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runtime.core.messages import AssistantMessage, Message, TextPart, ToolCall, ToolMessage, UserMessage
from runtime.storage.conversations import StoredMessage


def model_history(path: Iterable[StoredMessage]) -> list[Message]:
    """The messages of a path for a model; answers of failed turns are left out."""
    return [stored.message for stored in path if stored.status != "failed"]


def repaired(messages: Sequence[Message], aborted: str) -> tuple[Message, ...]:
    """Pair every call with a result and drop results without a call and assistant messages without content.

    Args:
        messages: oldest first.
        aborted: the content of a result that is missing (the envelope's JSON).
    """
    answered = {message.call_id for message in messages if isinstance(message, ToolMessage)}
    asked: set[str] = set()
    result: list[Message] = []
    waiting: list[ToolCall] = []
    for message in messages:
        if waiting and not isinstance(message, ToolMessage):
            result += [_missing(call, aborted) for call in waiting]
            waiting = []
        match message:
            case AssistantMessage():
                if not message.calls and not message.text.strip():
                    continue
                asked.update(call.id for call in message.calls)
                waiting = [call for call in message.calls if call.id not in answered]
            case ToolMessage():
                if message.call_id not in asked:
                    continue
            case UserMessage():
                pass
        result.append(message)
    result += [_missing(call, aborted) for call in waiting]
    return tuple(result)


def _missing(call: ToolCall, content: str) -> ToolMessage:
    return ToolMessage(call_id=call.id, name=call.name, content=content, ok=False)


def text_message(text: str, model: str) -> AssistantMessage:
    """An assistant message with one text."""
    return AssistantMessage(parts=(TextPart(text=text),), model=model)
