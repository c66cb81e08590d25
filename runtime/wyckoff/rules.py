"""When a bar or a pivot is an event of a range: one function an event, read as accumulation.

Each returns its evidence, or None when the event is not there. Distances in ATR, volume in ratios. Starting values are from Wyckoff's
literature as gathered in the design notes; the program's benchmark reports what they find and miss.
"""

from __future__ import annotations

import math

from runtime.wyckoff.evidence import at_least, at_most, strong_close
from runtime.wyckoff.frame import Frame
from runtime.wyckoff.pivots import Pivot
from runtime.wyckoff.records import Evidence

Facts = tuple[Evidence, ...]

RIPE_BARS = 20  # a range younger than this has tests, not springs
TEST_BELOW_ATR = 0.7
TEST_ABOVE_ATR = 1.0
TEST_ABOVE_WIDTH = 0.3
TEST_VOLUME = 0.75  # of the climax
TEST_SPREAD = 0.8
THRUST_ATR = 0.15
THRUST_MOST_ATR = 2.5
RECOVERY_BARS = 3
STRONG_CLOSE = 0.5
RETEST_BARS = 20
RETEST_WIDTH = 0.5
RETEST_VOLUME = 0.7
BREAK_ATR = 0.3
BREAK_LEG_ATR = 2.0
BREAK_VOLUME = 1.2
BREAK_SPREAD = 1.2
BREAK_BARS = 3
BACKUP_BARS = 40
BACKUP_LEAST, BACKUP_MOST = 0.15, 0.75  # of the leg given back
BACKUP_DEPTH_WIDTH = 0.35
BACKUP_VOLUME = 0.75


def secondary_test(frame: Frame, pivot: Pivot, floor: float, width: float, climax_bar: int) -> Facts | None:
    """A low near the climax low on clearly less volume and spread than the climax."""
    unit = float(frame.atr[pivot.index])
    distance = pivot.price - floor
    if not -TEST_BELOW_ATR * unit <= distance <= max(TEST_ABOVE_ATR * unit, TEST_ABOVE_WIDTH * width):
        return None
    facts = (
        at_most("volume_of_climax", frame.supply(pivot.index) / _volume(frame, climax_bar), TEST_VOLUME),
        at_most("spread_of_climax", _spread(frame, pivot.index) / _spread(frame, climax_bar), TEST_SPREAD),
    )
    return facts if all(fact.ok for fact in facts) else None


def thrust(frame: Frame, first: int, lowest: int, bar: int, floor: float) -> Facts | None:
    """A break of the floor that failed: back inside within a few bars, closing strong."""
    facts = (
        at_least("penetration_atr", penetration(frame, lowest, floor), THRUST_ATR),
        at_most("penetration_most_atr", penetration(frame, lowest, floor), THRUST_MOST_ATR),
        at_most("recovery_bars", bar - first, RECOVERY_BARS),
        strong_close(frame.side, float(frame.close_position[bar]), STRONG_CLOSE),
    )
    if float(frame.close[bar]) < floor or not all(fact.ok for fact in facts):
        return None
    return facts


def retest(frame: Frame, pivot: Pivot, floor: float, width: float, spring: int, loud: float) -> Facts | None:
    """A higher low after a spring on little volume.

    Args:
        frame: the bars.
        pivot: a low.
        floor: lower edge.
        width: height of the range.
        spring: bar of the spring.
        loud: largest volume ratio of the spring.
    """
    height = pivot.price - float(frame.low[spring])
    if not 0 < pivot.index - spring <= RETEST_BARS or height <= 0:
        return None
    bound = max(RETEST_VOLUME * loud, RETEST_VOLUME) if math.isfinite(loud) else RETEST_VOLUME
    facts = (
        at_most("height_in_range", (pivot.price - floor) / width, RETEST_WIDTH),
        at_most("volume_ratio", frame.supply(pivot.index), bound),
    )
    return facts if all(fact.ok for fact in facts) else None


def strength(frame: Frame, bar: int, ceiling: float, origin: int) -> Facts | None:
    """A close through the creek at the end of a real leg, wide and on volume.

    Args:
        frame: the bars.
        bar: the bar that may break out.
        ceiling: upper edge.
        origin: bar of the low that the leg came from.
    """
    unit = float(frame.atr[bar])
    close = float(frame.close[bar])
    if close < ceiling + BREAK_ATR * unit:
        return None
    recent = slice(max(bar - BREAK_BARS + 1, 0), bar + 1)
    facts = (
        at_least("beyond_atr", (close - ceiling) / unit, BREAK_ATR),
        at_least("leg_atr", (close - float(frame.low[origin])) / unit, BREAK_LEG_ATR),
        at_least("volume_ratio", frame.loudest(bar - BREAK_BARS + 1, bar), BREAK_VOLUME),
        at_least("range_atr", float(frame.range_atr[recent].max()), BREAK_SPREAD),
        strong_close(frame.side, float(frame.close_position[bar]), STRONG_CLOSE),
    )
    return facts if all(fact.ok for fact in facts) else None


def backup(frame: Frame, pivot: Pivot, ceiling: float, width: float, broke: int, origin: int) -> Facts | None:
    """A low after the break-out that gives back a part of the leg on less volume and holds above the range's upper part.

    Args:
        frame: the bars.
        pivot: a low.
        ceiling: upper edge.
        width: height of the range.
        broke: bar of the sign of strength.
        origin: bar of the low that its leg came from.
    """
    if not 0 < pivot.index - broke <= BACKUP_BARS:
        return None
    base, peak = float(frame.low[origin]), float(frame.high[broke : pivot.index + 1].max())
    given_back = (peak - pivot.price) / (peak - base)
    loud = frame.loudest(broke - BREAK_BARS + 1, broke)
    facts = (
        at_least("given_back_least", given_back, BACKUP_LEAST),
        at_most("given_back", given_back, BACKUP_MOST),
        at_most("depth_in_range", (ceiling - pivot.price) / width, BACKUP_DEPTH_WIDTH),
        at_most("volume_of_leg", frame.supply(pivot.index) / loud, BACKUP_VOLUME),
    )
    return facts if all(fact.ok for fact in facts) else None


def penetration(frame: Frame, bar: int, floor: float) -> float:
    """How far the low of a bar went below the floor, ATR."""
    return (floor - float(frame.low[bar])) / float(frame.atr[bar])


def _volume(frame: Frame, bar: int) -> float:
    value = float(frame.volume_ratio[bar])
    return value if value > 0 else float("nan")


def _spread(frame: Frame, bar: int) -> float:
    """High to low, log units: spreads at different times are compared as they are."""
    return max(float(frame.high[bar] - frame.low[bar]), 1e-9)
