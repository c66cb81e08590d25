"""The steps down that chat completions know: optional parts of a request that some endpoints refuse."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from runtime.providers.openai_compatible.habits import wants_reasoning_back
from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.problems import Refusal
from runtime.providers.wire.steps import about_the_request

Adaptation: TypeAlias = Literal[
    "no_stream_options", "no_tool_choice", "no_system_role", "reasoning_back", "no_reasoning_back", "other_max_tokens",
]  # fmt: skip

_UNKNOWN_FIELD: Final = re.compile(
    r"unknown|unrecognized|unexpected|unsupported|not support|extra|not permitted|not allowed|additional propert|invalid field"
)


def next_step(refusal: Refusal, endpoint: Endpoint, taken: frozenset[str], *, tools: bool) -> Adaptation | None:
    """The step down that a refusal asks for; None = it is no refusal of an optional part, or the step was taken already.

    Args:
        refusal: what the server said.
        endpoint: who said it.
        taken: the steps before.
        tools: whether the request carried tools.
    """
    if not about_the_request(refusal):
        return None
    words = refusal.words
    step: Adaptation | None = None
    if "stream_options" in words or "include_usage" in words:
        step = "no_stream_options"
    elif "tool_choice" in words and tools:
        step = "no_tool_choice"
    elif "max_tokens" in words or "max_completion_tokens" in words:
        step = "other_max_tokens" if _UNKNOWN_FIELD.search(words) else None
    elif "reasoning_content" in words:
        sent = reasoning_back(endpoint, taken)
        step = ("no_reasoning_back" if _UNKNOWN_FIELD.search(words) else None) if sent else "reasoning_back"
    elif "role" in words and "system" in words:
        step = "no_system_role"
    return step if step not in taken else None


def reasoning_back(endpoint: Endpoint, taken: frozenset[str]) -> bool:
    """Whether assistant messages carry their reasoning."""
    if "no_reasoning_back" in taken:
        return False
    return wants_reasoning_back(endpoint) or "reasoning_back" in taken
