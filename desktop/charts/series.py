"""Bars for drawing: daily, or joined to weeks and months, with the way from a day to its bar."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np

from runtime.market.bars import Bars, Days, Floats, Period

UNITS: Final[dict[Period, str]] = {"week": "W", "month": "M"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Series:
    """n bars to draw.

    Attributes:
        dates: last day of each bar.
        of_day: for every daily bar the bar that it is in, shape (days,).
        period: what a bar is.
    """

    dates: Days
    open: Floats
    high: Floats
    low: Floats
    close: Floats
    volume: Floats
    of_day: np.ndarray[tuple[int], np.dtype[np.int64]]
    period: Period

    def __len__(self) -> int:
        return len(self.dates)

    def average(self, length: int) -> Floats:
        """The moving average of the closes, NaN before there are enough."""
        result = np.full(len(self), np.nan)
        if len(self) >= length:
            total = np.cumsum(np.insert(self.close, 0, 0.0))
            result[length - 1 :] = (total[length:] - total[:-length]) / length
        return result

    def index_of(self, day: date) -> int | None:
        """The bar that a day is in; None when it lies after the last."""
        index = int(np.searchsorted(self.dates, np.datetime64(day, "D")))
        return index if index < len(self) else None


def series(bars: Bars, period: Period) -> Series:
    """The bars of a period. A week or month that is not over is a bar like any other."""
    if period == "day":
        starts = np.arange(len(bars))
    elif period == "week":
        weeks = (bars.dates.astype("datetime64[D]").astype(np.int64) + 3) // 7  # Monday to Sunday
        starts = np.flatnonzero(np.diff(weeks, prepend=weeks[0] - 1))
    else:
        months = bars.dates.astype("datetime64[M]").astype(np.int64)
        starts = np.flatnonzero(np.diff(months, prepend=months[0] - 1))
    ends = np.append(starts[1:], len(bars)) - 1
    counts = ends - starts + 1
    return Series(
        dates=bars.dates[ends],
        open=bars.open[starts],
        high=np.maximum.reduceat(bars.high, starts),
        low=np.minimum.reduceat(bars.low, starts),
        close=bars.close[ends],
        volume=np.add.reduceat(bars.volume, starts),
        of_day=np.repeat(np.arange(len(starts)), counts),
        period=period,
    )
