"""Messages of a conversation, the same for every provider.

A conversation is a tree of messages; what a model sees is one path through it. Opaque data that a vendor wants back unchanged
(signatures of reasoning blocks, of calls) stays on the part it came with, together with the provider that made it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, assert_never

from runtime.core.json import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """Visible text. `signature` is opaque (Gemini signs text parts too)."""

    kind: Literal["text"] = "text"
    text: str
    signature: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingPart:
    """Reasoning. It goes back only to the provider that signed it; `redacted` is the vendor's encrypted form, without readable text."""

    kind: Literal["thinking"] = "thinking"
    text: str
    signature: str | None = None
    redacted: str | None = None
    provider: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call that the model asked for. Exactly one of `args` and `parse_error` is set: malformed JSON is never run."""

    kind: Literal["tool_call"] = "tool_call"
    id: str
    name: str
    args: JsonObject | None = None
    parse_error: str | None = None
    signature: str | None = None


AssistantPart: TypeAlias = TextPart | ThinkingPart | ToolCall

# withdrawn: a guard took an answer back; it stays in the record, nobody reads it as an answer
MessageStatus: TypeAlias = Literal["streaming", "complete", "stopped", "failed", "withdrawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage:
    """What the person wrote. `context` is a stored line of time and market date that the model sees after the text."""

    role: Literal["user"] = "user"
    text: str
    context: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantMessage:
    """What the model answered, as the parts came."""

    role: Literal["assistant"] = "assistant"
    parts: tuple[AssistantPart, ...] = field(default_factory=tuple)
    model: str = ""

    @property
    def text(self) -> str:
        """The visible text."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def thinking(self) -> str:
        """The readable reasoning."""
        return "".join(part.text for part in self.parts if isinstance(part, ThinkingPart))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolMessage:
    """The result of one call, as the model reads it (the JSON of the envelope)."""

    role: Literal["tool"] = "tool"
    call_id: str
    name: str
    content: str
    ok: bool


Message: TypeAlias = UserMessage | AssistantMessage | ToolMessage


def text_of(message: Message) -> str:
    """Everything in a message that a model reads, for measuring it."""
    match message:
        case UserMessage():
            return message.text + message.context
        case AssistantMessage():
            return message.text + message.thinking + "".join(f"{call.name}{call.args}" for call in message.calls)
        case ToolMessage():
            return message.content
        case _:
            assert_never(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one or several model calls. `input` counts fresh tokens only; cached ones are apart. None = not reported."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float | None = None
    estimated: bool = False

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.input + self.output + self.cache_read + self.cache_write

    def __add__(self, other: Usage) -> Usage:
        cost = None if self.cost is None and other.cost is None else (self.cost or 0.0) + (other.cost or 0.0)
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            cost=cost,
            estimated=self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """Siblings of one message, the oldest first, and which of them is shown (from 0)."""

    ids: tuple[str, ...] = ()
    shown: int = 0

    def stepped(self, step: int) -> str:
        """The sibling so many steps away, around the ends."""
        return self.ids[(self.shown + step) % len(self.ids)]
