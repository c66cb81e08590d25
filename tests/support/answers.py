"""What a provider streamed, put together for comparison."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, field
from typing import cast

from runtime.core.messages import Message, Usage, UserMessage
from runtime.providers.base import (
    Capabilities,
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
from runtime.providers.openai_compatible import OpenAIProvider
from runtime.providers.windows import Prices
from runtime.providers.wire.account import Account
from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.steps import AdaptationMemory
from tests.support.streams import ChunkStream

KEY = "sk-test-0123456789abcdefWXYZ"


@dataclass(slots=True, kw_only=True)
class Answer:
    """One answer, whole."""

    text: str = ""
    thinking: str = ""
    calls: list[ToolCallChunk] = field(default_factory=list)
    usage: Usage | None = None
    finish: FinishReason | None = None
    error: ProviderError | None = None
    chunks: list[Chunk] = field(default_factory=list)

    @property
    def signed(self) -> list[TextChunk | ThinkingChunk]:
        """The chunks of text and reasoning that carry opaque data of the vendor."""
        parts = [chunk for chunk in self.chunks if isinstance(chunk, TextChunk | ThinkingChunk)]
        return [part for part in parts if part.signature or (isinstance(part, ThinkingChunk) and part.redacted)]


def a_request(*messages: Message, system: str = "", tools: tuple[str, ...] = ()) -> ModelRequest:
    """A request that offers tools of these names."""
    schemas = tuple(
        ToolSchema(name=name, description=f"does {name}", parameters={"type": "object", "properties": {}})
        for name in tools
    )
    return ModelRequest(system=system, messages=messages or (UserMessage(text="你好"),), tools=schemas)


def a_provider(
    base_url: str,
    *,
    model: str = "some-model",
    key: str = KEY,
    prices: Prices | None = None,
    memory: AdaptationMemory | None = None,
) -> OpenAIProvider:
    """A provider for an address."""
    return OpenAIProvider(an_account(base_url, model=model, key=key, prices=prices, memory=memory), Capabilities())


def an_account(
    base_url: str,
    *,
    model: str = "some-model",
    key: str = KEY,
    prices: Prices | None = None,
    memory: AdaptationMemory | None = None,
) -> Account:
    """An account at an address."""
    return Account(
        name="我的模型",
        endpoint=Endpoint(base_url=base_url, model=model),
        key=key,
        prices=prices,
        memory=memory or AdaptationMemory(),
    )


async def answer_of(provider: LLMProvider, request: ModelRequest | None = None) -> Answer:
    """Everything that a provider streams for a request, up to its end or its error; the provider is closed."""
    answer = Answer()
    try:
        async with aclosing(cast("ChunkStream", provider.stream(request or a_request()))) as chunks:
            async for chunk in chunks:
                assert answer.finish is None, "nothing comes after the finish"
                _take(answer, chunk)
    except ProviderError as error:
        answer.error = error
    await provider.aclose()
    return answer


def _take(answer: Answer, chunk: Chunk) -> None:
    answer.chunks.append(chunk)
    match chunk:
        case TextChunk(text=text):
            answer.text += text
        case ThinkingChunk(text=text):
            answer.thinking += text
        case ToolCallChunk():
            answer.calls.append(chunk)
        case UsageChunk(usage=usage):
            answer.usage = usage
        case FinishChunk(reason=reason):
            answer.finish = reason
