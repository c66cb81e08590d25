"""From the responses of a stream to chunks.

Always: text and thoughts leave as they come; calls leave at the end, whole and in order, and only from an answer that ended by itself. The
reason says STOP for calls too: the parts decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from runtime.core.json import JsonObject, JsonValue, table_of, words_of
from runtime.core.messages import Usage
from runtime.providers.base import Chunk, FinishChunk, FinishReason, TextChunk, ThinkingChunk, ToolCallChunk, UsageChunk
from runtime.providers.wire.arguments import read_arguments
from runtime.providers.wire.call_ids import new_call_id
from runtime.providers.wire.problems import Break, EndpointFailure, Refusal
from runtime.providers.wire.surrogates import SurrogateJoiner

_BLOCKED: Final = (
    "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION", "MODEL_ARMOR",
)  # fmt: skip
_FAILED: Final = (
    "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MISSING_THOUGHT_SIGNATURE", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    id: str
    name: str
    args: JsonObject
    signature: str | None


class ResponseAssembler:
    """Assembles one answer."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._text = SurrogateJoiner()
        self._reason = ""
        self._why = ""
        self._usage: Usage | None = None
        self.received: list[str] = []

    @property
    def has_usage(self) -> bool:
        """Whether the server counted tokens."""
        return self._usage is not None

    @property
    def ended(self) -> bool:
        """Whether everything that ends an answer has come: the reason and the counts."""
        return bool(self._reason) and self._usage is not None

    def feed(self, item: JsonObject) -> Iterator[Chunk]:
        """The chunks that a response brings.

        Raises:
            EndpointFailure: the prompt was blocked.
        """
        yield from self._counted(item.get("usageMetadata"))
        feedback = table_of(item.get("promptFeedback"))
        if blocked := words_of(feedback, "blockReason"):
            raise _blocked(blocked, words_of(feedback, "blockReasonMessage"))
        candidates = item.get("candidates")
        candidate = table_of(candidates[0] if isinstance(candidates, list) and candidates else None)
        parts = table_of(candidate.get("content")).get("parts")
        for part in parts if isinstance(parts, list) else []:
            yield from self._part(table_of(part))
        if reason := words_of(candidate, "finishReason"):
            self._reason, self._why = reason, words_of(candidate, "finishMessage")

    def finish(self) -> Iterator[Chunk]:
        """The last chunks.

        Raises:
            EndpointFailure: the answer broke off, was blocked, or the model failed.
        """
        yield from self._said(self._text.flush(), None)
        if not self._reason:
            raise EndpointFailure(Break(kind="incomplete"))
        if self._reason in _BLOCKED:
            raise _blocked(self._reason, self._why)
        if self._reason in _FAILED:
            message = f"{self._reason} {self._why}".strip()
            raise EndpointFailure(Refusal(status=0, message=message, started=True))
        calls = self._finished_calls()
        reason: FinishReason = "length" if self._reason == "MAX_TOKENS" else "stop"
        if reason == "length" and not calls and not any(text.strip() for text in self.received):
            raise EndpointFailure(Break(kind="no_room"))
        yield from calls
        yield FinishChunk(reason="tool_calls" if calls else reason)

    def _part(self, part: JsonObject) -> Iterator[Chunk]:
        signature = words_of(part, "thoughtSignature") or None
        call = part.get("functionCall")
        if isinstance(call, dict):
            self._calls.append(
                _Call(
                    id=words_of(call, "id"),
                    name=words_of(call, "name"),
                    args=table_of(call.get("args")),
                    signature=signature,
                )
            )
        elif part.get("thought") is True:
            if text := words_of(part, "text"):
                yield ThinkingChunk(text=text)
        elif "text" in part:
            yield from self._said(self._text.feed(words_of(part, "text")), signature)

    def _said(self, text: str, signature: str | None) -> Iterator[Chunk]:
        if text or signature:
            self.received.append(text)
            yield TextChunk(text=text, signature=signature)

    def _counted(self, value: JsonValue) -> Iterator[Chunk]:
        counts = table_of(value)
        prompt = _count(counts, "promptTokenCount")
        if prompt is None:
            return
        cached = min(_count(counts, "cachedContentTokenCount") or 0, prompt)
        output = (_count(counts, "candidatesTokenCount") or 0) + (_count(counts, "thoughtsTokenCount") or 0)
        usage = Usage(input=prompt - cached, output=output, cache_read=cached)
        if usage != self._usage:
            self._usage = usage
            yield UsageChunk(usage=usage)

    def _finished_calls(self) -> tuple[ToolCallChunk, ...]:
        used: set[str] = set()
        result: list[ToolCallChunk] = []
        for call in self._calls:
            call_id = call.id if call.id and call.id not in used else new_call_id()
            used.add(call_id)
            read = read_arguments(call.args)
            result.append(
                ToolCallChunk(
                    id=call_id, name=call.name, args=read.args, parse_error=read.error, signature=call.signature
                )
            )
        return tuple(result)


def _blocked(reason: str, words: str) -> EndpointFailure:
    return EndpointFailure(Refusal(status=0, code="content_filter", message=f"{reason} {words}".strip(), started=True))


def _count(table: JsonObject, name: str) -> int | None:
    value = table.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
