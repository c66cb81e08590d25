"""What holds for every sequence of operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.clock import SHANGHAI
from runtime.errors import UserError
from runtime.market.rules.fees import load_fee_schedule
from runtime.market.rules.limits import load_limit_schedule
from runtime.portfolio.book import Book
from runtime.portfolio.context import Context
from runtime.portfolio.entries import Fill, Recorded, Undo
from runtime.portfolio.operations import (
    KEEP,
    AddPosition,
    Operation,
    RemovePosition,
    SetCash,
    SetStop,
    TradeFill,
    UpdatePosition,
)
from runtime.portfolio.plan import Plan, plan_operations, plan_undo
from runtime.portfolio.views import portfolio_view
from runtime.texts import Texts
from tests.support.prices import a_quote, an_instrument

TODAY = date(2026, 6, 30)
PRICES = {"608001.SIM": "12.34", "688901.SIM": "50.00"}
CONTEXT = Context(
    quotes={symbol: a_quote(symbol, price, previous=price, as_of=TODAY) for symbol, price in PRICES.items()},
    instruments={symbol: an_instrument(symbol, f"甲{symbol[:3]}") for symbol in PRICES},
    today=TODAY,
    fees=load_fee_schedule(),
    limits=load_limit_schedule(),
)
TEXTS = Texts()


def days_before(count: int) -> date:
    return TODAY - timedelta(days=count)


symbols = st.sampled_from(sorted(PRICES))
shares = st.sampled_from([100, 150, 200, 300, 400, 1_000])
prices = st.decimals(Decimal("0.01"), Decimal(100), places=4)
days = st.integers(0, 5).map(days_before)
stops = st.one_of(st.just(KEEP), st.none(), prices)
buys = st.builds(TradeFill, side=st.just("buy"), symbol=symbols, shares=shares, day=days)
sells = st.builds(
    TradeFill, side=st.just("sell"), symbol=symbols, shares=shares, day=st.sampled_from([TODAY, TODAY, days_before(2)])
)
fills = st.sampled_from([buys, sells]).flatmap(lambda kind: kind)
holdings = st.one_of(
    st.builds(AddPosition, symbol=symbols, shares=shares, cost=prices, buy_day=days, stop_loss=stops),
    st.builds(
        UpdatePosition,
        symbol=symbols,
        shares=st.none() | shares,
        cost=st.none() | prices,
        buy_day=st.none() | days,
        stop_loss=stops,
    ),
    st.builds(RemovePosition, symbol=symbols),
    st.builds(SetCash, cash=st.decimals(Decimal(0), Decimal(40_000), places=2)),
    st.builds(SetStop, symbol=symbols, stop_loss=st.none() | prices),
)
# Chosen before drawing: a union of strategies would be flattened, and trades would be rare among seven kinds.
operations = st.sampled_from([fills, fills, holdings]).flatmap(lambda kind: kind)
batches = st.lists(st.lists(operations, min_size=1, max_size=2), min_size=4, max_size=25)
last_batches = st.lists(operations, min_size=1, max_size=4)

prove = settings(deadline=None, max_examples=150)


def appended(recorded: tuple[Recorded, ...], plan: Plan) -> tuple[Recorded, ...]:
    """The ledger after a plan, as the service writes it."""
    start = len(recorded) + 1
    at = datetime(2026, 6, 30, 16, 0, tzinfo=SHANGHAI)
    new = (
        Recorded(id=number, batch_id=f"batch-{start}", recorded_at=at, origin="terminal", entry=entry)
        for number, entry in enumerate(plan.entries, start=start)
    )
    return (*recorded, *new)


def accepted(recorded: tuple[Recorded, ...], operations: Sequence[Operation]) -> Plan | None:
    """The plan of operations where it can be applied."""
    try:
        plan = plan_operations(operations, Book.from_entries(recorded), CONTEXT, TEXTS)
    except UserError:
        return None
    return None if plan.preview.blocked else plan


def history(tried: Sequence[Sequence[Operation]]) -> tuple[Recorded, ...]:
    recorded: tuple[Recorded, ...] = ()
    for operations in tried:
        plan = accepted(recorded, operations)
        recorded = recorded if plan is None else appended(recorded, plan)
    return recorded


@prove
@given(batches)
def test_replaying_the_ledger_equals_applying_step_by_step(tried: Sequence[Sequence[Operation]]) -> None:
    recorded = history(tried)
    book = Book()
    for item in recorded:
        assert not isinstance(item.entry, Undo)
        book = book.after(item.entry)
    assert Book.from_entries(recorded) == replace(book, version=len(recorded))


@prove
@given(batches)
def test_known_cash_is_never_negative_and_positions_are_never_empty(tried: Sequence[Sequence[Operation]]) -> None:
    recorded = history(tried)
    for count in range(len(recorded) + 1):
        book = Book.from_entries(recorded[:count])
        assert book.cash is None or book.cash >= 0
        assert all(lot.shares > 0 for held in book.positions.values() for lot in held.lots)
        assert all(held.basis > 0 for held in book.positions.values())


@prove
@given(st.lists(fills, min_size=4, max_size=30))
def test_held_shares_are_those_bought_less_those_sold(tried: Sequence[TradeFill]) -> None:
    recorded = history([[fill] for fill in tried])
    for symbol in PRICES:
        traded = [item.entry for item in recorded if isinstance(item.entry, Fill) and item.entry.symbol == symbol]
        net = sum(fill.shares if fill.side == "buy" else -fill.shares for fill in traded)
        held = Book.from_entries(recorded).positions.get(symbol)
        assert (0 if held is None else sum(lot.shares for lot in held.lots)) == net


@prove
@given(st.lists(fills, min_size=4, max_size=30))
def test_realised_profit_and_what_holdings_cost_explain_every_fen_of_cash(tried: Sequence[TradeFill]) -> None:
    recorded = history([[SetCash(cash=Decimal(1_000_000))], *[[fill] for fill in tried]])
    book = Book.from_entries(recorded)
    basis = sum((held.basis for held in book.positions.values()), start=Decimal(0))
    assert book.cash == 1_000_000 - basis + book.realised_total


@prove
@given(batches, last_batches)
def test_apply_then_undo_restores_the_book(tried: Sequence[Sequence[Operation]], last: Sequence[Operation]) -> None:
    recorded = history(tried)
    plan = accepted(recorded, last)
    if plan is None:
        return
    before = Book.from_entries(recorded)
    applied = appended(recorded, plan)
    undone = appended(applied, plan_undo(applied, CONTEXT, TEXTS))
    redone = appended(undone, plan_undo(undone, CONTEXT, TEXTS))
    assert Book.from_entries(undone) == replace(before, version=undone[-1].id)
    assert Book.from_entries(redone) == replace(Book.from_entries(applied), version=redone[-1].id)


@prove
@given(batches, last_batches)
def test_the_previewed_after_is_the_view_after(tried: Sequence[Sequence[Operation]], last: Sequence[Operation]) -> None:
    recorded = history(tried)
    plan = accepted(recorded, last)
    if plan is None:
        return
    view = portfolio_view(Book.from_entries(appended(recorded, plan)), CONTEXT.quotes, TODAY)
    shown = {held.symbol: held for held in view.positions}
    assert plan.preview.cash_after == view.cash
    for row in plan.preview.positions:
        if row.after is None:
            assert row.symbol not in shown
            continue
        held = shown[row.symbol]
        after = row.after
        assert (after.shares, after.cost, after.stop_loss) == (held.shares, held.cost, held.stop_loss)
        assert (after.value, after.weight) == (held.value, held.weight)
