"""Deriving the portfolio from its entries."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pytest

from runtime.clock import SHANGHAI
from runtime.core.approvals import Fees
from runtime.errors import InternalError
from runtime.market.rules.fees import Side
from runtime.portfolio.book import Book, Lot, undone_batches
from runtime.portfolio.entries import CashSet, Entry, Fill, PositionRemoved, PositionSet, Recorded, StopSet, Undo

YUNXI = "608001.SIM"
MONDAY, TUESDAY = date(2026, 6, 29), date(2026, 6, 30)


def a_fill(side: Side, shares: int, price: str, day: date = MONDAY, fee: str = "5.00") -> Fill:
    fees = Fees(commission=Decimal(fee), stamp_duty=Decimal(0), transfer_fee=Decimal(0))
    return Fill(
        side=side,
        symbol=YUNXI,
        name="云溪股份",
        shares=shares,
        price=Decimal(price),
        day=day,
        fees=fees,
        estimated=False,
    )


def a_holding(shares: int, cost: str, day: date = MONDAY) -> PositionSet:
    return PositionSet(
        symbol=YUNXI, name="云溪股份", shares=shares, cost=Decimal(cost), day=day, stop_loss=None, via="update"
    )


def a_ledger(*batches: tuple[str, Entry]) -> tuple[Recorded, ...]:
    at = datetime(2026, 6, 30, 16, 0, tzinfo=SHANGHAI)
    return tuple(
        Recorded(id=number, batch_id=batch, recorded_at=at, origin="terminal", entry=entry)
        for number, (batch, entry) in enumerate(batches, start=1)
    )


def test_average_cost_includes_buying_fees_and_is_exact_over_many_purchases() -> None:
    book = Book().after(a_fill("buy", 300, "10.00")).after(a_fill("buy", 400, "11.11", TUESDAY))
    held = book.positions[YUNXI]
    assert held.basis == Decimal("7454.00")
    assert held.cost == Decimal("10.6486")


def test_selling_everything_in_parts_realises_exactly_what_cash_gained() -> None:
    book = Book().after(CashSet(cash=Decimal(100_000), day=MONDAY)).after(a_fill("buy", 700, "10.01"))
    for _ in range(7):
        book = book.after(a_fill("sell", 100, "10.37", TUESDAY))
    assert book.cash is not None
    assert book.realised_total == book.cash - 100_000
    assert book.positions == {}


def test_a_correction_of_the_stop_alone_keeps_lots_and_the_exact_cost() -> None:
    book = Book().after(a_fill("buy", 300, "10.00")).after(a_fill("buy", 400, "11.11", TUESDAY))
    held = book.positions[YUNXI]
    corrected = book.after(a_holding(held.shares, str(held.cost), held.buy_day)).positions[YUNXI]
    assert (corrected.lots, corrected.basis) == (held.lots, held.basis)


@pytest.mark.parametrize(
    ("shares", "lots"),
    [
        (800, (Lot(day=MONDAY, shares=300), Lot(day=TUESDAY, shares=500))),
        (500, (Lot(day=MONDAY, shares=100), Lot(day=TUESDAY, shares=400))),
        (400, (Lot(day=TUESDAY, shares=400),)),
    ],
)
def test_corrected_shares_change_lots_to_the_careful_side_of_t_plus_1(shares: int, lots: tuple[Lot, ...]) -> None:
    book = Book().after(a_fill("buy", 300, "10.00")).after(a_fill("buy", 400, "11.00", TUESDAY))
    assert book.after(a_holding(shares, "10", TUESDAY)).positions[YUNXI].lots == lots


def test_a_corrected_buy_day_makes_one_lot() -> None:
    book = Book().after(a_fill("buy", 300, "10.00")).after(a_fill("buy", 400, "11.00", TUESDAY))
    assert book.after(a_holding(700, "10", MONDAY)).positions[YUNXI].lots == (Lot(day=MONDAY, shares=700),)


@pytest.mark.parametrize(
    "entry",
    [
        a_fill("sell", 100, "10"),
        PositionRemoved(symbol=YUNXI, name="云溪股份", day=MONDAY),
        StopSet(symbol=YUNXI, name="云溪股份", stop_loss=Decimal(9), day=MONDAY),
    ],
)
def test_a_ledger_that_contradicts_itself_is_not_guessed_over(entry: Entry) -> None:
    with pytest.raises(InternalError):
        Book.from_entries(a_ledger(("a", entry)))


def test_more_sold_than_held_is_a_contradiction() -> None:
    with pytest.raises(InternalError):
        Book().after(a_holding(50, "10")).after(a_fill("sell", 100, "10"))


def test_undone_batches_are_skipped_and_an_undone_undo_is_not() -> None:
    one, two = CashSet(cash=Decimal(1), day=MONDAY), CashSet(cash=Decimal(2), day=MONDAY)
    undo_two, redo_two = Undo(batch_id="two", day=MONDAY), Undo(batch_id="undo", day=MONDAY)
    undone = a_ledger(("one", one), ("two", two), ("undo", undo_two))
    redone = a_ledger(("one", one), ("two", two), ("undo", undo_two), ("redo", redo_two))
    assert (Book.from_entries(undone).cash, Book.from_entries(undone).version) == (Decimal(1), 3)
    assert (Book.from_entries(redone).cash, undone_batches(redone)) == (Decimal(2), frozenset({"undo"}))
