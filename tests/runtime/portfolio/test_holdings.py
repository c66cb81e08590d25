"""Recording what is held: add, update, remove, cash, stops. None of them moves cash, except stating it."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest

from runtime.errors import UserError
from runtime.portfolio.operations import (
    AddPosition,
    Operation,
    RemovePosition,
    SetCash,
    SetStop,
    UpdatePosition,
)
from runtime.texts import LANGUAGES, Texts
from tests.support.portfolios import TODAY, Desk

YUNXI = "608001.SIM"


def an_add(
    symbol: str = YUNXI, shares: int = 1_000, cost: str = "11.5", day: date = date(2026, 6, 1), stop: str | None = None
) -> AddPosition:
    return AddPosition(
        symbol=symbol,
        shares=shares,
        cost=Decimal(cost),
        buy_day=day,
        stop_loss=None if stop is None else Decimal(stop),
    )


async def apply(desk: Desk, *operations: Operation) -> None:
    await desk.service.apply(await desk.service.plan(operations), "terminal")


async def refusal(desk: Desk, *operations: Operation) -> str:
    with pytest.raises(UserError) as caught:
        await desk.service.plan(operations)
    return caught.value.key


async def test_an_added_position_is_held_and_cash_stays(desk: Desk) -> None:
    await apply(desk, SetCash(cash=Decimal(50_000)), an_add(stop="10.8"))
    book = await desk.service.book()
    held = book.positions[YUNXI]
    assert (held.name, held.shares, held.cost, held.buy_day, held.stop_loss) == (
        "云溪股份",
        1_000,
        Decimal("11.5000"),
        date(2026, 6, 1),
        Decimal("10.8"),
    )
    assert book.cash == Decimal("50000.00")


async def test_add_never_overwrites(desk: Desk) -> None:
    await apply(desk, an_add())
    assert await refusal(desk, an_add(shares=2_000)) == "portfolio.already_held"


async def test_adding_the_same_stock_twice_in_a_batch_is_refused_as_a_whole(desk: Desk) -> None:
    assert await refusal(desk, an_add(), an_add()) == "portfolio.already_held"
    assert (await desk.service.view()).positions == ()


@pytest.mark.parametrize(
    ("operation", "key"),
    [
        (an_add(shares=0), "portfolio.bad_shares"),
        (an_add(shares=-100), "portfolio.bad_shares"),
        (an_add(shares=10**12), "portfolio.bad_shares"),
        (an_add(cost="0"), "portfolio.bad_cost"),
        (an_add(cost="0.00001"), "portfolio.bad_cost"),
        (an_add(cost="NaN"), "portfolio.bad_cost"),
        (an_add(cost="1e30"), "portfolio.bad_cost"),
        (an_add(stop="0"), "portfolio.bad_stop"),
        (an_add(stop="-1"), "portfolio.bad_stop"),
        (an_add(day=TODAY + timedelta(days=1)), "portfolio.future_day"),
        (an_add(symbol="00700.HK"), "portfolio.unsupported_market"),
        (an_add(symbol="600000"), "portfolio.unsupported_market"),
        (an_add(symbol="000001.SH"), "portfolio.not_tradable"),
        (an_add(symbol="601999.SH"), "portfolio.unknown_symbol"),
        (SetCash(cash=Decimal(-1)), "portfolio.bad_cash"),
        (SetCash(cash=Decimal("Infinity")), "portfolio.bad_cash"),
        (UpdatePosition(symbol=YUNXI, shares=100), "portfolio.not_held"),
        (RemovePosition(symbol=YUNXI), "portfolio.not_held"),
        (SetStop(symbol=YUNXI, stop_loss=Decimal(10)), "portfolio.not_held"),
    ],
)
async def test_nonsense_is_refused_with_a_text(desk: Desk, operation: Operation, key: str) -> None:
    with pytest.raises(UserError) as caught:
        await desk.service.plan([operation])
    assert caught.value.key == key
    assert all(Texts(language).error(caught.value) for language in LANGUAGES)


async def test_a_stock_bought_today_can_be_recorded(desk: Desk) -> None:
    await apply(desk, an_add(day=TODAY))
    (held,) = (await desk.service.view()).positions
    assert (held.shares, held.sellable) == (1_000, 0)


async def test_a_name_helps_where_the_table_knows_nothing(desk: Desk) -> None:
    unknown = AddPosition(symbol="601999.SH", shares=100, cost=Decimal(5), buy_day=TODAY, name="新股份")
    await apply(desk, unknown)
    assert (await desk.service.book()).positions["601999.SH"].name == "新股份"


async def test_a_name_of_another_stock_is_refused(desk: Desk) -> None:
    wrong = AddPosition(symbol=YUNXI, shares=100, cost=Decimal(5), buy_day=TODAY, name="青禾科技")
    assert await refusal(desk, wrong) == "portfolio.name_mismatch"


async def test_update_keeps_what_is_not_given(desk: Desk) -> None:
    await apply(desk, an_add(stop="10.8"))
    await apply(desk, UpdatePosition(symbol=YUNXI, shares=1_500))
    held = (await desk.service.book()).positions[YUNXI]
    assert (held.shares, held.cost, held.buy_day, held.stop_loss) == (
        1_500,
        Decimal("11.5000"),
        date(2026, 6, 1),
        Decimal("10.8"),
    )
    await apply(desk, UpdatePosition(symbol=YUNXI, cost=Decimal("12.3456")))
    await apply(desk, UpdatePosition(symbol=YUNXI, buy_day=date(2026, 6, 2)))
    held = (await desk.service.book()).positions[YUNXI]
    assert (held.shares, held.cost, held.buy_day) == (1_500, Decimal("12.3456"), date(2026, 6, 2))


async def test_an_update_clears_a_stop_with_none_and_keeps_it_when_absent(desk: Desk) -> None:
    await apply(desk, an_add(stop="10.8"))
    await apply(desk, UpdatePosition(symbol=YUNXI, cost=Decimal(12)))
    assert (await desk.service.book()).positions[YUNXI].stop_loss == Decimal("10.8")
    await apply(desk, UpdatePosition(symbol=YUNXI, stop_loss=None))
    assert (await desk.service.book()).positions[YUNXI].stop_loss is None


async def test_an_update_of_nothing_is_refused(desk: Desk) -> None:
    await apply(desk, an_add())
    assert await refusal(desk, UpdatePosition(symbol=YUNXI)) == "portfolio.nothing_given"


async def test_remove_strikes_off_without_cash_or_profit(desk: Desk) -> None:
    await apply(desk, SetCash(cash=Decimal(100)), an_add())
    await apply(desk, RemovePosition(symbol=YUNXI))
    view = await desk.service.view()
    assert (view.positions, view.cash, view.realised) == ((), Decimal("100.00"), Decimal("0.00"))


async def test_a_stop_is_set_and_cleared(desk: Desk) -> None:
    await apply(desk, an_add())
    await apply(desk, SetStop(symbol=YUNXI, stop_loss=Decimal("11.2")))
    assert (await desk.service.book()).positions[YUNXI].stop_loss == Decimal("11.2")
    await apply(desk, SetStop(symbol=YUNXI, stop_loss=None))
    assert (await desk.service.book()).positions[YUNXI].stop_loss is None


async def test_a_stop_that_the_price_has_already_reached_is_warned_about(desk: Desk) -> None:
    await apply(desk, an_add())
    for stop, codes in (("12.35", ["stop_above_price"]), ("12.34", ["stop_above_price"]), ("12.33", [])):
        plan = await desk.service.plan([SetStop(symbol=YUNXI, stop_loss=Decimal(stop))])
        assert [notice.code for notice in plan.preview.notices] == codes
        assert not plan.preview.blocked


async def test_a_batch_has_at_most_thirty_operations(desk: Desk) -> None:
    thirty = [SetCash(cash=Decimal(amount)) for amount in range(30)]
    await apply(desk, *thirty)
    assert await refusal(desk, *thirty, SetCash(cash=Decimal(1))) == "portfolio.too_many_operations"
    assert await refusal(desk) == "portfolio.no_operations"


async def test_the_preview_of_an_entry_shows_before_and_after(desk: Desk) -> None:
    await apply(desk, SetCash(cash=Decimal(10_000)), an_add())
    plan = await desk.service.plan([UpdatePosition(symbol=YUNXI, shares=2_000)])
    (row,) = plan.preview.positions
    assert row.before is not None
    assert row.after is not None
    assert (row.before.shares, row.before.value) == (1_000, Decimal("12340.00"))
    assert row.before.weight == pytest.approx(12_340 / 22_340)
    assert (row.after.shares, row.after.value) == (2_000, Decimal("24680.00"))
    assert row.after.weight == pytest.approx(24_680 / 34_680)
    assert plan.preview.equity_before == Decimal("22340.00")
    assert (plan.preview.fees, plan.preview.order_value) == (None, None)
    assert (plan.preview.price_as_of, plan.preview.price_source) == (TODAY, "样本市场")
    assert plan.preview.headline == (
        "更新持仓 云溪股份（608001.SIM）：2000 股，成本 11.50 元，买入日 2026-06-01（不动现金）"
    )
