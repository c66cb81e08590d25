"""Bars and files of bars that a test can read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from runtime.market.bars import Adjust, Bars, days

REAL = "600519.SH"
HEADING = "symbol,date,open,high,low,close,volume,amount"


def weekdays(first: date, count: int) -> list[date]:
    """The first `count` weekdays from a day on."""
    found: list[date] = []
    while len(found) < count:
        if first.weekday() < 5:
            found.append(first)
        first += timedelta(days=1)
    return found


def series(
    symbol: str = REAL,
    *,
    first: date = date(2025, 12, 1),
    closes: Sequence[float] = (10.0, 11.0, 12.0),
    adjust: Adjust = "raw",
    source: str = "测试",
) -> Bars:
    """Bars with these closes on weekdays from a day on."""
    close = np.array(closes, dtype=np.float64)
    return Bars(
        symbol=symbol,
        dates=days(weekdays(first, len(closes))),
        open=close,
        high=close * 1.01,
        low=close * 0.99,
        close=close,
        volume=np.full(len(close), 1000.0),
        amount=np.full(len(close), np.nan),
        adjust=adjust,
        source=source,
    )


def rows_of(bars: Bars) -> list[str]:
    """The same as lines of a file."""
    return [
        f"{bars.symbol},{day},{bars.open[i]:.4f},{bars.high[i]:.4f},{bars.low[i]:.4f},{bars.close[i]:.4f},1000,"
        for i, day in enumerate(bars.dates)
    ]


def csv_file(path: Path, *lines: str, heading: str = HEADING) -> Path:
    """A CSV file with these lines."""
    path.write_text("\n".join([heading, *lines]) + "\n", "utf-8")
    return path
