"""How much a conversation may take of a model's window, and how much it takes.

The window holds the system prompt, the tools, the messages, and a reserve for the answer and the results to come. Estimates of messages are
corrected by what the server counted for earlier requests of the conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from runtime.core.json import dumps
from runtime.core.messages import Message, text_of
from runtime.providers.base import ModelRequest, ToolSchema
from runtime.providers.tokens import estimate_tokens

RESERVE_MIN: Final = 16_384  # tokens, seed 000, as the three below
RESERVE_MAX: Final = 32_768
RESERVE_SHARE: Final = 0.25  # of the window
RECENT_TOKENS: Final = 20_000

MARGIN: Final = 1.1  # estimates of single texts are up to a fifth too low, of whole conversations far less
LEAST_SHARE: Final = 8  # where prompt and tools fill the window, messages still get an eighth of it
_PER_MESSAGE: Final = 4  # tokens of role and separators
_CORRECTION: Final = (0.7, 2.0)  # servers that leave cached tokens out report far too little
_LEARNED_FROM: Final = 1_000  # tokens: in smaller requests what a server adds by itself weighs too much


def reserve_tokens(window: int) -> int:
    """Tokens of a window that stay free for the answer and the next results."""
    return int(min(max(RESERVE_MIN, min(window * RESERVE_SHARE, RESERVE_MAX)), window / 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBudget:
    """What messages may take, in tokens.

    Attributes:
        window: the model's window.
        fixed: system prompt and tools.
    """

    window: int
    fixed: int = 0

    @property
    def limit(self) -> int:
        """Above it old messages are compacted."""
        return max(self.window - reserve_tokens(self.window) - self.fixed, self.window // LEAST_SHARE)

    @property
    def hard_limit(self) -> int:
        """Above it an answer has no room: the request is not sent as it is."""
        return max(self.window - reserve_tokens(self.window) // 2 - self.fixed, self.limit)

    @property
    def recent(self) -> int:
        """The newest messages that a compaction leaves as they are; at most half of the limit, so that they always fit."""
        return min(RECENT_TOKENS, self.limit // 2)


class TokenMeter:
    """Measures messages of one conversation, and learns from what servers count."""

    def __init__(self) -> None:
        self._corrections: dict[str, float] = {}

    def sizes(self, messages: Sequence[Message], model: str) -> list[float]:
        """The tokens of each message, margin and correction included."""
        factor = self.factor(model)
        return [self.estimate(message, model) * factor for message in messages]

    def estimate(self, message: Message, model: str) -> float:
        """The tokens of a message, as estimated."""
        return estimate_tokens(text_of(message), model) + _PER_MESSAGE

    def fixed(self, system: str, tools: Sequence[ToolSchema], model: str) -> int:
        """The tokens of system prompt and tools."""
        return int(estimate_tokens(system + _told(tools), model) * self.factor(model))

    def request(self, request: ModelRequest, model: str) -> int:
        """The tokens of a whole request, as estimated."""
        said = sum(self.estimate(message, model) for message in request.messages)
        return estimate_tokens(request.system + _told(request.tools), model) + int(said)

    def factor(self, model: str) -> float:
        """By what estimates for a model are multiplied."""
        return self._corrections.get(model, 1.0) * MARGIN

    def learn(self, model: str, estimated: int, counted: int) -> None:
        """Take in what the server counted.

        Args:
            model: who answered.
            estimated: tokens of the request by `request`.
            counted: what the server says it read, cached tokens included; 0 = it did not say.
        """
        if estimated >= _LEARNED_FROM and counted > 0:
            low, high = _CORRECTION
            self._corrections[model] = min(max(counted / estimated, low), high)

    def refused(self, model: str, estimated: float, window: int) -> None:
        """A request was too long although it seemed to fit: the estimates are at least so much too low."""
        if estimated > 0:
            low, high = _CORRECTION
            known = self._corrections.get(model, 1.0)
            self._corrections[model] = min(max(window / estimated, known, low), high)


def _told(tools: Sequence[ToolSchema]) -> str:
    """The tools as text, for measuring them."""
    return dumps([{"name": tool.name, "description": tool.description, "input": tool.parameters} for tool in tools])
