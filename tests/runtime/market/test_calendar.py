"""Trading days: holidays, the hour of the close, and days beyond the table."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.clock import SHANGHAI
from runtime.market.calendar import TradingCalendar

CALENDAR = TradingCalendar()


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=SHANGHAI)


@pytest.mark.parametrize("day", ["2026-10-01", "2026-10-07", "2026-06-27", "2026-06-28", "1991-01-01"])
def test_holidays_and_weekends_have_no_session(day: str) -> None:
    assert not CALENDAR.is_session(date.fromisoformat(day))


@pytest.mark.parametrize("day", ["2026-06-30", "2026-09-30", "2026-10-08"])
def test_other_weekdays_have_one(day: str) -> None:
    assert CALENDAR.is_session(date.fromisoformat(day))


@pytest.mark.parametrize(
    ("moment", "final"),
    [
        ("2026-06-30T14:59:59", "2026-06-29"),  # a Tuesday before the close
        ("2026-06-30T15:00:00", "2026-06-30"),
        ("2026-06-29T09:00:00", "2026-06-26"),  # a Monday morning: Friday
        ("2026-06-28T20:00:00", "2026-06-26"),  # a Sunday
        ("2026-10-06T12:00:00", "2026-09-30"),  # in the holiday
        ("2026-10-08T10:00:00", "2026-09-30"),  # the first morning after it
        ("2026-10-08T15:00:00", "2026-10-08"),
    ],
)
def test_a_bar_is_final_after_the_close(moment: str, final: str) -> None:
    assert CALENDAR.last_final(at(moment)) == date.fromisoformat(final)


def test_beyond_the_table_weekdays_are_assumed_and_the_table_says_where_it_ends() -> None:
    beyond = CALENDAR.known_until + timedelta(days=400)
    while beyond.weekday() != 2:
        beyond += timedelta(days=1)
    assert CALENDAR.is_session(beyond)
    assert CALENDAR.known_from < date(2000, 1, 1) < CALENDAR.known_until


@given(st.dates(date(1991, 1, 1), date(2040, 1, 1)))
def test_the_last_session_is_a_session_not_after_the_day_and_none_lies_between(day: date) -> None:
    last = CALENDAR.last_session(day)
    assert CALENDAR.is_session(last)
    assert last <= day
    assert not any(CALENDAR.is_session(last + timedelta(days=n)) for n in range(1, (day - last).days + 1))
