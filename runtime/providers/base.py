"""The interface between the runtime and a language model.

A provider turns one request into a stream of chunks and nothing else: it keeps no history, runs no tool, retries nothing. The stream ends
with exactly one `FinishChunk`, or raises `ProviderError`; closing the iterator closes the connection.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from runtime.core.json import JsonObject
from runtime.core.messages import Message, Usage
from runtime.core.symbols import Resolution
from runtime.errors import WyckoffError

ErrorCategory: TypeAlias = Literal[
    "auth", "quota", "rate_limit", "timeout", "network", "server", "model_not_found", "context_length", "bad_request",
    "blocked", "region", "not_a_model", "incomplete", "spending",
]  # fmt: skip
FinishReason: TypeAlias = Literal["stop", "tool_calls", "length", "blocked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a model can do.

    Attributes:
        tools: it can call tools.
        reasoning: it may stream reasoning.
        images: it takes images.
        cache: the vendor caches prompt prefixes.
        window: context window in tokens.
        max_output: longest answer in tokens to ask for; None = what the model does by itself.
        free: it costs nothing, because it runs on this machine.
        priced: what its tokens cost is known.
    """

    tools: bool = True
    reasoning: bool = False
    images: bool = False
    cache: bool = False
    window: int = 64_000  # seed 000: unknown models
    max_output: int | None = None
    free: bool = False
    priced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSchema:
    """A tool as a model sees it; `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One model call.

    Attributes:
        system: the system prompt; holds no clock.
        messages: the history, orphans repaired, the newest last.
        tools: none = the model must answer in text.
        resolution: what the newest user message names (the offline analyst reads it; language models do not get it).
        idle_timeout_s: longest silence between two chunks.
        reasoning_idle_timeout_s: the same until the first visible chunk.
        connect_timeout_s: time to connect.
        max_output_tokens: longest answer in tokens, reasoning included; None = what the model does by itself.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...] = ()
    resolution: Resolution = field(default_factory=Resolution)
    idle_timeout_s: float = 60.0
    reasoning_idle_timeout_s: float = 180.0
    connect_timeout_s: float = 10.0
    max_output_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChunk:
    """More visible text."""

    text: str
    signature: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingChunk:
    """More reasoning. A signature closes the block; `redacted` is a whole block without readable text."""

    text: str
    signature: str | None = None
    redacted: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallChunk:
    """A complete call: `args`, or `parse_error` when the model's JSON was malformed (it is never run)."""

    id: str
    name: str
    args: JsonObject | None
    parse_error: str | None = None
    signature: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageChunk:
    """Tokens of this call; the last one counts."""

    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishChunk:
    """The model ended the call by itself."""

    reason: FinishReason


Chunk: TypeAlias = TextChunk | ThinkingChunk | ToolCallChunk | UsageChunk | FinishChunk


class ProviderError(WyckoffError):
    """A model call that failed, in words that a person can act on.

    Args:
        category: what went wrong.
        variant: a more precise text of the category, `providers.<category>_<variant>`.
        retryable: whether the same call may succeed later, or with another model.
        retry_after_s: how long the vendor asked to wait.
        **fields: for the text `providers.<category>`: `model`, `detail` and others.
    """

    def __init__(
        self,
        category: ErrorCategory,
        *,
        variant: str = "",
        retryable: bool = False,
        retry_after_s: float | None = None,
        **fields: object,
    ) -> None:
        super().__init__(f"providers.{category}_{variant}" if variant else f"providers.{category}", **fields)
        self.category = category
        self.retryable = retryable
        self.retry_after_s = retry_after_s


class LLMProvider(Protocol):
    """A language model, or what takes its place."""

    @property
    def name(self) -> str:
        """Which model answers, as shown to the person."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Answer one request.

        Raises:
            ProviderError: while iterating.
        """
        ...

    async def aclose(self) -> None:
        """Close connections."""
        ...
