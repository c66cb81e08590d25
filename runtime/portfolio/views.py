"""The portfolio as surfaces and tools show it: values with their day and source, unknown as None."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from runtime.market.quotes import Quote
from runtime.numbers import money
from runtime.portfolio.book import Book, Position
from runtime.portfolio.entries import Recorded
from runtime.portfolio.valuation import Quotes, equity, market_value, position_value, weight


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionView:
    """A holding.

    Attributes:
        sellable: shares that may be sold today under T+1.
        cost: average cost with buying fees, yuan a share, four decimals.
        basis: what the held shares cost in all, yuan.
        buy_day: day of the newest purchase.
        stop_loss: yuan a share; None = no stop.
        quote: the price behind the values, with day and source; None = unknown.
        value: market value, yuan.
        profit: value minus basis, yuan; selling costs are not in it.
        profit_ratio: profit over basis, 0.05 = 5 %.
        weight: share of the equity, 0..1.
    """

    symbol: str
    name: str
    shares: int
    sellable: int
    cost: Decimal
    basis: Decimal
    buy_day: date
    stop_loss: Decimal | None
    quote: Quote | None
    value: Decimal | None
    profit: Decimal | None
    profit_ratio: float | None
    weight: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PortfolioView:
    """All holdings.

    Attributes:
        cash: yuan; None = never set, unknown.
        market_value: of all holdings, yuan; None when a price is missing.
        equity: cash plus market value; None while either is unknown.
        realised: profit of all recorded sales, fees included, yuan.
        as_of: the oldest day among the prices used; None when there are none.
        today: the day that `sellable` is about.
        version: version of the ledger this was derived from.
    """

    positions: tuple[PositionView, ...]
    cash: Decimal | None
    market_value: Decimal | None
    equity: Decimal | None
    realised: Decimal
    as_of: date | None
    today: date
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerLine:
    """An entry in words.

    Attributes:
        undone: whether the entry no longer counts.
    """

    recorded: Recorded
    text: str
    undone: bool


def portfolio_view(book: Book, quotes: Quotes, today: date) -> PortfolioView:
    """The view of a book at given quotes."""
    whole = equity(book, quotes)
    used = [quotes[symbol].as_of for symbol in book.positions if symbol in quotes]
    return PortfolioView(
        positions=tuple(_position_view(position, quotes, whole, today) for position in book.positions.values()),
        cash=book.cash,
        market_value=market_value(book, quotes),
        equity=whole,
        realised=money(book.realised_total),
        as_of=min(used, default=None),
        today=today,
        version=book.version,
    )


def _position_view(position: Position, quotes: Quotes, whole: Decimal | None, today: date) -> PositionView:
    value = position_value(position, quotes)
    profit = None if value is None else money(value - position.basis)
    return PositionView(
        symbol=position.symbol,
        name=position.name,
        shares=position.shares,
        sellable=position.sellable(today),
        cost=position.cost,
        basis=position.basis,
        buy_day=position.buy_day,
        stop_loss=position.stop_loss,
        quote=quotes.get(position.symbol),
        value=value,
        profit=profit,
        profit_ratio=None if profit is None or position.basis <= 0 else float(profit / position.basis),
        weight=weight(value, whole),
    )
