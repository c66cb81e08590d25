"""From the JSON objects of a stream to chunks.

Always: text and reasoning leave as they come; calls leave only when the answer has ended properly, whole, and in order; what the model
asked for is decided by what it sent, not by the reason that it gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from runtime.core.json import JsonObject, JsonValue
from runtime.core.messages import Usage
from runtime.providers.base import (
    Chunk,
    FinishChunk,
    FinishReason,
    TextChunk,
    ThinkingChunk,
    ToolCallChunk,
    ToolSchema,
    UsageChunk,
)
from runtime.providers.openai_compatible.calls import CallAccumulator, RawCall
from runtime.providers.openai_compatible.details import SignedReasoning
from runtime.providers.openai_compatible.parts import reasoning_of, split_content
from runtime.providers.openai_compatible.text_calls import CallHider
from runtime.providers.openai_compatible.think_tags import Piece, ThinkTags
from runtime.providers.openai_compatible.usage import usage_of
from runtime.providers.wire.arguments import read_arguments
from runtime.providers.wire.call_ids import new_call_id
from runtime.providers.wire.problems import Break, EndpointFailure, Refusal
from runtime.providers.wire.surrogates import SurrogateJoiner

_LENGTH: Final = ("length", "max_tokens", "model_length", "max_output_tokens")
_BLOCKED: Final = ("content_filter", "safety", "sensitive", "recitation", "prohibited_content")
_FAILED: Final = ("error", "insufficient_system_resource", "network_error")  # OpenRouter, DeepSeek, GLM


class StreamAssembler:
    """Assembles one answer.

    Args:
        tools: the tools that the request offered; calls written as text count only when they name one of these.
    """

    def __init__(self, tools: tuple[ToolSchema, ...]) -> None:
        self._calls = CallAccumulator()
        self._text = SurrogateJoiner()
        self._thinking = SurrogateJoiner()
        self._signed = SignedReasoning()
        self._tags = ThinkTags()
        self._hider = CallHider({tool.name: tool.parameters for tool in tools})
        self._visible = False
        self._reason = ""
        self._usage: Usage | None = None
        self.received: list[str] = []

    @property
    def has_usage(self) -> bool:
        """Whether the server counted tokens."""
        return self._usage is not None

    def feed(self, item: JsonObject) -> Iterator[Chunk]:
        """The chunks that an object of the stream brings."""
        choices = item.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(choice, dict):
            delta = choice.get("delta")
            if isinstance(delta, dict):
                yield from self._delta(delta)
            reason = choice.get("finish_reason")
            if isinstance(reason, str) and reason:
                self._reason = reason.lower()
        usage = usage_of(item)
        if usage is not None and usage != self._usage:
            self._usage = usage
            yield UsageChunk(usage=usage)

    def finish(self, *, done: bool) -> Iterator[Chunk]:
        """The last chunks.

        Args:
            done: the server said that it is done.

        Raises:
            EndpointFailure: the answer broke off, or there is none.
        """
        yield from self._thinking_chunk(self._thinking.flush())
        if signature := self._signed.signature:
            yield ThinkingChunk(text="", signature=signature)
        yield from self._pieces([*self._tags.feed(self._text.flush()), *self._tags.flush()])
        yield from self._text_chunk(self._hider.flush())
        reason = self._outcome(done=done)
        calls = self._finished_calls() if reason == "stop" else ()
        if not self._reason and any(call.args is None for call in calls):
            raise EndpointFailure(Break(kind="incomplete"))
        if not calls and not self._visible:
            self._explain_silence(reason)
        yield from calls
        yield FinishChunk(reason="tool_calls" if calls else reason)

    def _delta(self, delta: JsonObject) -> Iterator[Chunk]:
        yield from self._thinking_chunk(self._thinking.feed(reasoning_of(delta)))
        self._signed.feed(delta.get("reasoning_details"))
        content = split_content(delta.get("content"))
        yield from self._thinking_chunk(self._thinking.feed(content.thinking))
        refusal = delta.get("refusal")
        text = content.text + (refusal if isinstance(refusal, str) else "")
        if text:
            yield from self._pieces(self._tags.feed(self._text.feed(text)))
        calls: JsonValue = delta.get("tool_calls")
        if isinstance(calls, dict):
            calls = [calls]
        if isinstance(calls, list):
            self._calls.feed(calls)
        legacy = delta.get("function_call")
        if isinstance(legacy, dict):
            self._calls.feed([{"index": 0, "function": legacy}])

    def _pieces(self, pieces: list[Piece]) -> Iterator[Chunk]:
        for piece in pieces:
            if piece.thinking:
                yield from self._thinking_chunk(piece.text)
            else:
                yield from self._text_chunk(self._hider.feed(piece.text))

    def _thinking_chunk(self, text: str) -> Iterator[Chunk]:
        if text:
            self.received.append(text)
            yield ThinkingChunk(text=text)

    def _text_chunk(self, text: str) -> Iterator[Chunk]:
        if text:
            self.received.append(text)
            self._visible = self._visible or not text.isspace()
            yield TextChunk(text=text)

    def _outcome(self, *, done: bool) -> FinishReason:
        """Why the answer ended, before its calls are looked at."""
        if not self._reason:
            # Some gateways never give a reason; the mark at the end then shows that nothing was cut off.
            if not done or not (self.received or self._calls or self._hider.hid):
                raise EndpointFailure(Break(kind="incomplete"))
            return "stop"
        if self._reason in _FAILED:
            raise EndpointFailure(Refusal(status=0, message=f"finish_reason {self._reason}", started=True))
        if self._reason in _LENGTH:
            return "length"
        return "blocked" if self._reason in _BLOCKED else "stop"

    def _explain_silence(self, reason: FinishReason) -> None:
        """An answer without text and calls is left to the runtime, which asks again, unless it is known what became of it.

        Raises:
            EndpointFailure: reasoning took all the room, or the answer was a call that cannot be read or names no tool.
        """
        if reason == "length" and not self._calls and not self._hider.hid:
            raise EndpointFailure(Break(kind="no_room"))
        if reason == "stop" and self._hider.hid:
            raise EndpointFailure(Break(kind="bad_call"))

    def _finished_calls(self) -> tuple[ToolCallChunk, ...]:
        raw = self._calls.finished()
        if any(not call.name for call in raw):
            raise EndpointFailure(Break(kind="incomplete"))
        if not raw:
            raw = tuple(
                RawCall(id=new_call_id(), name=call.name, arguments=call.arguments) for call in self._hider.calls
            )
        return tuple(_chunk(call) for call in raw)


def _chunk(call: RawCall) -> ToolCallChunk:
    arguments = read_arguments(call.arguments)
    return ToolCallChunk(id=call.id, name=call.name, args=arguments.args, parse_error=arguments.error)
