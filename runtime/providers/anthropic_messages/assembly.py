"""From the events of a stream to chunks.

Always: text and thinking leave as they come; calls leave at the end, whole and in order, and only from an answer that ended by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from runtime.core.json import JsonObject, JsonValue, table_of, words_of
from runtime.providers.anthropic_messages.usage import UsageCount
from runtime.providers.base import Chunk, FinishChunk, FinishReason, TextChunk, ThinkingChunk, ToolCallChunk, UsageChunk
from runtime.providers.wire.arguments import read_arguments
from runtime.providers.wire.problems import Break, EndpointFailure, Refusal
from runtime.providers.wire.surrogates import SurrogateJoiner

_REASONS: Final[dict[str, FinishReason]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "stop",  # what was asked for is decided by the blocks
    "pause_turn": "stop",
    "max_tokens": "length",
    "refusal": "blocked",
}
_WINDOW_FULL: Final = "model_context_window_exceeded"
_CUT_CALL: Final = "the call was cut off by the output limit: ask again with shorter arguments"


@dataclass(slots=True, kw_only=True)
class _Block:
    """One content block that grows."""

    raw: JsonObject
    json: str = ""
    closed: bool = False
    signed: bool = False
    said: SurrogateJoiner = field(default_factory=SurrogateJoiner)

    @property
    def kind(self) -> str:
        return str(self.raw.get("type", ""))


class MessageAssembler:
    """Assembles one answer."""

    def __init__(self) -> None:
        self._blocks: dict[int, _Block] = {}
        self._message_id: str | None = None
        self._reason = ""
        self._usage = UsageCount()
        self.received: list[str] = []

    @property
    def has_usage(self) -> bool:
        """Whether the server counted tokens."""
        return bool(self._usage)

    @property
    def ended(self) -> bool:
        """Whether the model said why it stopped; what comes after that is of no use."""
        return bool(self._reason)

    @property
    def paused(self) -> list[JsonValue] | None:
        """The blocks to send back as they are when the server paused a long turn of its own tools, else None."""
        if self._reason != "pause_turn":
            return None
        return [block.raw for _, block in sorted(self._blocks.items())]

    def feed(self, event: JsonObject) -> Iterator[Chunk]:
        """The chunks that an event brings.

        Raises:
            EndpointFailure: the event is an error, or another answer begins inside this one.
        """
        index = event.get("index")
        at = index if isinstance(index, int) else len(self._blocks)
        match event.get("type"):
            case "message_start":
                yield from self._begin(table_of(event.get("message")))
            case "content_block_start":
                yield from self._open(at, table_of(event.get("content_block")))
            case "content_block_delta":
                yield from self._extend(at, table_of(event.get("delta")))
            case "content_block_stop":
                yield from self._close(at)
            case "message_delta":
                reason = table_of(event.get("delta")).get("stop_reason")
                if isinstance(reason, str) and reason:
                    self._reason = reason
                yield from self._counted(event.get("usage"))
            case _:
                pass  # pings, and kinds that are yet to come

    def finish(self) -> Iterator[Chunk]:
        """The last chunks.

        Raises:
            EndpointFailure: the answer broke off, or the model's window is full.
        """
        for at in sorted(self._blocks):
            yield from self._rest(self._blocks[at])
        if not self._reason:
            raise EndpointFailure(Break(kind="incomplete"))
        if self._reason == _WINDOW_FULL:
            raise EndpointFailure(Refusal(status=0, code="context_length_exceeded", message=_WINDOW_FULL, started=True))
        # An unknown reason is one that came after this was written; the blocks are complete all the same.
        reason = _REASONS.get(self._reason, "stop")
        calls = () if reason == "blocked" else tuple(self._calls())
        yield from calls
        yield FinishChunk(reason="tool_calls" if calls else reason)

    def _begin(self, message: JsonObject) -> Iterator[Chunk]:
        """A message begins. Gateways repeat the event; a second message inside the first would be two answers glued together."""
        identity = str(message.get("id", ""))
        if self._message_id is not None and identity != self._message_id:
            raise EndpointFailure(Refusal(status=0, message="a second message began inside the first", started=True))
        self._message_id = identity
        yield from self._counted(message.get("usage"))
        content = message.get("content")
        for at, block in enumerate(content if isinstance(content, list) else []):  # a whole answer in one piece
            yield from self._open(at, table_of(block))
            self._blocks[at].closed = True
        reason = message.get("stop_reason")
        if isinstance(reason, str) and reason:
            self._reason = reason

    def _open(self, at: int, raw: JsonObject) -> Iterator[Chunk]:
        block = self._blocks[at] = _Block(raw=dict(raw))
        match block.kind:
            case "text":
                yield from self._text(block, words_of(raw, "text"))
            case "thinking":
                yield from self._thinking(block, words_of(raw, "thinking"))
                if signature := words_of(raw, "signature"):
                    block.signed = True
                    yield ThinkingChunk(text="", signature=signature)
            case "redacted_thinking":
                yield ThinkingChunk(text="", redacted=words_of(raw, "data"))
            case _:
                pass

    def _extend(self, at: int, delta: JsonObject) -> Iterator[Chunk]:
        block = self._blocks.setdefault(at, _Block(raw={"type": "text", "text": ""}))
        match delta.get("type"):
            case "text_delta":
                yield from self._text(block, words_of(delta, "text"), grow=True)
            case "thinking_delta":
                yield from self._thinking(block, words_of(delta, "thinking"), grow=True)
            case "signature_delta":
                signature = words_of(delta, "signature")
                block.raw["signature"] = words_of(block.raw, "signature") + signature
            case "input_json_delta":
                block.json += words_of(delta, "partial_json")
            case _:
                pass  # citations

    def _close(self, at: int) -> Iterator[Chunk]:
        block = self._blocks.get(at)
        if block is None:
            return
        yield from self._rest(block)
        block.closed = True
        signature = words_of(block.raw, "signature")
        if block.kind == "thinking" and signature and not block.signed:
            block.signed = True
            yield ThinkingChunk(text="", signature=signature)
        if block.json:
            block.raw["input"] = read_arguments(block.json).args or {}

    def _rest(self, block: _Block) -> Iterator[Chunk]:
        """Half a character that was held back."""
        if rest := block.said.flush():
            self.received.append(rest)
            yield ThinkingChunk(text=rest) if block.kind == "thinking" else TextChunk(text=rest)

    def _text(self, block: _Block, text: str, *, grow: bool = False) -> Iterator[Chunk]:
        if grow:
            block.raw["text"] = words_of(block.raw, "text") + text
        if shown := block.said.feed(text):
            self.received.append(shown)
            yield TextChunk(text=shown)

    def _thinking(self, block: _Block, text: str, *, grow: bool = False) -> Iterator[Chunk]:
        if grow:
            block.raw["thinking"] = words_of(block.raw, "thinking") + text
        if shown := block.said.feed(text):
            self.received.append(shown)
            yield ThinkingChunk(text=shown)

    def _counted(self, usage: JsonValue) -> Iterator[Chunk]:
        if self._usage.take(usage):
            yield UsageChunk(usage=self._usage.usage)

    def _calls(self) -> Iterator[ToolCallChunk]:
        """The calls of our own tools; those that the server ran itself are its own business."""
        for _, block in sorted(self._blocks.items()):
            if block.kind != "tool_use":
                continue
            given = block.raw.get("input")
            read = read_arguments(block.json or (given if isinstance(given, dict) else {}))
            error = read.error
            if not block.closed and self._reason == "max_tokens":
                error = _CUT_CALL
            name, args = words_of(block.raw, "name"), None if error is not None else read.args
            yield ToolCallChunk(id=words_of(block.raw, "id"), name=name, args=args, parse_error=error)
