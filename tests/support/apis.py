"""The three APIs side by side: a provider of each for an address, and a small answer in its own notation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from runtime.core.json import JsonObject, dumps
from runtime.providers.anthropic_messages import AnthropicProvider
from runtime.providers.base import Capabilities, LLMProvider
from runtime.providers.gemini import GeminiProvider
from runtime.providers.openai_compatible import OpenAIProvider
from runtime.providers.presets import WireKind
from tests.support.answers import KEY, an_account
from tests.support.streams import delta, sse


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """One API.

    Attributes:
        kind: its name.
        answer: a whole stream that says 好.
        call: a whole stream that calls `quote`.
        open_call: the same without its end, as a cut leaves it.
    """

    kind: WireKind
    answer: bytes
    call: bytes
    open_call: bytes

    def provider(self, url: str, *, key: str = KEY, reasoning: bool = False) -> LLMProvider:
        """A provider for an address."""
        account, able = an_account(url, key=key), Capabilities(reasoning=reasoning)
        match self.kind:
            case "openai":
                return OpenAIProvider(account, able)
            case "anthropic":
                return AnthropicProvider(account, able)
            case "gemini":
                return GeminiProvider(account, able)


def events(*items: JsonObject) -> bytes:
    """A stream of the Messages API."""
    return "".join(f"event: {item['type']}\ndata: {dumps(item)}\n\n" for item in items).encode()


def message_start() -> JsonObject:
    """The first event of the Messages API."""
    usage: JsonObject = {"input_tokens": 3, "output_tokens": 1}
    return {
        "type": "message_start",
        "message": {"id": "m1", "type": "message", "role": "assistant", "content": [], "usage": usage},
    }


def block(index: int, start: JsonObject, *deltas: JsonObject) -> tuple[JsonObject, ...]:
    """A whole content block of the Messages API."""
    begin: JsonObject = {"type": "content_block_start", "index": index, "content_block": start}
    grow: list[JsonObject] = [{"type": "content_block_delta", "index": index, "delta": item} for item in deltas]
    return (begin, *grow, {"type": "content_block_stop", "index": index})


def text_block(index: int, text: str) -> tuple[JsonObject, ...]:
    """A block of text."""
    return block(index, {"type": "text", "text": ""}, {"type": "text_delta", "text": text})


def message_end(reason: str = "end_turn") -> tuple[JsonObject, ...]:
    """The last events of the Messages API."""
    return (
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    )


def responses(*items: JsonObject) -> bytes:
    """A stream of the Gemini API, with the line ends it uses."""
    return "".join(f"data: {dumps(item)}\r\n\r\n" for item in items).encode()


def candidate(*parts: JsonObject, finish: str | None = None) -> JsonObject:
    """One response of the Gemini API."""
    found: JsonObject = {"content": {"role": "model", "parts": [*parts]}}
    if finish is None:
        return {"candidates": [found]}
    counts: JsonObject = {"promptTokenCount": 3, "candidatesTokenCount": 1}
    return {"candidates": [found | {"finishReason": finish}], "usageMetadata": counts}


_QUOTE: Final[JsonObject] = {"type": "tool_use", "id": "c1", "name": "quote", "input": {}}
_CALL: Final = block(0, _QUOTE, {"type": "input_json_delta", "partial_json": '{"a":1}'})
_FUNCTION: Final[JsonObject] = {"functionCall": {"name": "quote", "args": {"a": 1}}}
_TOOL_CALL: Final[JsonObject] = {
    "index": 0, "id": "c1", "type": "function", "function": {"name": "quote", "arguments": '{"a":1}'},
}  # fmt: skip

OPENAI: Final = Api(
    kind="openai",
    answer=sse(delta("stop", content="好")),
    call=sse(delta(tool_calls=[_TOOL_CALL]), delta("tool_calls")),
    open_call=sse(delta(tool_calls=[_TOOL_CALL]), done=False),
)
ANTHROPIC: Final = Api(
    kind="anthropic",
    answer=events(message_start(), *text_block(0, "好"), *message_end()),
    call=events(message_start(), *_CALL, *message_end("tool_use")),
    open_call=events(message_start(), *_CALL),
)
GEMINI: Final = Api(
    kind="gemini",
    answer=responses(candidate({"text": "好"}), candidate({"text": ""}, finish="STOP")),
    call=responses(candidate(_FUNCTION, finish="STOP")),
    open_call=responses(candidate(_FUNCTION)),
)
APIS: Final = (OPENAI, ANTHROPIC, GEMINI)
