"""Stopping actions: a selling climax and the automatic rally that answers it (in the mirrored frame: BC and the automatic reaction).

A climax is known once the price has bounced far enough from it; its reaction once a good part of the bounce was given back. A climax
that is undercut before its reaction is known has failed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from runtime.market.bars import Floats
from runtime.wyckoff.evidence import at_least
from runtime.wyckoff.frame import Frame
from runtime.wyckoff.pivots import Pivot
from runtime.wyckoff.primitives import Mask, rolling_max, rolling_min
from runtime.wyckoff.records import Evidence

DECLINE_BARS = 120
DECLINE_ATR = 8.0
VOLUME_RATIO = 2.5
VOLUME_RANK = 0.95
RANGE_ATR = 1.5
LOW_BARS = 60
HISTORY_BARS = 60
CLUSTER_BARS = 3  # the climax bar may come this many bars before the extreme, or one after
BOUNCE_ATR = 3.0
BOUNCE_BARS = 25
GIVEN_BACK = 0.4  # of the bounce: what ends the automatic rally
REACTION_BARS = 50
UNDERCUT_ATR = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Climax:
    """A climax in its frame; prices in log units.

    Attributes:
        bar: bar of the largest effort.
        extreme: bar of the lowest price, `floor` that price.
        confirm: bar that knew it.
        reaction: bar of the highest price of the rally, `ceiling` that price; None where there was none (yet).
        reaction_confirm: bar that knew the reaction.
        failed_at: bar that undercut it before a reaction was known.
        evidence: what made it one.
    """

    bar: int
    extreme: int
    floor: float
    confirm: int
    reaction: int | None
    ceiling: float | None
    reaction_confirm: int | None
    failed_at: int | None
    evidence: tuple[Evidence, ...]


def find_climaxes(frame: Frame, pivots: tuple[Pivot, ...]) -> list[Climax]:
    """Every climax of the frame, by confirmation."""
    fallen = (rolling_max(frame.high, DECLINE_BARS) - frame.low) / frame.atr
    loud = _climactic_bars(frame, fallen)
    found: list[Climax] = []
    if not loud.any():
        return found
    for pivot in pivots:
        if not pivot.is_low:
            continue
        first = max(pivot.index - CLUSTER_BARS, 0)
        bars = first + np.flatnonzero(loud[first : pivot.index + 2])
        if bars.size:
            bar = int(bars[np.argmax(frame.volume_ratio[bars])])
            climax = _follow(frame, pivot, bar, _evidence(frame, bar, float(fallen[bar])))
            if climax is not None and not _repeats(found, climax):
                found.append(climax)
    return found


def _repeats(found: list[Climax], climax: Climax) -> bool:
    """Whether the same bar already made a climax that still held when this one became known."""
    if not found or found[-1].bar != climax.bar:
        return False
    failed = found[-1].failed_at
    return failed is None or failed > climax.confirm


def _climactic_bars(frame: Frame, fallen: Floats) -> Mask:
    """Wide bars on heavy volume at the bottom of a long decline."""
    lowest = rolling_min(frame.low, LOW_BARS)
    mask = (
        (fallen >= DECLINE_ATR)
        & (frame.volume_ratio >= VOLUME_RATIO)
        & (frame.volume_rank >= VOLUME_RANK)
        & (frame.range_atr >= RANGE_ATR)
        & (frame.low <= lowest + frame.atr)
    )
    mask[:HISTORY_BARS] = False
    return np.asarray(mask, dtype=np.bool_)


def _evidence(frame: Frame, bar: int, fallen: float) -> tuple[Evidence, ...]:
    return (
        at_least("decline_atr", fallen, DECLINE_ATR),
        at_least("volume_ratio", float(frame.volume_ratio[bar]), VOLUME_RATIO),
        at_least("volume_rank", float(frame.volume_rank[bar]), VOLUME_RANK),
        at_least("range_atr", float(frame.range_atr[bar]), RANGE_ATR),
    )


def _follow(frame: Frame, pivot: Pivot, bar: int, evidence: tuple[Evidence, ...]) -> Climax | None:
    """What became of a climactic low: None when it never bounced as a climax does."""
    unit = float(frame.atr[pivot.index])
    start = pivot.index + 1
    high = frame.high[start : start + REACTION_BARS]
    low = frame.low[start : start + REACTION_BARS]
    top = np.maximum.accumulate(high)
    bounce = top - pivot.price
    undercut = first_true(low < pivot.price - UNDERCUT_ATR * unit)
    bounced = first_true(bounce[:BOUNCE_BARS] >= BOUNCE_ATR * unit)
    if bounced is None or (undercut is not None and undercut <= bounced):
        return None
    confirm = max(start + bounced, pivot.confirm)
    close = frame.close[start : start + REACTION_BARS]
    ended = first_true(top[bounced:] - close[bounced:] >= GIVEN_BACK * bounce[bounced:])
    reaction = None if ended is None else bounced + ended
    if undercut is not None and (reaction is None or undercut <= reaction):
        reaction = None
    else:
        undercut = None
    return Climax(
        bar=bar,
        extreme=pivot.index,
        floor=pivot.price,
        confirm=confirm,
        reaction=None if reaction is None else start + int(np.argmax(high[: reaction + 1])),
        ceiling=None if reaction is None else float(top[reaction]),
        reaction_confirm=None if reaction is None else max(start + reaction, confirm),
        failed_at=None if undercut is None else start + undercut,
        evidence=evidence,
    )


def first_true(mask: Mask) -> int | None:
    """Index of the first true element."""
    at = int(np.argmax(mask)) if mask.size else 0
    return at if mask.size and mask[at] else None
