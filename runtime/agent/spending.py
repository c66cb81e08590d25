"""The person's limit of a day: a warning before it is reached, no further call once it is.

What has no price cannot be counted: such models are neither stopped nor added up, and where the limit is set the person is told so.
"""

from __future__ import annotations

from typing import Final

from runtime.providers.base import LLMProvider, ProviderError
from runtime.storage.usage import UsageStore

WARNED_FROM: Final = 0.8  # of the limit


class SpendingLimit:
    """Compares what was spent today with the limit.

    Args:
        usage: what was spent.
        limit: what may be spent in a day; 0 = no limit.
    """

    def __init__(self, usage: UsageStore, limit: float) -> None:
        self._usage = usage
        self._limit = limit

    async def check(self, provider: LLMProvider) -> str | None:
        """The key of a warning, or None.

        Raises:
            ProviderError: the limit is reached.
        """
        if not self._limit or provider.capabilities.free:
            return None
        spent = await self._usage.spent_today()
        if spent >= self._limit:
            raise ProviderError("spending", model=provider.name, spent=f"{spent:.2f}", limit=f"{self._limit:.2f}")
        if not provider.capabilities.priced:
            return "agent.spending_unknown"
        return "agent.spending_near" if spent >= self._limit * WARNED_FROM else None
