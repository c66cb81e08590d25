"""What a person should know before an entry is written: errors that make it impossible, warnings that may be wrong data.

Each check looks at one rule and says nothing when it is kept. An error must be certain; whatever the data cannot prove is a warning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, assert_never

from runtime.core.approvals import Notice, Severity
from runtime.market.quotes import Quote
from runtime.market.rules.boards import Board, board_of
from runtime.market.rules.limits import PriceLimits
from runtime.market.rules.lots import can_buy, can_sell, lot_rule
from runtime.market.rules.marks import is_ex_rights, is_new_listing, is_special_treatment
from runtime.numbers import price as exact_price
from runtime.portfolio.book import Book
from runtime.portfolio.context import Context
from runtime.portfolio.entries import CashSet, Change, Fill, PositionRemoved, PositionSet, StopSet
from runtime.texts import Texts

SATURDAY: Final = 5  # date.weekday()


def notices(change: Change, book: Book, context: Context, texts: Texts) -> tuple[Notice, ...]:
    """What is to be said about an entry on the book before it."""
    found: list[Notice | None] = []
    match change:
        case Fill():
            trade = _Trade(fill=change, book=book, context=context, texts=texts)
            found = [check(trade) for check in _TRADE_CHECKS]
        case PositionSet() | StopSet():
            found = [_stop_above_price(change, context, texts)]
        case PositionRemoved() | CashSet():
            pass
        case _ as never:
            assert_never(never)
    return tuple(notice for notice in found if notice is not None)


def is_oversold(change: Change, book: Book) -> bool:
    """Whether the entry sells more than is held; such an entry cannot even be tried on the book."""
    if not isinstance(change, Fill) or change.side == "buy":
        return False
    position = book.positions.get(change.symbol)
    return position is None or change.shares > position.shares


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trade:
    """A fill that is being checked, with the book before it."""

    fill: Fill
    book: Book
    context: Context
    texts: Texts

    @property
    def oversold(self) -> bool:
        return is_oversold(self.fill, self.book)

    @property
    def held(self) -> int:
        position = self.book.positions.get(self.fill.symbol)
        return 0 if position is None else position.shares

    @property
    def quote(self) -> Quote | None:
        return self.context.quotes.get(self.fill.symbol)

    def notice(self, code: str, severity: Severity, **fields: object) -> Notice:
        """A notice whose text may name the stock, the shares and the day of the fill."""
        about = {"name": self.fill.name, "shares": self.fill.shares, "day": self.fill.day}
        return Notice(code=code, text=self.texts(f"portfolio.notice_{code}", **about, **fields), severity=severity)


def _oversold(trade: _Trade) -> Notice | None:
    return trade.notice("oversold", "error", held=trade.held) if trade.oversold else None


def _t_plus_1(trade: _Trade) -> Notice | None:
    position = trade.book.positions.get(trade.fill.symbol)
    if trade.fill.side == "buy" or position is None or trade.oversold:
        return None
    sellable = position.sellable(trade.fill.day)
    if trade.fill.shares <= sellable:
        return None
    if board_of(trade.fill.symbol) is Board.FUND:  # bond, gold and cross-border funds trade T+0; the code does not tell
        return trade.notice("t_plus_1_fund", "warning", sellable=sellable)
    return trade.notice("t_plus_1", "error", sellable=sellable)


def _lot(trade: _Trade) -> Notice | None:
    symbol, shares = trade.fill.symbol, trade.fill.shares
    rule = lot_rule(symbol)
    if trade.fill.side == "buy":
        fits = can_buy(symbol, shares)
        return None if fits else trade.notice("lot_buy", "error", minimum=rule.minimum, step=rule.step)
    if trade.oversold or can_sell(symbol, shares, trade.held):
        return None
    return trade.notice("lot_sell", "error", held=trade.held, minimum=rule.minimum, step=rule.step)


def _cash_short(trade: _Trade) -> Notice | None:
    cash = trade.book.cash
    if cash is None or trade.oversold or cash + trade.fill.cash_move >= 0:
        return None
    need = -trade.fill.cash_move
    return trade.notice("cash_short", "error", need=_yuan(need), cash=_yuan(cash), missing=_yuan(need - cash))


def _cash_unknown(trade: _Trade) -> Notice | None:
    return trade.notice("cash_unknown", "warning") if trade.book.cash is None else None


def _cash_stated_later(trade: _Trade) -> Notice | None:
    cash_day = trade.book.cash_day
    if cash_day is None or trade.fill.day >= cash_day:
        return None
    return trade.notice("cash_stated_later", "warning", cash_day=cash_day)


def _estimated(trade: _Trade) -> Notice | None:
    if not trade.fill.estimated or trade.quote is None:
        return None
    price = exact_price(trade.fill.price)
    return trade.notice("estimated_price", "warning", price=price, as_of=trade.quote.as_of)


def _stale(trade: _Trade) -> Notice | None:
    quote = trade.quote
    if quote is None or quote.as_of >= trade.fill.day:
        return None
    return trade.notice("stale_price", "warning", as_of=quote.as_of, source=quote.source)


def _weekend(trade: _Trade) -> Notice | None:
    return trade.notice("weekend", "warning") if trade.fill.day.weekday() >= SATURDAY else None


def _limit(trade: _Trade) -> Notice | None:
    quote = trade.quote
    limits = None if quote is None else _limits(trade, quote)
    if quote is None or limits is None or limits.allow(trade.fill.price):
        return None
    name = trade.fill.name
    certain = (
        limits.certain
        and trade.fill.day == quote.as_of
        and trade.fill.symbol in trade.context.instruments
        and not (is_new_listing(name) or is_ex_rights(name))
        and limits.allow(quote.price)  # else the day had other limits than we think
    )
    code, severity = _CERTAIN_LIMIT if certain else _UNSURE_LIMIT
    return trade.notice(code, severity, price=exact_price(trade.fill.price), down=limits.down, up=limits.up)


def _limits(trade: _Trade, quote: Quote) -> PriceLimits | None:
    """The limits of the fill's day as far as the quote can tell; None for days before it."""
    day = trade.fill.day
    base = quote.previous_close if day == quote.as_of else quote.price
    if base is None or day < quote.as_of:
        return None
    return trade.context.limits.limits(trade.fill.symbol, base, day, st=is_special_treatment(trade.fill.name))


def _stop_above_price(change: PositionSet | StopSet, context: Context, texts: Texts) -> Notice | None:
    quote = context.quotes.get(change.symbol)
    if change.stop_loss is None or quote is None or change.stop_loss < quote.price:
        return None
    text = texts(
        "portfolio.notice_stop_above_price",
        name=change.name,
        stop=exact_price(change.stop_loss),
        price=exact_price(quote.price),
        as_of=quote.as_of,
    )
    return Notice(code="stop_above_price", text=text, severity="warning")


def _yuan(value: Decimal) -> str:
    return f"{value:,.2f}"


_CERTAIN_LIMIT: Final[tuple[str, Severity]] = ("limit", "error")
_UNSURE_LIMIT: Final[tuple[str, Severity]] = ("limit_unsure", "warning")
_TRADE_CHECKS: Final[tuple[Callable[[_Trade], Notice | None], ...]] = (
    _oversold,
    _t_plus_1,
    _lot,
    _cash_short,
    _limit,
    _cash_unknown,
    _cash_stated_later,
    _estimated,
    _stale,
    _weekend,
)
