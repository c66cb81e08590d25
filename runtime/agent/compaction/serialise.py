"""Old messages as plain text for the model that sums them up: one line a message, tools in square brackets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from runtime.agent.compaction.shrink import shrunk
from runtime.core.json import dumps
from runtime.core.messages import AssistantMessage, Message, ToolMessage, UserMessage
from runtime.providers.tokens import estimate_tokens

_USER_LENGTH: Final = 2_000  # characters; the rest is in the archive
_CONTEXT_LENGTH: Final = 200
_ASSISTANT_LENGTH: Final = 1_200
_ARGS_LENGTH: Final = 200
_LEFT_OUT: Final = "[…]"


def serialised(messages: Sequence[Message], room: float, model: str = "") -> str:
    """The messages as text of at most `room` tokens; where there are more, the oldest are left out."""
    lines = [line for message in messages for line in _lines(message)]
    kept: list[str] = []
    for line in reversed(lines):
        room -= estimate_tokens(line, model) + 1
        if room < 0:
            kept.append(_LEFT_OUT)
            break
        kept.append(line)
    return "\n".join(reversed(kept))


def _lines(message: Message) -> Iterator[str]:
    match message:
        case UserMessage(text=text, context=context):
            yield f"[user] {_clipped(text, _USER_LENGTH)}{_clipped(context, _CONTEXT_LENGTH)}"
        case AssistantMessage():
            if message.text.strip():
                yield f"[assistant] {_clipped(message.text, _ASSISTANT_LENGTH)}"
            for call in message.calls:
                args = dumps(call.args or {})
                yield f"[assistant:tool_call] {call.name}({_clipped(args, _ARGS_LENGTH)})"
        case ToolMessage():
            yield f"[tool:{message.name}] {shrunk(message)}"
        case _:
            assert_never(message)


def _clipped(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length] + "…"
