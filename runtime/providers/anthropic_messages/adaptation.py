"""The steps down that the Messages API knows: parts of a request that some models and gateways refuse."""

from __future__ import annotations

import re
from typing import Final

from runtime.providers.wire.problems import Refusal
from runtime.providers.wire.steps import about_the_request

MANUAL_THINKING: Final = "manual_thinking"
NO_THINKING: Final = "no_thinking"
NO_CACHE_CONTROL: Final = "no_cache_control"
NO_TOOL_CHOICE: Final = "no_tool_choice"
OLD_VERSION: Final = "old_version"
_MAX_TOKENS: Final = "max_tokens="

_MAXIMUM: Final = re.compile(
    r"max_tokens:?\s*\d+\s*>\s*(\d+)|max_tokens.{0,80}?(?:less than or equal to|at most|maximum (?:of|is))\s*(\d+)"
)
_THINKING_SHAPE: Final = re.compile(r"signature|must start with a thinking block|expected .?thinking")


def next_step(refusal: Refusal, taken: frozenset[str]) -> str | None:
    """The step down that a refusal asks for; None = it is no refusal of an optional part, or the step was taken already."""
    if not about_the_request(refusal):
        return None
    words = refusal.words
    step: str | None = None
    if maximum := _MAXIMUM.search(words):
        step = f"{_MAX_TOKENS}{maximum[1] or maximum[2]}"
    elif is_about_history(refusal):
        step = None
    elif "thinking" in words or "budget_tokens" in words:
        manual = "adaptive" in words and MANUAL_THINKING not in taken
        step = MANUAL_THINKING if manual else NO_THINKING
    elif "cache_control" in words:
        step = NO_CACHE_CONTROL
    elif "tool_choice" in words:
        step = NO_TOOL_CHOICE
    elif "anthropic-version" in words:
        step = OLD_VERSION
    return step if step not in taken else None


def is_about_history(refusal: Refusal) -> bool:
    """Whether the thinking that was sent back is refused: its signature is another model's, or a block is missing."""
    return about_the_request(refusal) and "thinking" in refusal.words and bool(_THINKING_SHAPE.search(refusal.words))


def learnt_max_tokens(taken: frozenset[str]) -> int | None:
    """The longest answer that the endpoint named."""
    found = [int(step.removeprefix(_MAX_TOKENS)) for step in taken if step.startswith(_MAX_TOKENS)]
    return min(found, default=None)
