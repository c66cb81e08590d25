"""One streamed answer: chunks in, events and stored text on the way, tokens counted even when it breaks off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import cast

from runtime.agent.counting import count_usage
from runtime.agent.draft import Draft
from runtime.agent.turn import TurnState
from runtime.clock import Clock
from runtime.core.events import StreamReset, TextDelta, Thinking, ThinkingDelta
from runtime.core.messages import Usage
from runtime.core.tasks import to_the_end
from runtime.providers.base import (
    Chunk,
    FinishChunk,
    FinishReason,
    LLMProvider,
    ModelRequest,
    ProviderError,
    TextChunk,
    ThinkingChunk,
    ToolCallChunk,
    UsageChunk,
)
from runtime.settings import Settings
from runtime.storage.usage import UsageStore


class StreamReader:
    """Reads the answers of the models of one turn.

    Args:
        turn: where events go.
        usage: where tokens are counted.
        settings: time-outs.
        clock: measures reasoning.
    """

    def __init__(self, turn: TurnState, usage: UsageStore, settings: Settings, clock: Clock) -> None:
        self._turn = turn
        self._usage = usage
        self._settings = settings
        self._clock = clock

    async def read(self, provider: LLMProvider, request: ModelRequest, draft: Draft) -> FinishReason:
        """Take the chunks of one answer in order; returns why the model stopped.

        Raises:
            ProviderError: the answer broke off, never came, or is empty because it was blocked.
        """
        usage: list[Usage] = []
        try:
            reason = await self._consume(provider, request, draft, usage)
        finally:
            if usage:
                await to_the_end(count_usage(self._turn, self._usage, provider.name, usage[-1]))
        if reason is None:
            raise ProviderError("incomplete", retryable=True, model=provider.name)
        if reason == "blocked" and not draft.message.text.strip():
            raise ProviderError("blocked", variant="silent", model=provider.name)
        return reason

    async def _consume(
        self, provider: LLMProvider, request: ModelRequest, draft: Draft, usage: list[Usage]
    ) -> FinishReason | None:
        turn, reason = self._turn, None
        thinking = _ThinkingSpan(self._clock)
        async with aclosing(cast("ChunkStream", provider.stream(request))) as chunks:
            while (chunk := await self._next(provider, chunks, visible=draft.visible)) is not None:
                if not isinstance(chunk, UsageChunk | FinishChunk) and draft.begin(provider.name):
                    turn.partial_text = draft.message.text
                    turn.emit(StreamReset())
                    if turn.partial_text:
                        turn.emit(TextDelta(text=turn.partial_text))
                match chunk:
                    case TextChunk():
                        thinking.end(turn, draft)
                        draft.add(chunk)
                        turn.partial_text += chunk.text
                        if chunk.text:
                            turn.emit(TextDelta(text=chunk.text))
                    case ThinkingChunk():
                        draft.add(chunk)
                        if chunk.text:
                            thinking.begin()
                            turn.emit(ThinkingDelta(text=chunk.text))
                    case ToolCallChunk():
                        thinking.end(turn, draft)
                        draft.add(chunk)
                    case UsageChunk():
                        usage.append(chunk.usage)
                    case FinishChunk():
                        reason = chunk.reason
        thinking.end(turn, draft)
        return reason

    async def _next(self, provider: LLMProvider, chunks: AsyncIterator[Chunk], *, visible: bool) -> Chunk | None:
        """The next chunk; None at the end. A silence longer than the idle time-out is a time-out of the provider."""
        idle = self._settings.stream_idle_timeout_s
        if not visible and provider.capabilities.reasoning:
            idle = self._settings.reasoning_idle_timeout_s
        try:
            async with asyncio.timeout(self._turn.deadline.cut(idle)):
                return await anext(chunks, None)
        except TimeoutError:
            raise ProviderError("timeout", retryable=True, model=provider.name, seconds=round(idle)) from None


class ChunkStream(AsyncIterator[Chunk]):
    """What `aclosing` needs: providers stream from async generators."""

    async def aclose(self) -> None:
        """Close the connection."""


class _ThinkingSpan:
    """Measures one stretch of reasoning and announces it when it ends."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since: float | None = None

    def begin(self) -> None:
        """Reasoning goes on."""
        if self._since is None:
            self._since = self._clock.monotonic()

    def end(self, turn: TurnState, draft: Draft) -> None:
        """Reasoning is over, if there was any."""
        if self._since is None:
            return
        duration = int((self._clock.monotonic() - self._since) * 1000)
        self._since = None
        turn.emit(Thinking(text=draft.message.thinking, duration_ms=duration))
