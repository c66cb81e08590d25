"""What a chart is given: one stock's bars and the engine's reading of exactly these bars."""

from __future__ import annotations

from dataclasses import dataclass

from runtime.core.symbols import Instrument
from runtime.market.bars import Bars
from runtime.wyckoff.records import Reading


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StockChart:
    """One stock.

    Attributes:
        instrument: the stock.
        bars: daily bars, the last one the newest.
        reading: the engine's reading of `bars`; its indices count in them.
        stale: whether newer bars should be there.
    """

    instrument: Instrument
    bars: Bars
    reading: Reading
    stale: bool
