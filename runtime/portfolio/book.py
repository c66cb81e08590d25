"""The portfolio at one version, derived from ledger entries and nothing else. Pure: reads no clock, price or database.

Always: the shares of a position are the sum of its lots and positive; cash that was never set is None and stays so through trades.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, assert_never

from runtime.errors import InternalError
from runtime.market.rules.settlement import is_sellable
from runtime.portfolio.entries import CashSet, Change, Fill, PositionRemoved, PositionSet, Recorded, StopSet, Undo

COST_STEP: Final = Decimal("0.0001")  # average costs are kept with four decimals


@dataclass(frozen=True, slots=True, kw_only=True)
class Lot:
    """Shares bought on one day."""

    day: date
    shares: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A holding.

    Attributes:
        lots: oldest first; they are sold in this order.
        basis: what the held shares cost in all, buying fees included, yuan.
        stop_loss: yuan a share; None = no stop.
    """

    symbol: str
    name: str
    lots: tuple[Lot, ...]
    basis: Decimal
    stop_loss: Decimal | None

    @property
    def shares(self) -> int:
        """Held shares."""
        return sum(lot.shares for lot in self.lots)

    @property
    def cost(self) -> Decimal:
        """Average cost, yuan a share, four decimals."""
        return (self.basis / self.shares).quantize(COST_STEP, rounding=ROUND_HALF_UP)

    @property
    def buy_day(self) -> date:
        """Day of the newest purchase."""
        return self.lots[-1].day

    def sellable(self, day: date) -> int:
        """Shares that may be sold on a day under T+1."""
        return sum(lot.shares for lot in self.lots if is_sellable(lot.day, day))


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """All holdings and the cash.

    Attributes:
        positions: by symbol, in the order in which they were first recorded.
        cash: yuan; None = never set, unknown.
        cash_day: day for which cash was last stated.
        realised: profit of sales by symbol, yuan, all fees included.
        version: id of the newest entry; 0 = empty ledger.
    """

    positions: Mapping[str, Position] = field(default_factory=dict)
    cash: Decimal | None = None
    cash_day: date | None = None
    realised: Mapping[str, Decimal] = field(default_factory=dict)
    version: int = 0

    @classmethod
    def from_entries(cls, entries: Iterable[Recorded]) -> Book:
        """The book after all entries, those of undone batches left out.

        Raises:
            InternalError: the entries contradict each other.
        """
        recorded = tuple(entries)
        undone = undone_batches(recorded)
        book = cls()
        for item in recorded:
            if item.batch_id not in undone and not isinstance(item.entry, Undo):
                book = book.after(item.entry)
        return replace(book, version=recorded[-1].id if recorded else 0)

    def after(self, change: Change) -> Book:
        """The book after one more change; the version stays.

        Raises:
            InternalError: the change does not fit: a sale of more than is held, a stop or removal of what is not held.
        """
        match change:
            case PositionSet():
                return self._with(_recorded(self.positions.get(change.symbol), change))
            case PositionRemoved():
                return self._without(self._held(change.symbol))
            case CashSet():
                return replace(self, cash=change.cash, cash_day=change.day)
            case StopSet():
                return self._with(replace(self._held(change.symbol), stop_loss=change.stop_loss))
            case Fill(side="buy"):
                position = _bought(self.positions.get(change.symbol), change)
                return replace(self._with(position), cash=self._cash_after(change))
            case Fill():
                return replace(self._sold(change), cash=self._cash_after(change))
            case _ as never:
                assert_never(never)

    @property
    def realised_total(self) -> Decimal:
        """Profit of all sales, yuan."""
        return sum(self.realised.values(), start=Decimal("0.00"))

    def _held(self, symbol: str) -> Position:
        if symbol not in self.positions:
            raise InternalError("portfolio.damaged_ledger", symbol=symbol)
        return self.positions[symbol]

    def _with(self, position: Position) -> Book:
        return replace(self, positions={**self.positions, position.symbol: position})

    def _without(self, position: Position) -> Book:
        return replace(self, positions={key: kept for key, kept in self.positions.items() if key != position.symbol})

    def _cash_after(self, fill: Fill) -> Decimal | None:
        return None if self.cash is None else self.cash + fill.cash_move

    def _sold(self, fill: Fill) -> Book:
        """The sale itself: oldest lots first, the cost of the sold shares at the average."""
        position = self._held(fill.symbol)
        held = position.shares
        if fill.shares > held:
            raise InternalError("portfolio.damaged_ledger", symbol=fill.symbol)
        if fill.shares == held:
            basis, book = position.basis, self._without(position)
        else:
            basis = (position.basis * fill.shares / held).quantize(COST_STEP, rounding=ROUND_HALF_UP)
            rest = replace(position, lots=_consumed(position.lots, fill.shares), basis=position.basis - basis)
            book = self._with(rest)
        profit = self.realised.get(fill.symbol, Decimal("0.00")) + fill.cash_move - basis
        return replace(book, realised={**self.realised, fill.symbol: profit})


def undone_batches(entries: Iterable[Recorded]) -> frozenset[str]:
    """The batches that no longer count. Taking back an undo brings its batch back."""
    undone: set[str] = set()
    for item in reversed(tuple(entries)):
        if isinstance(item.entry, Undo) and item.batch_id not in undone:
            undone.add(item.entry.batch_id)
    return frozenset(undone)


def _recorded(old: Position | None, change: PositionSet) -> Position:
    """A recorded holding. Lots survive as long as the buy day is not corrected; the exact cost as long as nothing in it is."""
    lots: tuple[Lot, ...] = (Lot(day=change.day, shares=change.shares),)
    basis = change.cost * change.shares
    if old is not None and change.day == old.buy_day:
        lots = _resized(old.lots, change.shares)
    if old is not None and (change.shares, change.cost) == (old.shares, old.cost):
        basis = old.basis
    return Position(symbol=change.symbol, name=change.name, lots=lots, basis=basis, stop_loss=change.stop_loss)


def _bought(old: Position | None, fill: Fill) -> Position:
    cost = -fill.cash_move
    lots = _merged(old.lots if old else (), Lot(day=fill.day, shares=fill.shares))
    return Position(
        symbol=fill.symbol,
        name=fill.name,
        lots=lots,
        basis=cost if old is None else old.basis + cost,
        stop_loss=old.stop_loss if old else None,
    )


def _merged(lots: tuple[Lot, ...], new: Lot) -> tuple[Lot, ...]:
    """The lots with one more purchase, one lot a day, oldest first."""
    by_day = {lot.day: lot.shares for lot in lots}
    by_day[new.day] = by_day.get(new.day, 0) + new.shares
    return tuple(Lot(day=day, shares=by_day[day]) for day in sorted(by_day))


def _consumed(lots: tuple[Lot, ...], shares: int) -> tuple[Lot, ...]:
    """The lots that are left when `shares` are taken from the oldest."""
    left: list[Lot] = []
    for lot in lots:
        taken = min(lot.shares, shares)
        shares -= taken
        if taken < lot.shares:
            left.append(replace(lot, shares=lot.shares - taken))
    return tuple(left)


def _resized(lots: tuple[Lot, ...], shares: int) -> tuple[Lot, ...]:
    """The lots corrected to a total: more goes to the newest, less comes off the oldest."""
    excess = sum(lot.shares for lot in lots) - shares
    if excess >= 0:
        return _consumed(lots, excess)
    return (*lots[:-1], replace(lots[-1], shares=lots[-1].shares - excess))
