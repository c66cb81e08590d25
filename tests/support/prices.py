"""Prices and names held in memory, for whoever needs a `PriceSource` or an `InstrumentSource`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from runtime.core.symbols import AssetKind, Instrument
from runtime.errors import TransientError
from runtime.market.quotes import Quote


class FixedPrices:
    """Quotes that a test sets; `fail()` makes every request fail as an unreachable source does."""

    def __init__(self, *quotes: Quote) -> None:
        self._quotes = {quote.symbol: quote for quote in quotes}
        self._down = False

    def set(self, quote: Quote) -> None:
        self._quotes[quote.symbol] = quote

    def remove(self, symbol: str) -> None:
        del self._quotes[symbol]

    def fail(self) -> None:
        self._down = True

    async def last_quotes(self, symbols: Sequence[str]) -> Mapping[str, Quote]:
        if self._down:
            raise TransientError("market.unreachable")
        return {symbol: self._quotes[symbol] for symbol in symbols if symbol in self._quotes}


class FixedInstruments:
    """A table of names."""

    def __init__(self, *instruments: Instrument) -> None:
        self._instruments = {instrument.symbol: instrument for instrument in instruments}

    def get(self, symbol: str) -> Instrument | None:
        return self._instruments.get(symbol)


def a_quote(symbol: str, price: str, *, previous: str | None = None, as_of: date) -> Quote:
    return Quote(
        symbol=symbol,
        price=Decimal(price),
        previous_close=None if previous is None else Decimal(previous),
        as_of=as_of,
        source="样本市场",
    )


def an_instrument(symbol: str, name: str, kind: AssetKind = "stock") -> Instrument:
    return Instrument(symbol=symbol, name=name, kind=kind)
