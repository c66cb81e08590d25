"""Price limits by board, special treatment, listing and date."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.market.rules.limits import LimitSchedule, Listing, PriceLimits, load_limit_schedule

CASES = Path(__file__).parents[5] / "shared" / "cases" / "backtest.json"
WHEN_ST_HAD_FIVE_PERCENT = date(2025, 3, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    code: str
    previous_close: Decimal
    st: bool
    up: Decimal
    down: Decimal


def _cases() -> list[Case]:
    if not CASES.is_file():
        return []
    rows = json.loads(CASES.read_text("utf-8"))["price_limits"]
    return [
        Case(
            code=row["code"],
            previous_close=Decimal(row["prev_close"]),
            st=row["st"],
            up=Decimal(row["up"]),
            down=Decimal(row["down"]),
        )
        for row in rows
    ]


@pytest.fixture(scope="module")
def schedule() -> LimitSchedule:
    return load_limit_schedule()


def test_limits_equal_the_hand_worked_cases(schedule: LimitSchedule) -> None:
    cases = _cases()
    if not cases:
        pytest.skip(f"the hand-worked cases are not there: {CASES}")
    for case in cases:
        found = schedule.limits(case.code, case.previous_close, WHEN_ST_HAD_FIVE_PERCENT, st=case.st)
        assert found == PriceLimits(up=case.up, down=case.down), case


@pytest.mark.parametrize(
    ("symbol", "day", "up"),
    [
        ("300750.SZ", date(2020, 8, 21), "11.00"),
        ("300750.SZ", date(2020, 8, 24), "12.00"),
        ("688981.SH", date(2020, 8, 21), "12.00"),
        ("920748.BJ", date(2024, 1, 2), "13.00"),
        ("608001.SIM", date(2024, 1, 2), "11.00"),
        ("510300.SH", date(2024, 1, 2), "11.000"),
    ],
)
def test_the_ratio_is_that_of_board_and_day(schedule: LimitSchedule, symbol: str, day: date, up: str) -> None:
    found = schedule.limits(symbol, Decimal("10.00"), day)
    assert found is not None
    assert found.up == Decimal(up)


def test_special_treatment_narrows_the_main_board_only(schedule: LimitSchedule) -> None:
    day = WHEN_ST_HAD_FIVE_PERCENT
    main = schedule.limits("600000.SH", Decimal(10), day, st=True)
    chinext = schedule.limits("300750.SZ", Decimal(10), day, st=True)
    assert main is not None
    assert chinext is not None
    assert (main.up, chinext.up) == (Decimal("10.50"), Decimal("12.00"))


def test_the_st_limit_warns_only_once_its_change_is_announced(schedule: LimitSchedule) -> None:
    before = schedule.limits("600000.SH", Decimal(10), date(2025, 6, 26), st=True)
    after = schedule.limits("600000.SH", Decimal(10), date(2025, 6, 27), st=True)
    assert before is not None
    assert after is not None
    assert (before.certain, after.certain) == (True, False)


def test_a_person_can_set_the_st_ratio_from_a_day_on(schedule: LimitSchedule) -> None:
    changed = schedule.with_st_ratio(Decimal("0.10"), date(2026, 7, 6))
    before = changed.limits("600000.SH", Decimal(10), date(2026, 7, 3), st=True)
    after = changed.limits("600000.SH", Decimal(10), date(2026, 7, 6), st=True)
    assert before is not None
    assert before.up == Decimal("10.50")
    assert after == PriceLimits(up=Decimal("11.00"), down=Decimal("9.00"), certain=True)


@pytest.mark.parametrize(
    ("symbol", "listed", "session", "free"),
    [
        ("688981.SH", date(2020, 7, 16), 1, True),
        ("688981.SH", date(2020, 7, 16), 5, True),
        ("688981.SH", date(2020, 7, 16), 6, False),
        ("300999.SZ", date(2020, 10, 15), 5, True),
        ("300100.SZ", date(2010, 7, 1), 2, False),
        ("601111.SH", date(2023, 4, 10), 5, True),
        ("601111.SH", date(2023, 4, 7), 2, False),
        ("920748.BJ", date(2023, 1, 5), 1, True),
        ("920748.BJ", date(2023, 1, 5), 2, False),
    ],
)
def test_the_first_sessions_are_free(
    schedule: LimitSchedule, symbol: str, listed: date, session: int, *, free: bool
) -> None:
    found = schedule.limits(symbol, Decimal(10), date(2024, 1, 2), listing=Listing(day=listed, session=session))
    assert (found is None) is free


def test_the_limit_of_a_fund_only_warns(schedule: LimitSchedule) -> None:
    found = schedule.limits("588000.SH", Decimal("1.005"), date(2024, 1, 2))
    assert found is not None
    assert not found.certain
    assert found.up == Decimal("1.106")


def test_there_was_no_limit_before_the_first_rule(schedule: LimitSchedule) -> None:
    assert schedule.limits("600000.SH", Decimal(10), date(1996, 12, 13)) is None


@given(st.decimals(Decimal("0.01"), Decimal(3000), places=2), st.sampled_from(["600000", "300750", "830799"]))
def test_limits_lie_on_ticks_around_the_previous_close(previous: Decimal, code: str) -> None:
    found = load_limit_schedule().limits(code, previous, date(2024, 1, 2))
    assert found is not None
    assert found.down <= previous < found.up
    assert found.up == found.up.quantize(Decimal("0.01"))
    assert found.down >= Decimal("0.01")


@pytest.mark.parametrize(("previous", "down", "up"), [("0.04", "0.03", "0.05"), ("0.01", "0.01", "0.02")])
def test_a_limit_moves_the_price_by_at_least_one_tick(
    schedule: LimitSchedule, previous: str, down: str, up: str
) -> None:
    found = schedule.limits("600000.SH", Decimal(previous), date(2024, 1, 2))
    assert found == PriceLimits(up=Decimal(up), down=Decimal(down))
