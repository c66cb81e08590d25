"""One model call: request out, chunks in, events and stored text on the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import cast

from runtime.agent.draft import Draft
from runtime.agent.history import repaired
from runtime.agent.turn import TurnState
from runtime.clock import Clock
from runtime.core.events import (
    CallInfo,
    ModelStart,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolCalls,
    UsageReport,
)
from runtime.core.messages import AssistantMessage, MessageStatus, Usage, UserMessage
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
    ToolSchema,
    UsageChunk,
)
from runtime.settings import Settings
from runtime.storage.conversations import ConversationStore
from runtime.storage.usage import UsageStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model answered, and why it stopped."""

    message: AssistantMessage
    reason: FinishReason


class ModelCaller:
    """Calls one model on behalf of one turn.

    Args:
        provider: the model.
        system: the system prompt.
        schemas: the tools that it may call.
        conversations: where the answer is stored while it streams.
        usage: where tokens are counted.
        settings: time-outs.
        clock: measures reasoning.
        aborted: content of a missing tool result.
    """

    def __init__(
        self,
        *,
        provider: LLMProvider,
        system: str,
        schemas: tuple[ToolSchema, ...],
        conversations: ConversationStore,
        usage: UsageStore,
        settings: Settings,
        clock: Clock,
        aborted: str,
    ) -> None:
        self.provider = provider
        self._system = system
        self._schemas = schemas if provider.capabilities.tools else ()
        self._conversations = conversations
        self._usage = usage
        self._settings = settings
        self._clock = clock
        self._aborted = aborted

    async def call(self, turn: TurnState, *, nudge: str | None = None, tools: bool = True) -> Reply:
        """Ask the model once; the message is stored and joins the turn.

        Args:
            turn: the turn.
            nudge: a last instruction that is sent but not kept.
            tools: whether the model may call tools.

        Raises:
            ProviderError: the call failed; `turn.partial_text` holds what was visible, and it is stored.
        """
        turn.emit(ModelStart(model=self.provider.name))
        turn.partial_text = ""
        draft = Draft(turn, self._conversations, self.provider.name)
        stream = self.provider.stream(self._request(turn, nudge, tools=tools))
        try:
            async with draft.checkpointed(self._settings.checkpoint_s):
                reason = await self._consume(turn, stream, draft)
        except asyncio.CancelledError:
            await self._keep_broken(draft, "stopped")
            raise
        except ProviderError:
            await self._keep_broken(draft, "failed" if not draft.message.text.strip() else "stopped")
            raise
        if not tools:
            draft.without_calls()
        await draft.store("complete")
        message = draft.message
        if message.parts:
            turn.messages.append(message)
        if message.calls:
            calls = tuple(CallInfo(id=call.id, name=call.name, args=call.args) for call in message.calls)
            turn.emit(ToolCalls(calls=calls, text=message.text))
        return Reply(message=message, reason=reason)

    def _request(self, turn: TurnState, nudge: str | None, *, tools: bool) -> ModelRequest:
        messages = repaired(turn.messages, self._aborted)
        if nudge is not None:
            messages = (*messages, UserMessage(text=nudge))
        return ModelRequest(
            system=self._system,
            messages=messages,
            tools=self._schemas if tools else (),
            resolution=turn.resolution,
            idle_timeout_s=self._settings.stream_idle_timeout_s,
            reasoning_idle_timeout_s=self._settings.reasoning_idle_timeout_s,
            connect_timeout_s=self._settings.connect_timeout_s,
        )

    async def _consume(self, turn: TurnState, stream: AsyncIterator[Chunk], draft: Draft) -> FinishReason:
        """Take the chunks in order; returns why the model stopped."""
        usage: Usage | None = None
        reason: FinishReason | None = None
        thinking = _ThinkingSpan(self._clock)
        async with aclosing(cast("_Closable", stream)) as chunks:
            while (chunk := await self._next(turn, chunks, visible=draft.visible)) is not None:
                match chunk:
                    case TextChunk():
                        thinking.end(turn, draft)
                        draft.add(chunk)
                        turn.partial_text += chunk.text
                        if chunk.text:
                            turn.emit(TextDelta(text=chunk.text))
                    case ThinkingChunk():
                        thinking.begin()
                        draft.add(chunk)
                        if chunk.text:
                            turn.emit(ThinkingDelta(text=chunk.text))
                    case ToolCallChunk():
                        thinking.end(turn, draft)
                        draft.add(chunk)
                    case UsageChunk():
                        usage = chunk.usage
                    case FinishChunk():
                        reason = chunk.reason
        thinking.end(turn, draft)
        await self._count(turn, usage)
        if reason is None:
            raise ProviderError("incomplete", retryable=True, model=self.provider.name)
        return reason

    async def _next(self, turn: TurnState, chunks: AsyncIterator[Chunk], *, visible: bool) -> Chunk | None:
        """The next chunk; None at the end. A silence longer than the idle time-out is a time-out of the provider."""
        idle = self._settings.stream_idle_timeout_s
        if not visible and self.provider.capabilities.reasoning:
            idle = self._settings.reasoning_idle_timeout_s
        try:
            async with asyncio.timeout(turn.deadline.cut(idle)):
                return await anext(chunks, None)
        except TimeoutError:
            raise ProviderError("timeout", retryable=True, model=self.provider.name, seconds=round(idle)) from None

    async def _count(self, turn: TurnState, usage: Usage | None) -> None:
        if usage is None:
            return
        turn.usage += usage
        turn.emit(
            UsageReport(
                input=usage.input,
                output=usage.output,
                cache_read=usage.cache_read,
                cache_write=usage.cache_write,
                cost=usage.cost,
            )
        )
        await self._usage.add(
            conversation_id=turn.conversation_id,
            turn_id=turn.turn_id,
            model=self.provider.name,
            purpose="chat",
            usage=usage,
        )

    async def _keep_broken(self, draft: Draft, status: MessageStatus) -> None:
        """Store what a broken-off call left; its calls are never run."""
        draft.without_calls()
        await to_the_end(draft.store(status))


class _Closable(AsyncIterator[Chunk]):
    """What `aclosing` needs: providers stream from async generators."""

    async def aclose(self) -> None: ...


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
