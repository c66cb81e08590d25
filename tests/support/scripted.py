"""A model that says what a test wrote down, and fails the test when it is asked more or less often."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from runtime.core.ids import new_id
from runtime.core.json import JsonObject
from runtime.core.messages import Usage
from runtime.providers.base import (
    Capabilities,
    Chunk,
    FinishChunk,
    FinishReason,
    ModelRequest,
    ProviderError,
    TextChunk,
    ThinkingChunk,
    ToolCallChunk,
    UsageChunk,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hang:
    """Wait until the stream is closed; `reached` is set when the model gets here."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)


Item: TypeAlias = Chunk | ProviderError | Hang
Reply: TypeAlias = Sequence[Item]


def say(text: str, *, reason: FinishReason = "stop") -> Reply:
    """A plain answer in pieces."""
    middle = len(text) // 2
    return (TextChunk(text=text[:middle]), TextChunk(text=text[middle:]), FinishChunk(reason=reason))


def think_and_say(thought: str, text: str) -> Reply:
    """Reasoning, then an answer, with usage."""
    usage = Usage(input=10, output=5, cache_read=2)
    return (ThinkingChunk(text=thought), TextChunk(text=text), UsageChunk(usage=usage), FinishChunk(reason="stop"))


def call(
    name: str, args: JsonObject | None = None, *, call_id: str | None = None, error: str | None = None
) -> ToolCallChunk:
    """One tool call."""
    wanted = None if error is not None else (args or {})
    return ToolCallChunk(id=call_id or new_id(), name=name, args=wanted, parse_error=error)


def calls(*chunks: ToolCallChunk, text: str = "") -> Reply:
    """A message of tool calls."""
    said: tuple[Item, ...] = (TextChunk(text=text),) if text else ()
    return (*said, *chunks, FinishChunk(reason="tool_calls"))


class ScriptedProvider:
    """Plays replies in order and records the requests.

    Args:
        *replies: what each model call yields.
        name: under which it answers.
        capabilities: what it can do.
    """

    def __init__(self, *replies: Reply, name: str = "scripted", capabilities: Capabilities | None = None) -> None:
        self._replies = list(replies)
        self._name = name
        self._capabilities = capabilities or Capabilities()
        self.requests: list[ModelRequest] = []
        self.closed = 0

    @property
    def name(self) -> str:
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        self.requests.append(request)
        assert self._replies, "the model was called more often than the script says"
        try:
            for item in self._replies.pop(0):
                match item:
                    case ProviderError():
                        raise item
                    case Hang():
                        item.reached.set()
                        await asyncio.Event().wait()
                    case _:
                        yield item
        finally:
            self.closed += 1

    async def aclose(self) -> None:
        """Nothing to close."""

    def assert_used_up(self) -> None:
        """The script must have been played to its end."""
        assert not self._replies, f"{len(self._replies)} replies of the script were never asked for"
