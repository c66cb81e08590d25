"""Costs of a trade."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.core.approvals import Fees
from runtime.market.rules.fees import DatedRate, FeeSchedule, load_fee_schedule

CASES = Path(__file__).parents[5] / "shared" / "cases" / "backtest.json"


@pytest.fixture(scope="module")
def schedule() -> FeeSchedule:
    return load_fee_schedule()


def test_fees_equal_those_of_the_hand_worked_trades(schedule: FeeSchedule) -> None:
    if not CASES.is_file():
        pytest.skip(f"the hand-worked cases are not there: {CASES}")
    compared = 0
    for case in json.loads(CASES.read_text("utf-8"))["cases"]:
        rules = case["rules"]
        own = FeeSchedule(
            commission_rate=Decimal(rules["commission_rate"]),
            minimum_commission=Decimal(rules["min_commission"]),
            stamp_duty=schedule.stamp_duty,
            transfer_fee=(DatedRate(since=date.min, rate=Decimal(rules["transfer_rate"])),),
        )
        for trade in case["expected"]["trades"]:
            found = own.fees(
                side=trade["side"],
                symbol=case["code"],
                amount=Decimal(trade["amount"]),
                day=date.fromisoformat(trade["date"]),
            )
            expected = Fees(
                commission=Decimal(trade["commission"]),
                stamp_duty=Decimal(trade["stamp"]),
                transfer_fee=Decimal(trade["transfer"]),
            )
            assert found == expected, (case["name"], trade)
            compared += 1
    assert compared > 10


def test_the_least_commission_is_five_yuan(schedule: FeeSchedule) -> None:
    fees = schedule.fees(side="buy", symbol="600000.SH", amount=Decimal(1000), day=date(2026, 3, 3))
    assert fees == Fees(commission=Decimal("5.00"), stamp_duty=Decimal("0.00"), transfer_fee=Decimal("0.01"))


@pytest.mark.parametrize(("day", "stamp"), [(date(2023, 8, 25), "100.00"), (date(2023, 8, 28), "50.00")])
def test_stamp_duty_is_that_of_the_day_and_falls_on_sales(schedule: FeeSchedule, day: date, stamp: str) -> None:
    amount = Decimal(100_000)
    assert schedule.fees(side="sell", symbol="600000.SH", amount=amount, day=day).stamp_duty == Decimal(stamp)
    assert schedule.fees(side="buy", symbol="600000.SH", amount=amount, day=day).stamp_duty == 0


@pytest.mark.parametrize(
    ("day", "fee"), [(date(2014, 1, 2), "0.00"), (date(2022, 4, 28), "2.00"), (date(2022, 4, 29), "1.00")]
)
def test_the_transfer_fee_is_that_of_the_day_on_both_sides(schedule: FeeSchedule, day: date, fee: str) -> None:
    for side in ("buy", "sell"):
        fees = schedule.fees(side=side, symbol="000001.SZ", amount=Decimal(100_000), day=day)
        assert fees.transfer_fee == Decimal(fee)


def test_a_fund_costs_commission_only(schedule: FeeSchedule) -> None:
    fees = schedule.fees(side="sell", symbol="510300.SH", amount=Decimal(100_000), day=date(2026, 3, 3))
    assert fees == Fees(commission=Decimal("25.00"), stamp_duty=Decimal("0.00"), transfer_fee=Decimal("0.00"))


def test_a_persons_commission_replaces_the_default(schedule: FeeSchedule) -> None:
    own = schedule.with_commission(rate=Decimal("0.0001"), minimum=Decimal(0))
    assert own.fees(side="buy", symbol="600000.SH", amount=Decimal(1000), day=date(2026, 3, 3)).commission == Decimal(
        "0.10"
    )
    assert schedule.with_commission() == schedule


@given(st.decimals(Decimal(1), Decimal(10_000_000), places=2))
def test_every_fee_is_whole_fen_and_a_sale_costs_no_less_than_a_purchase(amount: Decimal) -> None:
    schedule = load_fee_schedule()
    buy = schedule.fees(side="buy", symbol="600000.SH", amount=amount, day=date(2026, 3, 3))
    sell = schedule.fees(side="sell", symbol="600000.SH", amount=amount, day=date(2026, 3, 3))
    assert sell.total >= buy.total >= 5
    assert all(fee == fee.quantize(Decimal("0.01")) for fee in (sell.commission, sell.stamp_duty, sell.transfer_fee))
