"""What is known about a model by its name: context window, reasoning; and what its tokens cost.

A guess by name is only a default: what the person sets comes first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from runtime.core.messages import Usage

UNKNOWN_WINDOW: Final = 64_000  # tokens, seed 000
_PER: Final = 1_000_000

# First match wins. Seed 000: Claude 200K, Gemini 2 1M, DeepSeek 64K, common GPT 128K, unknown 64K.
_WINDOWS: Final = (
    (re.compile(r"claude"), 200_000),
    (re.compile(r"gemini-?(1\.5|2)"), 1_000_000),
    (re.compile(r"gemini"), 128_000),
    (re.compile(r"gpt-?3\.5"), 16_000),
    (re.compile(r"gpt|chatgpt|(^|/)o[134]\b"), 128_000),
    (re.compile(r"kimi|moonshot"), 128_000),
    (re.compile(r"qwen|qwq"), 128_000),
    (re.compile(r"deepseek"), 64_000),
)
_REASONING: Final = re.compile(
    r"reason|think|(^|/)o[134]\b|gpt-?5|gpt-oss|deepseek-?(r\d|v4)|(^|[-/])r1\b|qwq|qwen-?3|kimi-?k[2-9]|k2\.|glm-(4\.[5-9]|[5-9])"
    r"|grok|minimax-m|magistral"
)


def infer_context_window(model: str) -> int:
    """The usual context window of a model in tokens, by its name."""
    name = model.lower()
    return next((window for pattern, window in _WINDOWS if pattern.search(name)), UNKNOWN_WINDOW)


def infer_reasoning(model: str) -> bool:
    """Whether a model may be silent for long while it reasons."""
    return _REASONING.search(model.lower()) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices of one million tokens, in the currency that the person uses. A missing price of cached tokens means the input price."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None


def cost_of(usage: Usage, prices: Prices) -> float:
    """What a call costs."""
    read = prices.input if prices.cache_read is None else prices.cache_read
    write = prices.input if prices.cache_write is None else prices.cache_write
    total = usage.input * prices.input + usage.output * prices.output
    return (total + usage.cache_read * read + usage.cache_write * write) / _PER
