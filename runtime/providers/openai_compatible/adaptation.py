"""What an endpoint refused once is not sent again.

A refusal that names an optional part of the request leads to one step down; the steps are remembered for each endpoint and model. Wrong
keys, empty balances and limits are no reason to step down.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from runtime.providers.openai_compatible.endpoint import Endpoint
from runtime.providers.openai_compatible.problems import Refusal

Adaptation: TypeAlias = Literal[
    "no_stream_options", "no_tool_choice", "no_system_role", "reasoning_back", "no_reasoning_back",
]  # fmt: skip

_STATUSES: Final = (400, 422)
_UNKNOWN_FIELD: Final = re.compile(
    r"unknown|unrecognized|unexpected|unsupported|not support|extra|not permitted|not allowed|additional propert|invalid field"
)


class AdaptationMemory:
    """The steps taken so far, by endpoint and model."""

    def __init__(self) -> None:
        self._steps: dict[Endpoint, frozenset[Adaptation]] = {}

    def of(self, endpoint: Endpoint) -> frozenset[Adaptation]:
        """What to leave out or add for an endpoint."""
        return self._steps.get(endpoint, frozenset())

    def learn(self, endpoint: Endpoint, step: Adaptation) -> None:
        """Remember a step."""
        self._steps[endpoint] = self.of(endpoint) | {step}


def next_step(refusal: Refusal, endpoint: Endpoint, taken: frozenset[Adaptation], *, tools: bool) -> Adaptation | None:
    """The step down that a refusal asks for; None = it is no refusal of an optional part, or the step was taken already.

    Args:
        refusal: what the server said.
        endpoint: who said it.
        taken: the steps before.
        tools: whether the request carried tools.
    """
    if refusal.status not in _STATUSES:
        return None
    words = refusal.words
    step: Adaptation | None = None
    if "stream_options" in words or "include_usage" in words:
        step = "no_stream_options"
    elif "tool_choice" in words and tools:
        step = "no_tool_choice"
    elif "reasoning_content" in words:
        sent = reasoning_back(endpoint, taken)
        step = ("no_reasoning_back" if _UNKNOWN_FIELD.search(words) else None) if sent else "reasoning_back"
    elif "role" in words and "system" in words:
        step = "no_system_role"
    return step if step not in taken else None


def reasoning_back(endpoint: Endpoint, taken: frozenset[Adaptation]) -> bool:
    """Whether assistant messages carry their reasoning."""
    if "no_reasoning_back" in taken:
        return False
    return endpoint.wants_reasoning_back or "reasoning_back" in taken
