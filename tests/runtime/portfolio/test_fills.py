"""Trades: cash, fees, lots, T+1, limits, estimated prices."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest

from runtime.core.approvals import Fees
from runtime.errors import UserError
from runtime.market.rules.fees import Side
from runtime.portfolio.operations import AddPosition, SetCash, SetStop, TradeFill
from runtime.portfolio.plan import Plan
from tests.support.portfolios import TODAY, Desk
from tests.support.prices import a_quote

YUNXI = "608001.SIM"
YESTERDAY = TODAY - timedelta(days=1)


def a_fill(
    side: Side,
    shares: int,
    price: str | None = "12.34",
    *,
    symbol: str = YUNXI,
    day: date | None = None,
    name: str = "",
) -> TradeFill:
    return TradeFill(
        side=side, symbol=symbol, shares=shares, price=None if price is None else Decimal(price), day=day, name=name
    )


async def with_cash(desk: Desk, amount: int = 100_000) -> None:
    await desk.service.apply(await desk.service.plan([SetCash(cash=Decimal(amount))]), "terminal")


async def holding(desk: Desk, shares: int, symbol: str = YUNXI, day: date = date(2026, 6, 1)) -> None:
    add = AddPosition(symbol=symbol, shares=shares, cost=Decimal(10), buy_day=day)
    await desk.service.apply(await desk.service.plan([add]), "terminal")


def codes(plan: Plan, severity: str) -> list[str]:
    return [notice.code for notice in plan.preview.notices if notice.severity == severity]


async def test_a_purchase_moves_cash_with_fees_and_costs_include_them(desk: Desk) -> None:
    await with_cash(desk)
    plan = await desk.service.plan([a_fill("buy", 1_000)])
    assert plan.preview.headline == "买入 云溪股份（608001.SIM）1000 股，价格 12.34 元"
    assert plan.preview.fees == Fees(
        commission=Decimal("5.00"), stamp_duty=Decimal("0.00"), transfer_fee=Decimal("0.12")
    )
    assert (plan.preview.cash_before, plan.preview.cash_after) == (Decimal("100000.00"), Decimal("87654.88"))
    assert (plan.preview.order_value, plan.preview.notices) == (Decimal("12340.00"), ())
    await desk.service.apply(plan, "terminal")
    held = (await desk.service.book()).positions[YUNXI]
    assert (held.basis, held.cost) == (Decimal("12345.12"), Decimal("12.3451"))


async def test_a_sale_brings_cash_and_realises_profit_after_all_fees(desk: Desk) -> None:
    await with_cash(desk)
    await desk.service.apply(await desk.service.plan([a_fill("buy", 1_000, "12.00", day=YESTERDAY)]), "terminal")
    await desk.service.apply(await desk.service.plan([a_fill("sell", 1_000)]), "terminal")
    view = await desk.service.view()
    assert view.positions == ()
    assert view.cash == Decimal("100000.00") - Decimal("12005.12") + Decimal("12340.00") - Decimal("11.29")
    assert view.realised == view.cash - Decimal("100000.00")


async def test_a_partial_sale_leaves_the_average_cost(desk: Desk) -> None:
    await holding(desk, 1_000)
    await desk.service.apply(await desk.service.plan([a_fill("sell", 400)]), "terminal")
    held = (await desk.service.book()).positions[YUNXI]
    assert (held.shares, held.cost) == (600, Decimal("10.0000"))


async def test_the_oldest_lots_are_sold_first(desk: Desk) -> None:
    for day, shares in ((date(2026, 6, 2), 300), (date(2026, 6, 1), 200), (TODAY, 100)):
        await desk.service.apply(await desk.service.plan([a_fill("buy", shares, day=day)]), "terminal")
    await desk.service.apply(await desk.service.plan([a_fill("sell", 400)]), "terminal")
    lots = (await desk.service.book()).positions[YUNXI].lots
    assert [(lot.day, lot.shares) for lot in lots] == [(date(2026, 6, 2), 100), (TODAY, 100)]


async def test_shares_bought_today_are_not_sold_today(desk: Desk) -> None:
    await holding(desk, 500)
    await desk.service.apply(await desk.service.plan([a_fill("buy", 300)]), "terminal")
    (held,) = (await desk.service.view()).positions
    assert (held.shares, held.sellable) == (800, 500)
    assert codes(await desk.service.plan([a_fill("sell", 600)]), "error") == ["t_plus_1"]
    assert codes(await desk.service.plan([a_fill("sell", 500)]), "error") == []
    tomorrow = desk.on(TODAY + timedelta(days=1))
    assert codes(await tomorrow.plan([a_fill("sell", 800)]), "error") == []


async def test_a_purchase_and_its_sale_in_one_batch_of_one_day_break_t_plus_1(desk: Desk) -> None:
    plan = await desk.service.plan([a_fill("buy", 100), a_fill("sell", 100)])
    assert codes(plan, "error") == ["t_plus_1"]


async def test_same_day_sale_of_a_fund_only_warns(desk: Desk) -> None:
    await holding(desk, 1_000, "510300.SH", TODAY)
    plan = await desk.service.plan([a_fill("sell", 1_000, "4.000", symbol="510300.SH")])
    assert (codes(plan, "error"), "t_plus_1_fund" in codes(plan, "warning")) == ([], True)


async def test_a_sale_dated_before_the_purchase_is_impossible(desk: Desk) -> None:
    await holding(desk, 500)
    assert codes(await desk.service.plan([a_fill("sell", 500, day=date(2026, 5, 29))]), "error") == ["t_plus_1"]


@pytest.mark.parametrize("held", [0, 100])
async def test_more_than_is_held_cannot_be_sold(desk: Desk, held: int) -> None:
    if held:
        await holding(desk, held)
    plan = await desk.service.plan([a_fill("sell", 200)])
    assert codes(plan, "error") == ["oversold"]
    (row,) = plan.preview.positions
    assert row.before == row.after
    with pytest.raises(UserError) as caught:
        await desk.service.apply(plan, "terminal")
    assert caught.value.key == "portfolio.blocked"
    assert "云溪股份" in str(caught.value.fields["reasons"])


@pytest.mark.parametrize(
    ("symbol", "price", "shares", "blocked"),
    [
        (YUNXI, "12.34", 150, True),
        (YUNXI, "12.34", 200, False),
        ("688901.SIM", "50", 150, True),
        ("688901.SIM", "50", 201, False),
    ],
)
async def test_a_purchase_keeps_the_lot(desk: Desk, symbol: str, price: str, shares: int, *, blocked: bool) -> None:
    plan = await desk.service.plan([a_fill("buy", shares, price, symbol=symbol)])
    assert codes(plan, "error") == (["lot_buy"] if blocked else [])


async def test_an_odd_rest_is_sold_whole(desk: Desk) -> None:
    await holding(desk, 250)
    assert codes(await desk.service.plan([a_fill("sell", 30)]), "error") == ["lot_sell"]
    assert codes(await desk.service.plan([a_fill("sell", 50)]), "error") == []


async def test_known_cash_never_goes_below_zero(desk: Desk) -> None:
    await with_cash(desk, 12_345)
    plan = await desk.service.plan([a_fill("buy", 1_000)])
    assert codes(plan, "error") == ["cash_short"]
    assert "差 0.12 元" in plan.preview.notices[0].text
    await with_cash(desk, 12_346)
    assert not (await desk.service.plan([a_fill("buy", 1_000)])).preview.blocked


async def test_a_sale_in_the_same_batch_pays_for_the_purchase_after_it(desk: Desk) -> None:
    await with_cash(desk, 0)
    await holding(desk, 1_000)
    buy = a_fill("buy", 500, "20.00", symbol="308001.SIM")
    assert not (await desk.service.plan([a_fill("sell", 1_000), buy])).preview.blocked
    assert codes(await desk.service.plan([buy, a_fill("sell", 1_000)]), "error") == ["cash_short"]


async def test_a_sale_whose_fees_eat_more_than_the_cash_is_refused(desk: Desk) -> None:
    await with_cash(desk, 0)
    await holding(desk, 1, "608009.SIM")
    plan = await desk.service.plan([a_fill("sell", 1, "2.00", symbol="608009.SIM")])
    assert codes(plan, "error") == ["cash_short"]


async def test_unknown_cash_stays_unknown_and_the_trade_goes_on(desk: Desk) -> None:
    plan = await desk.service.plan([a_fill("buy", 1_000)])
    assert codes(plan, "warning") == ["cash_unknown"]
    assert (plan.preview.cash_before, plan.preview.cash_after, plan.preview.equity_before) == (None, None, None)
    await desk.service.apply(plan, "terminal")
    view = await desk.service.view()
    assert (view.cash, view.equity, view.positions[0].weight) == (None, None, None)
    assert view.market_value == Decimal("12340.00")


async def test_a_trade_older_than_the_stated_cash_is_warned_about(desk: Desk) -> None:
    await with_cash(desk)
    plan = await desk.service.plan([a_fill("buy", 100, day=YESTERDAY)])
    assert codes(plan, "warning") == ["cash_stated_later"]


async def test_a_missing_price_is_the_last_close_marked_as_estimated(desk: Desk) -> None:
    await with_cash(desk)
    plan = await desk.service.plan([a_fill("buy", 1_000, None)])
    assert plan.preview.headline.endswith("价格 12.34 元（估计）")
    assert codes(plan, "warning") == ["estimated_price"]
    await desk.service.apply(plan, "terminal")
    (line, *_) = await desk.service.entries()
    assert line.text.endswith("（估计）")


async def test_without_any_price_the_person_is_asked_for_one(desk: Desk) -> None:
    desk.prices.remove(YUNXI)
    with pytest.raises(UserError) as caught:
        await desk.service.plan([a_fill("buy", 1_000, None)])
    assert caught.value.key == "portfolio.price_needed"
    plan = await desk.service.plan([a_fill("buy", 1_000)])
    assert codes(plan, "info") == ["no_quote"]
    assert (plan.preview.price_as_of, plan.preview.price_source) == (None, "")


async def test_an_unreachable_source_does_not_stop_recording(desk: Desk) -> None:
    desk.prices.fail()
    await desk.service.apply(await desk.service.plan([a_fill("buy", 1_000)]), "terminal")
    (held,) = (await desk.service.view()).positions
    assert (held.shares, held.quote, held.value) == (1_000, None, None)


async def test_a_quote_older_than_the_trade_is_warned_about_with_its_day(desk: Desk) -> None:
    desk.prices.set(a_quote(YUNXI, "12.34", previous="12.00", as_of=YESTERDAY))
    await with_cash(desk)
    plan = await desk.service.plan([a_fill("buy", 1_000)])
    (notice,) = plan.preview.notices
    assert (notice.code, notice.severity) == ("stale_price", "warning")
    assert "2026-06-29" in notice.text


@pytest.mark.parametrize(("price", "blocked"), [("13.20", False), ("13.21", True), ("10.80", False), ("10.79", True)])
async def test_a_price_outside_the_known_limits_of_its_day_is_impossible(
    desk: Desk, price: str, *, blocked: bool
) -> None:
    plan = await desk.service.plan([a_fill("buy", 100, price)])
    assert codes(plan, "error") == (["limit"] if blocked else [])


async def test_limits_that_are_only_guessed_warn(desk: Desk) -> None:
    tomorrow = await desk.on(TODAY + timedelta(days=1)).plan([a_fill("buy", 100, "15.00")])
    st = await desk.service.plan([a_fill("buy", 100, "2.15", symbol="608009.SIM")])
    desk.prices.set(a_quote(YUNXI, "6.20", previous="12.00", as_of=TODAY))  # the price itself says: ex-rights
    ex_rights = await desk.service.plan([a_fill("buy", 100, "6.30")])
    for plan in (tomorrow, st, ex_rights):
        assert (codes(plan, "error"), "limit_unsure" in codes(plan, "warning")) == ([], True)


async def test_days_before_the_quote_have_no_known_limits(desk: Desk) -> None:
    await with_cash(desk)
    plan = await desk.service.plan([a_fill("buy", 100, "30.00", day=YESTERDAY)])
    assert codes(plan, "warning") == ["cash_stated_later"]


async def test_a_trade_in_the_future_is_refused(desk: Desk) -> None:
    with pytest.raises(UserError) as caught:
        await desk.service.plan([a_fill("buy", 100, day=TODAY + timedelta(days=1))])
    assert caught.value.key == "portfolio.future_day"


async def test_a_trade_on_a_weekend_is_warned_about(desk: Desk) -> None:
    plan = await desk.service.plan([a_fill("buy", 100, day=date(2026, 6, 28))])
    assert "weekend" in codes(plan, "warning")


@pytest.mark.parametrize("price", ["0", "-1", "NaN", "1e9"])
async def test_an_impossible_price_is_refused(desk: Desk, price: str) -> None:
    with pytest.raises(UserError) as caught:
        await desk.service.plan([a_fill("buy", 100, price)])
    assert caught.value.key == "portfolio.bad_price"


async def test_a_purchase_of_more_keeps_the_stop_and_selling_out_drops_it(desk: Desk) -> None:
    await holding(desk, 100)
    stop = SetStop(symbol=YUNXI, stop_loss=Decimal(9))
    await desk.service.apply(await desk.service.plan([stop, a_fill("buy", 100, day=YESTERDAY)]), "terminal")
    assert (await desk.service.book()).positions[YUNXI].stop_loss == Decimal(9)
    sale, purchase = a_fill("sell", 200), a_fill("buy", 100)
    await desk.service.apply(await desk.service.plan([sale, purchase]), "terminal")
    assert (await desk.service.book()).positions[YUNXI].stop_loss is None


async def test_fees_and_order_value_of_a_batch_are_summed(desk: Desk) -> None:
    other = a_fill("buy", 500, "20.00", symbol="308001.SIM")
    plan = await desk.service.plan([a_fill("buy", 1_000), other])
    assert plan.preview.order_value == Decimal("22340.00")
    assert plan.preview.fees is not None
    assert plan.preview.fees.total == Decimal("10.22")
    assert plan.preview.headline.startswith("共 2 项：买入 云溪股份")


async def test_the_preview_speaks_english_on_demand(desk: Desk) -> None:
    plan = await desk.on(TODAY, "en").plan([a_fill("buy", 1_000)])
    assert plan.preview.headline == "Buy 云溪股份 (608001.SIM): 1000 shares at 12.34 yuan"
