"""Build `resources/calendar/xshg.csv`: the weekdays on which the mainland exchanges were or are announced to be closed.

Input is the library `exchange_calendars` (Apache-2.0). Run it where that is installed:

    python -m pip install exchange_calendars
    python packaging/build_calendar.py
"""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "resources" / "calendar" / "xshg.csv"


def main() -> None:
    """Write the table: first line the known span, then one closed weekday a line."""
    import exchange_calendars

    calendar = exchange_calendars.get_calendar("XSHG", start="1990-12-19")
    sessions = {stamp.date() for stamp in calendar.sessions}
    # The library extends its schedule by weekdays; what the exchange has announced ends with the last holiday it knows.
    first, last = min(sessions), date(max(stamp.date() for stamp in calendar.adhoc_holidays).year, 12, 31)
    closed = [day for day in weekdays(first, last) if day not in sessions]
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text("\n".join([f"{first},{last}", *map(str, closed)]) + "\n", encoding="utf-8")
    print(f"{len(closed)} closed weekdays from {first} to {last}")


def weekdays(first: date, last: date) -> list[date]:
    """Monday to Friday of a span."""
    span = (first + timedelta(days=offset) for offset in range((last - first).days + 1))
    return [day for day in span if day.weekday() < 5]


if __name__ == "__main__":
    main()
