"""Daily bars of one instrument as aligned arrays.

Always: dates strictly ascending, one bar a session, suspended days absent, low <= open, close <= high, prices > 0, volume in shares,
amount in yuan (NaN where the source has none). A series has one adjustment; series of different adjustment are never joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Adjust: TypeAlias = Literal["raw", "qfq", "hfq"]
Period: TypeAlias = Literal["day", "week", "month"]
Floats: TypeAlias = NDArray[np.float64]
Days: TypeAlias = NDArray[np.datetime64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bars:
    """n bars of one instrument; every array has shape (n,).

    Attributes:
        symbol: exchange-qualified id.
        dates: datetime64[D], ascending.
        open: yuan; the same for high, low and close.
        volume: shares.
        amount: yuan, NaN where unknown.
        adjust: `raw`, `qfq` (adjusted to the last bar) or `hfq` (adjusted to the first).
        source: where the bars came from, as shown to a person.
    """

    symbol: str
    dates: Days
    open: Floats
    high: Floats
    low: Floats
    close: Floats
    volume: Floats
    amount: Floats
    adjust: Adjust
    source: str

    def __len__(self) -> int:
        return len(self.dates)

    @property
    def first_date(self) -> date:
        """Day of the first bar."""
        return day(self.dates[0])

    @property
    def as_of(self) -> date:
        """Day of the last bar."""
        return day(self.dates[-1])

    def tail(self, count: int) -> Bars:
        """The last `count` bars (all when there are fewer)."""
        return self.cut(max(0, len(self) - count), len(self))

    def until(self, last: date) -> Bars:
        """The bars up to and including a day."""
        return self.cut(0, int(np.searchsorted(self.dates, np.datetime64(last, "D"), side="right")))

    def cut(self, start: int, stop: int) -> Bars:
        """The bars `start:stop` as views of the same arrays."""
        part = slice(start, stop)
        return Bars(
            symbol=self.symbol,
            dates=self.dates[part],
            open=self.open[part],
            high=self.high[part],
            low=self.low[part],
            close=self.close[part],
            volume=self.volume[part],
            amount=self.amount[part],
            adjust=self.adjust,
            source=self.source,
        )


def day(value: np.datetime64) -> date:
    """The date of one element of `Bars.dates`."""
    return date.fromordinal(int(value.astype("datetime64[D]").astype(np.int64)) + _EPOCH_ORDINAL)


def days(values: Sequence[date]) -> Days:
    """An array of datetime64[D] from dates."""
    return np.array(values, dtype="datetime64[D]")


_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
