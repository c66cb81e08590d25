"""From a wish to the ledger entry that would fulfil it, or the reason why the wish makes no sense.

Only what no preview could show is refused here; what a person should see and weigh becomes a notice (`checks`).
"""

from __future__ import annotations

from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, assert_never

from runtime.errors import UserError
from runtime.market.rules.boards import board_of
from runtime.numbers import money
from runtime.portfolio.book import COST_STEP, Book, Position
from runtime.portfolio.context import Context
from runtime.portfolio.entries import CashSet, Change, Fill, PositionRemoved, PositionSet, StopSet
from runtime.portfolio.operations import (
    KEEP,
    AddPosition,
    Operation,
    RemovePosition,
    SetCash,
    SetStop,
    StopLoss,
    TradeFill,
    UpdatePosition,
)

SUPPORTED_EXCHANGES: Final = frozenset({"SH", "SZ", "BJ", "SIM"})  # the ledger holds yuan only
MAX_SHARES: Final = 10_000_000_000  # beyond any float of an A share: a slip of the finger
MAX_PRICE: Final = Decimal(1_000_000)  # yuan a share
MAX_CASH: Final = Decimal(10_000_000_000_000)  # yuan


def resolve(operation: Operation, book: Book, context: Context) -> Change:
    """The entry of an operation on a book.

    Raises:
        UserError: the operation makes no sense as given; the text says what to do instead.
    """
    match operation:
        case AddPosition():
            return _add(operation, book, context)
        case UpdatePosition():
            return _update(operation, book, context)
        case RemovePosition():
            held = _held(operation.symbol, book)
            return PositionRemoved(symbol=held.symbol, name=held.name, day=context.today)
        case SetCash():
            return CashSet(cash=_cash(operation.cash), day=context.today)
        case SetStop():
            held = _held(operation.symbol, book)
            stop = None if operation.stop_loss is None else _stop(held.symbol, operation.stop_loss)
            return StopSet(symbol=held.symbol, name=held.name, stop_loss=stop, day=context.today)
        case TradeFill():
            return _fill(operation, book, context)
        case _ as never:
            assert_never(never)


def _add(operation: AddPosition, book: Book, context: Context) -> PositionSet:
    symbol = operation.symbol
    name = _name(symbol, operation.name, book, context)
    if symbol in book.positions:
        raise UserError("portfolio.already_held", name=name, symbol=symbol)
    return PositionSet(
        symbol=symbol,
        name=name,
        shares=_shares(symbol, operation.shares),
        cost=_price("portfolio.bad_cost", symbol, operation.cost),
        day=_past(symbol, operation.buy_day, context.today),
        stop_loss=_changed_stop(symbol, operation.stop_loss, None),
        via="add",
    )


def _update(operation: UpdatePosition, book: Book, context: Context) -> PositionSet:
    held = _held(operation.symbol, book)
    symbol = held.symbol
    if (operation.shares, operation.cost, operation.buy_day) == (None, None, None) and operation.stop_loss is KEEP:
        raise UserError("portfolio.nothing_given", name=held.name, symbol=symbol)
    return PositionSet(
        symbol=symbol,
        name=held.name,
        shares=held.shares if operation.shares is None else _shares(symbol, operation.shares),
        cost=held.cost if operation.cost is None else _price("portfolio.bad_cost", symbol, operation.cost),
        day=held.buy_day if operation.buy_day is None else _past(symbol, operation.buy_day, context.today),
        stop_loss=_changed_stop(symbol, operation.stop_loss, held.stop_loss),
        via="update",
    )


def _fill(operation: TradeFill, book: Book, context: Context) -> Fill:
    symbol = operation.symbol
    name = _name(symbol, operation.name, book, context)
    shares = _shares(symbol, operation.shares)
    day = _past(symbol, operation.day or context.today, context.today)
    quote = context.quotes.get(symbol)
    if operation.price is not None:
        price = _price("portfolio.bad_price", symbol, operation.price)
    elif quote is not None:
        price = _price("portfolio.bad_price", symbol, quote.price)
    else:
        raise UserError("portfolio.price_needed", name=name, symbol=symbol)
    fees = context.fees.fees(side=operation.side, symbol=symbol, amount=money(price * shares), day=day)
    return Fill(
        side=operation.side,
        symbol=symbol,
        name=name,
        shares=shares,
        price=price,
        day=day,
        fees=fees,
        estimated=operation.price is None,
    )


def _held(symbol: str, book: Book) -> Position:
    position = book.positions.get(symbol)
    if position is None:
        raise UserError("portfolio.not_held", symbol=symbol)
    return position


def _name(symbol: str, given: str, book: Book, context: Context) -> str:
    """The name to record, once it is certain that the symbol can be held at all."""
    if symbol.rpartition(".")[2] not in SUPPORTED_EXCHANGES:
        raise UserError("portfolio.unsupported_market", symbol=symbol)
    board_of(symbol)
    instrument = context.instruments.get(symbol)
    held = book.positions.get(symbol)
    if instrument is not None and instrument.kind == "index":
        raise UserError("portfolio.not_tradable", name=instrument.name, symbol=symbol)
    known = instrument.name if instrument is not None else held.name if held is not None else ""
    given = given.strip()
    if not known and not given:
        raise UserError("portfolio.unknown_symbol", symbol=symbol)
    if known and given and given not in known and known not in given:
        raise UserError("portfolio.name_mismatch", symbol=symbol, known=known, given=given)
    return known or given


def _changed_stop(symbol: str, wanted: StopLoss, held: Decimal | None) -> Decimal | None:
    if wanted is KEEP:
        return held
    return None if wanted is None else _stop(symbol, wanted)


def _stop(symbol: str, value: Decimal) -> Decimal:
    return _price("portfolio.bad_stop", symbol, value)


def _price(key: str, symbol: str, value: Decimal) -> Decimal:
    """A price above 0 with four decimals; `key` is the text of the refusal."""
    if not value.is_finite() or not 0 < value <= MAX_PRICE:
        raise UserError(key, symbol=symbol, value=value)
    exact = value.quantize(COST_STEP, rounding=ROUND_HALF_UP)
    if exact == 0:
        raise UserError(key, symbol=symbol, value=value)
    return exact


def _shares(symbol: str, value: int) -> int:
    if not 0 < value <= MAX_SHARES:
        raise UserError("portfolio.bad_shares", symbol=symbol, value=value)
    return value


def _cash(value: Decimal) -> Decimal:
    if not value.is_finite() or not 0 <= value <= MAX_CASH:
        raise UserError("portfolio.bad_cash", value=value)
    return money(value)


def _past(symbol: str, day: date, today: date) -> date:
    if day > today:
        raise UserError("portfolio.future_day", symbol=symbol, day=day, today=today)
    return day
