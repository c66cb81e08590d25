"""Apply, undo, versions, and the ledger itself."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from runtime.errors import TransientError, UserError
from runtime.portfolio import ledger
from runtime.portfolio.entries import CashSet, PositionSet
from runtime.portfolio.operations import AddPosition, Operation, RemovePosition, SetCash, SetStop, TradeFill
from tests.support.portfolios import TODAY, Desk

YUNXI, QINGHE = "608001.SIM", "308001.SIM"
ADD = AddPosition(symbol=YUNXI, shares=1_000, cost=Decimal("11.5"), buy_day=date(2026, 6, 1))
ADD_QINGHE = AddPosition(symbol=QINGHE, shares=200, cost=Decimal(18), buy_day=date(2026, 6, 1))
CASH = SetCash(cash=Decimal(50_000))
SELL = TradeFill(side="sell", symbol=YUNXI, shares=400, price=Decimal("12.50"))


async def apply(desk: Desk, *operations: Operation, origin: str = "terminal") -> None:
    await desk.service.apply(await desk.service.plan(operations), origin)


async def test_an_empty_portfolio_knows_no_cash(desk: Desk) -> None:
    view = await desk.service.view()
    assert (view.positions, view.cash, view.equity, view.as_of, view.version) == ((), None, None, None, 0)
    assert view.market_value == 0


async def test_the_view_values_holdings_with_day_and_source(desk: Desk) -> None:
    await apply(desk, CASH, ADD)
    view = await desk.service.view()
    (held,) = view.positions
    assert held.quote is not None
    assert (held.quote.price, held.quote.as_of, held.quote.source) == (Decimal("12.34"), TODAY, "样本市场")
    assert (held.value, held.profit) == (Decimal("12340.00"), Decimal("840.00"))
    assert held.profit_ratio == pytest.approx(0.840 / 11.5)
    assert held.weight == pytest.approx(12_340 / 62_340)
    assert (view.equity, view.as_of, view.today) == (Decimal("62340.00"), TODAY, TODAY)


async def test_one_missing_price_makes_the_equity_unknown_not_smaller(desk: Desk) -> None:
    await apply(desk, CASH, ADD, ADD_QINGHE)
    desk.prices.remove(QINGHE)
    view = await desk.service.view()
    assert (view.equity, view.market_value) == (None, None)
    assert view.positions[0].value == Decimal("12340.00")


async def test_what_the_preview_promises_is_what_the_view_shows(desk: Desk) -> None:
    await apply(desk, CASH, ADD)
    plan = await desk.service.plan([SELL, ADD_QINGHE, SetStop(symbol=YUNXI, stop_loss=Decimal(11))])
    await desk.service.apply(plan, "terminal")
    view = await desk.service.view()
    assert plan.preview.cash_after == view.cash
    shown = {held.symbol: held for held in view.positions}
    for row in plan.preview.positions:
        assert row.after is not None
        held = shown[row.symbol]
        assert (row.after.shares, row.after.cost, row.after.stop_loss, row.after.value, row.after.weight) == (
            held.shares,
            held.cost,
            held.stop_loss,
            held.value,
            held.weight,
        )


async def test_planning_writes_nothing(desk: Desk) -> None:
    await desk.service.plan([CASH, ADD])
    assert (await desk.service.view()).version == 0


async def test_a_plan_is_good_for_its_version_only(desk: Desk) -> None:
    old = await desk.service.plan([ADD])
    await apply(desk, CASH)
    with pytest.raises(TransientError) as caught:
        await desk.service.apply(old, "terminal")
    assert caught.value.key == "portfolio.version_changed"
    assert (await desk.service.view()).positions == ()


async def test_of_two_applications_at_once_one_wins(desk: Desk) -> None:
    first, second = await desk.service.plan([ADD]), await desk.service.plan([CASH])
    other = desk.on(TODAY)
    results = await asyncio.gather(
        desk.service.apply(first, "terminal"), other.apply(second, "chat:1"), return_exceptions=True
    )
    assert sorted(isinstance(result, TransientError) for result in results) == [False, True]
    assert (await desk.service.view()).version == 1


async def test_the_same_plan_is_not_applied_twice(desk: Desk) -> None:
    plan = await desk.service.plan([TradeFill(side="buy", symbol=YUNXI, shares=100, price=Decimal("12.34"))])
    await desk.service.apply(plan, "terminal")
    with pytest.raises(TransientError):
        await desk.service.apply(plan, "terminal")
    assert (await desk.service.book()).positions[YUNXI].shares == 100


async def test_an_application_that_fails_half_way_leaves_nothing(desk: Desk) -> None:
    def refuse_qinghe(connection: Connection) -> None:
        connection.execute(
            text(
                "CREATE TRIGGER broken BEFORE INSERT ON ledger WHEN NEW.symbol = '308001.SIM' "
                "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
            )
        )

    await desk.database.run(refuse_qinghe)
    plan = await desk.service.plan([CASH, ADD, ADD_QINGHE])
    with pytest.raises(IntegrityError, match="the disk is full"):
        await desk.service.apply(plan, "terminal")
    view = await desk.service.view()
    assert (view.positions, view.cash, view.version) == ((), None, 0)


@pytest.mark.parametrize("statement", ["UPDATE ledger SET shares = 1", "DELETE FROM ledger"])
async def test_the_database_refuses_to_change_the_past(desk: Desk, statement: str) -> None:
    await apply(desk, ADD)

    def tamper(connection: Connection) -> None:
        connection.execute(text(statement))

    with pytest.raises(IntegrityError, match="append-only"):
        await desk.database.run(tamper)
    assert (await desk.service.book()).positions[YUNXI].shares == 1_000


async def test_undo_restores_what_was_before(desk: Desk) -> None:
    await apply(desk, CASH, ADD)
    before = await desk.service.book()
    await apply(desk, SELL)
    plan = await desk.service.plan_undo()
    assert plan.preview.headline == "撤销：卖出 云溪股份（608001.SIM）400 股，价格 12.50 元"
    (row,) = plan.preview.positions
    assert row.before is not None
    assert row.after is not None
    assert (row.before.shares, row.after.shares) == (600, 1_000)
    assert plan.preview.cash_after == Decimal("50000.00")
    await desk.service.apply(plan, "terminal")
    after = await desk.service.book()
    assert after == replace(before, version=after.version)
    assert after.version > before.version


async def test_undo_takes_back_a_batch_as_a_whole_and_cash_becomes_unknown_again(desk: Desk) -> None:
    await apply(desk, CASH, ADD, ADD_QINGHE)
    await desk.service.undo("terminal")
    view = await desk.service.view()
    assert (view.positions, view.cash) == ((), None)


async def test_undoing_an_undo_is_a_redo(desk: Desk) -> None:
    await apply(desk, CASH)
    await apply(desk, ADD)
    done = await desk.service.book()
    for expected_headline, held in (("撤销：录入", 0), ("恢复：录入", 1), ("撤销：录入", 0), ("恢复：录入", 1)):
        applied = await desk.service.undo("terminal")
        assert applied.headline.startswith(expected_headline)
        assert len((await desk.service.book()).positions) == held
    book = await desk.service.book()
    assert book == replace(done, version=book.version)


async def test_there_is_nothing_to_undo_in_an_empty_ledger(desk: Desk) -> None:
    with pytest.raises(UserError) as caught:
        await desk.service.plan_undo()
    assert caught.value.key == "portfolio.nothing_to_undo"


async def test_an_undo_planned_before_another_write_is_refused(desk: Desk) -> None:
    await apply(desk, ADD)
    plan = await desk.service.plan_undo()
    await apply(desk, CASH)
    with pytest.raises(TransientError):
        await desk.service.apply(plan, "terminal")


async def test_the_ledger_list_is_newest_first_in_words_with_origin(desk: Desk) -> None:
    await apply(desk, CASH)
    await apply(desk, ADD, SetStop(symbol=YUNXI, stop_loss=Decimal(11)), origin="chat:t1")
    await apply(desk, SetStop(symbol=YUNXI, stop_loss=None))
    await apply(desk, RemovePosition(symbol=YUNXI))
    await desk.service.undo("terminal")
    lines = await desk.service.entries()
    assert [line.text.partition("（")[0] for line in lines] == [
        "撤销：删除持仓记录 云溪股份",
        "删除持仓记录 云溪股份",
        "取消 云溪股份",
        "云溪股份",
        "录入持仓 云溪股份",
        "可用现金设为 50,000.00 元",
    ]
    assert [line.undone for line in lines] == [False, True, False, False, False, False]
    assert lines[3].recorded.origin == "chat:t1"
    assert lines[3].recorded.batch_id == lines[4].recorded.batch_id
    assert len(await desk.service.entries(limit=2)) == 2
    assert await desk.service.entries(limit=0) == ()


async def test_every_kind_of_entry_survives_the_database(desk: Desk) -> None:
    await apply(desk, CASH, ADD, SELL, SetStop(symbol=YUNXI, stop_loss=Decimal("11.1234")))
    await apply(desk, SetStop(symbol=YUNXI, stop_loss=None))
    buy = TradeFill(side="buy", symbol=QINGHE, shares=100)
    plan = await desk.service.plan([buy, RemovePosition(symbol=YUNXI)])
    await desk.service.apply(plan, "terminal")
    await desk.service.undo("terminal")
    imported = PositionSet(
        symbol=YUNXI,
        name="云溪股份",
        shares=7,
        cost=Decimal("1.2345"),
        day=TODAY,
        stop_loss=None,
        via="import",
    )
    entries = [item.entry for item in await desk.database.run(ledger.read)] + [imported]

    def write_again(connection: Connection) -> None:
        ledger.append(connection, entries, batch_id="copy", at=recorded[0].recorded_at, origin="import")

    recorded = await desk.database.run(ledger.read)
    await desk.database.run(write_again)
    copied = [item.entry for item in await desk.database.run(ledger.read) if item.batch_id == "copy"]
    assert copied == entries
    assert [item.entry for item in recorded[:1]] == [CashSet(cash=Decimal("50000.00"), day=TODAY)]


async def test_another_opening_of_the_same_home_sees_the_same_portfolio(desk: Desk) -> None:
    await apply(desk, CASH, ADD)
    assert await desk.on(TODAY + timedelta(days=1)).book() == await desk.service.book()
