"""The models of one turn: the one that was asked for, and those that take over when it cannot answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from runtime.errors import UserError
from runtime.providers.base import Capabilities, LLMProvider, ProviderError

_FULL: Final = 0.9  # of a window: a request that fills more of it is not handed to that model


class ModelLine:
    """The active model, and the next ones in line.

    Args:
        first: the model that was asked for.
        fallbacks: ids of those that may take over, in order.
        open_model: makes a provider of an id.
    """

    def __init__(
        self,
        first: LLMProvider,
        fallbacks: tuple[str, ...] = (),
        open_model: Callable[[str], Awaitable[LLMProvider]] | None = None,
    ) -> None:
        self._opened = [first]
        self._waiting = [name for name in fallbacks if name != first.name]
        self._open = open_model

    @property
    def active(self) -> LLMProvider:
        """The model that is asked now."""
        return self._opened[-1]

    @property
    def name(self) -> str:
        """Its name."""
        return self.active.name

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        return self.active.capabilities

    @property
    def has_next(self) -> bool:
        """Whether another model may take over."""
        return bool(self._waiting) and self._open is not None

    async def advance(self, tokens: int) -> LLMProvider | None:
        """Let the next usable model take over; None when there is none.

        Args:
            tokens: roughly what the request takes; a model with a smaller window is passed over, and so is one without a key.
        """
        while self._waiting and self._open is not None:
            name = self._waiting.pop(0)
            try:
                provider = await self._open(name)
            except (UserError, ProviderError):
                continue  # it cannot be used; why is said where models are set up
            self._opened.append(provider)
            if tokens <= provider.capabilities.window * _FULL:
                return provider
            self._opened.pop()
            await provider.aclose()
        return None

    async def aclose(self) -> None:
        """Close all that were opened."""
        for provider in self._opened:
            await provider.aclose()
