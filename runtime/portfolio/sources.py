"""What the portfolio asks of the market. Prices value holdings and fill in an unknown trade price; nothing here fetches anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from runtime.core.symbols import Instrument
from runtime.market.quotes import Quote


class PriceSource(Protocol):
    """Last known prices."""

    async def last_quotes(self, symbols: Sequence[str]) -> Mapping[str, Quote]:
        """The last quote of each symbol; a symbol without one is absent.

        Raises:
            TransientError: no source answered at all; the portfolio then does without prices.
        """
        ...


class InstrumentSource(Protocol):
    """The table of names."""

    def get(self, symbol: str) -> Instrument | None:
        """The instrument of an exchange-qualified id; None when the table does not know it."""
        ...
