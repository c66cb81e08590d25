"""What a model sees of a conversation: the stored path with every call answered.

A crash, a stop or a denied write can leave calls without a result, or a result without its call; APIs refuse both. The repair is made on
the copy that is sent, the stored messages stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runtime.core.messages import AssistantMessage, Message, TextPart, ToolCall, ToolMessage, UserMessage
from runtime.storage.conversations import StoredMessage


def model_history(path: Iterable[StoredMessage]) -> list[Message]:
    """The messages of a path for a model; answers of failed turns, and those that were taken back, are left out."""
    return [stored.message for stored in path if stored.status not in ("failed", "withdrawn")]


def repaired(messages: Sequence[Message], aborted: str) -> tuple[Message, ...]:
    """Pair every call with a result and drop results without a call and assistant messages without content.

    Results are looked for right behind their calls only: some servers use the same call ids in every round.

    Args:
        messages: oldest first.
        aborted: the content of a result that is missing (the envelope's JSON).
    """
    result: list[Message] = []
    for index, message in enumerate(messages):
        match message:
            case AssistantMessage():
                if message.calls or message.text.strip():
                    result.append(message)
                    answers = _answers(messages, index + 1)
                    result += [answers.get(call.id) or _missing(call, aborted) for call in message.calls]
            case UserMessage():
                result.append(message)
            case ToolMessage():
                pass  # entered behind its call
    return tuple(result)


def _answers(messages: Sequence[Message], start: int) -> dict[str, ToolMessage]:
    """The results that stand between an assistant message and whatever comes next."""
    found: dict[str, ToolMessage] = {}
    for message in messages[start:]:
        if not isinstance(message, ToolMessage):
            break
        found[message.call_id] = message
    return found


def _missing(call: ToolCall, content: str) -> ToolMessage:
    return ToolMessage(call_id=call.id, name=call.name, content=content, ok=False)


def text_message(text: str, model: str) -> AssistantMessage:
    """An assistant message with one text."""
    return AssistantMessage(parts=(TextPart(text=text),), model=model)
