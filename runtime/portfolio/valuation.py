"""What holdings are worth at given quotes. Unknown stays None: one missing price makes the equity unknown, never smaller."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TypeAlias

from runtime.core.approvals import PositionState
from runtime.market.quotes import Quote
from runtime.numbers import money
from runtime.portfolio.book import Book, Position

Quotes: TypeAlias = Mapping[str, Quote]


def position_value(position: Position, quotes: Quotes) -> Decimal | None:
    """Market value in yuan; None without a quote."""
    quote = quotes.get(position.symbol)
    return None if quote is None else money(quote.price * position.shares)


def market_value(book: Book, quotes: Quotes) -> Decimal | None:
    """Market value of all holdings in yuan; None when one has no quote."""
    total = Decimal("0.00")
    for position in book.positions.values():
        value = position_value(position, quotes)
        if value is None:
            return None
        total += value
    return total


def equity(book: Book, quotes: Quotes) -> Decimal | None:
    """Cash plus market value in yuan; None when either is unknown."""
    value = market_value(book, quotes)
    return None if value is None or book.cash is None else book.cash + value


def weight(value: Decimal | None, whole: Decimal | None) -> float | None:
    """Share of the equity, 0..1; None when either is unknown or there is no equity."""
    if value is None or whole is None or whole <= 0:
        return None
    return float(value / whole)


def position_state(symbol: str, book: Book, quotes: Quotes) -> PositionState | None:
    """One side of a preview's row; None when not held."""
    position = book.positions.get(symbol)
    if position is None:
        return None
    value = position_value(position, quotes)
    return PositionState(
        shares=position.shares,
        cost=position.cost,
        stop_loss=position.stop_loss,
        value=value,
        weight=weight(value, equity(book, quotes)),
    )
