"""Trading days of the mainland exchanges.

The table ends with what the exchanges have announced; beyond it weekdays are assumed, and `known_until` says so.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Final

from runtime.paths import resource

CLOSE: Final = time(15, 0)  # Asia/Shanghai; today's bar is final from here on


class TradingCalendar:
    """Which days have a session.

    Args:
        file: the table of `packaging/build_calendar.py`.
    """

    def __init__(self, file: Path | None = None) -> None:
        span, *closed = (file or resource("calendar", "xshg.csv")).read_text("utf-8").split()
        self.known_from, self.known_until = (date.fromisoformat(day) for day in span.split(","))
        self._closed = frozenset(date.fromisoformat(day) for day in closed)

    def is_session(self, day: date) -> bool:
        """Whether the exchanges trade on a day; a weekday outside the table counts as one."""
        return day.weekday() < 5 and day not in self._closed

    def last_session(self, day: date) -> date:
        """The newest trading day that is not after a day."""
        while not self.is_session(day):
            day -= timedelta(days=1)
        return day

    def last_final(self, now: datetime) -> date:
        """The newest trading day whose bar is final at a moment: today only after the close."""
        today = now.date()
        return self.last_session(today if now.time() >= CLOSE else today - timedelta(days=1))
