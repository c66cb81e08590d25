"""Wall-clock time in Asia/Shanghai and monotonic time for durations.

All times in the program are aware. `WYCKOFF_NOW` replaces the wall clock and stands still; monotonic time always runs.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import date, datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from runtime.errors import UserError

SHANGHAI = ZoneInfo("Asia/Shanghai")


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """Aware wall-clock time, Asia/Shanghai."""
        ...

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back; only differences mean anything."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Aware wall-clock time, Asia/Shanghai."""
        return datetime.now(SHANGHAI)

    def monotonic(self) -> float:
        """Seconds since an arbitrary moment."""
        return time.monotonic()


class FixedClock:
    """A wall clock that stands still, with running monotonic time.

    Args:
        moment: aware time that `now()` always returns.
    """

    def __init__(self, moment: datetime) -> None:
        self._moment = moment.astimezone(SHANGHAI)

    def now(self) -> datetime:
        """The fixed moment."""
        return self._moment

    def monotonic(self) -> float:
        """Seconds since an arbitrary moment."""
        return time.monotonic()


def clock_from_environment(environment: Mapping[str, str]) -> Clock:
    """The clock that `WYCKOFF_NOW` asks for, else the machine's.

    Raises:
        UserError: `WYCKOFF_NOW` is neither a date nor an ISO time.
    """
    text = environment.get("WYCKOFF_NOW", "").strip()
    return FixedClock(parse_moment(text)) if text else SystemClock()


def parse_moment(text: str) -> datetime:
    """An aware time from a date or ISO time; without an offset it is Asia/Shanghai.

    Raises:
        UserError: the text is neither.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UserError("settings.bad_now", value=text) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=SHANGHAI)


def parse_day(text: str) -> date:
    """A calendar date from `2026-06-30` or `20260630`.

    Raises:
        ValueError: the text is no date.
    """
    return date.fromisoformat(text.strip().replace("/", "-"))
