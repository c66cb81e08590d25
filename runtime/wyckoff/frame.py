"""The arrays that all rules read, and their mirror image.

Prices are natural logarithms, so a distance means the same at 5 and at 500 yuan, and the mirror image of a rise is exactly a fall:
distribution is accumulation read in the mirrored frame. ATR is that of the bar before, so that a wide bar is not measured with itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from runtime.market.bars import Bars, Floats
from runtime.wyckoff import primitives
from runtime.wyckoff.primitives import Mask
from runtime.wyckoff.records import Side

SUPPLY_BARS = 4
LEAST_ATR = 1e-4  # log units: a series that does not move at all still has a unit of length


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """n bars as the rules see them; every array has shape (n,).

    Attributes:
        side: 1 as traded, -1 mirrored.
        high: log price; the same for low and close.
        atr: mean true range of the 20 bars before, log units.
        volume_ratio: NaN where volume says nothing.
        volume_rank: rank of the volume ratio in 120 bars.
        range_atr: high to low in `atr`.
        close_position: 0 at the low of this frame, 1 at its high.
    """

    side: Side
    high: Floats
    low: Floats
    close: Floats
    atr: Floats
    volume_ratio: Floats
    volume_rank: Floats
    range_atr: Floats
    close_position: Floats
    locked: Mask

    def __len__(self) -> int:
        return len(self.close)

    def mirrored(self) -> Frame:
        """The same bars upside down."""
        return replace(
            self,
            side=-1 if self.side == 1 else 1,
            high=-self.low,
            low=-self.high,
            close=-self.close,
            close_position=1.0 - self.close_position,
        )

    def supply(self, index: int) -> float:
        """Mean volume ratio of the last falling bars into a low (at most two of four), NaN when they say nothing.

        A low is quiet when nobody sold into it; heavy trade on the bar that turns it up is demand.
        """
        first = max(index - SUPPLY_BARS + 1, 1)
        falling = self.close[first : index + 1] < self.close[first - 1 : index]
        ratio = self.volume_ratio[first : index + 1]
        said = ratio[falling & ~np.isnan(ratio)][-2:]
        return float(said.sum() / said.size) if said.size else float(self.volume_ratio[index])

    def loudest(self, first: int, last: int) -> float:
        """Largest volume ratio of the bars first..last, NaN when none of them says anything."""
        part = self.volume_ratio[max(first, 0) : last + 1]
        said = part[~np.isnan(part)]
        return float(said.max()) if said.size else float("nan")


def frame_of(bars: Bars, limit_ratio: float | None) -> Frame:
    """Measure a series of at least one bar.

    Args:
        bars: prices > 0.
        limit_ratio: the board's daily limit, None when unknown.
    """
    high, low, close = np.log(bars.high), np.log(bars.low), np.log(bars.close)
    locked = primitives.locked_limit(bars.open, bars.high, bars.low, bars.close, limit_ratio)
    spread = primitives.true_range(high, low, close)
    mean = primitives.rolling_mean(spread, primitives.ATR_BARS)
    atr = np.maximum(primitives.previous(mean), LEAST_ATR)
    ratio = primitives.volume_ratio(bars.volume, locked)
    return Frame(
        side=1,
        high=high,
        low=low,
        close=close,
        atr=atr,
        volume_ratio=ratio,
        volume_rank=primitives.rolling_rank(ratio, primitives.RANK_BARS),
        range_atr=(high - low) / atr,
        close_position=primitives.close_position(high, low, close),
        locked=locked,
    )
