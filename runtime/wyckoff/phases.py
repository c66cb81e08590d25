"""Which structure holds at the last bar, its phase, and how strongly each side is favoured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from runtime.market.bars import Bars, day
from runtime.wyckoff.campaign import Campaign
from runtime.wyckoff.frame import Frame
from runtime.wyckoff.marks import Role
from runtime.wyckoff.naming import price_of, structure_of
from runtime.wyckoff.ranges import Box, Opening, chance_of_box, variation_of
from runtime.wyckoff.records import EventKind, Phase, PhaseState, Structure

SHOWN_BARS: Final = 40  # how long a failed or finished structure is still what the chart is about
OPENING_BARS: Final = 60
INVALID_ATR: Final = 1.0
LEAST_QUALITY: Final = 0.85  # a younger or wider box is not yet told from a random walk
_ORDER: Final = (Phase.FAILED, Phase.A, Phase.B, Phase.C, Phase.D, Phase.E)
_WEIGHTS: Final = {Role.THRUST: 1.0, Role.TEST: 0.4, Role.BREAK: 1.5, Role.BACKUP: 0.5}
_PHASE_WEIGHTS: Final = {Phase.E: 2.0, Phase.FAILED: -2.0}
_PRIOR_WEIGHT: Final = 0.4
_CLIMAX_WEIGHT: Final = 0.8
_VOLUME_WEIGHT: Final = 0.5
_NEXT: Final[dict[tuple[bool, Phase], tuple[EventKind, ...]]] = {
    (True, Phase.A): (EventKind.ST,),
    (True, Phase.B): (EventKind.SPRING, EventKind.SOS),
    (True, Phase.C): (EventKind.TEST, EventKind.SOS),
    (True, Phase.D): (EventKind.LPS,),
    (False, Phase.A): (EventKind.ST,),
    (False, Phase.B): (EventKind.UTAD, EventKind.SOW),
    (False, Phase.C): (EventKind.SOW,),
    (False, Phase.D): (EventKind.LPSY,),
}
NO_STRUCTURE: Final = PhaseState(
    phase=Phase.NONE,
    structure=None,
    since_index=None,
    since_date=None,
    p_accumulation=None,
    p_distribution=None,
    next_expected=(),
    invalidation_price=None,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The range that the last bar belongs to and the side that reads it best."""

    box: Box
    campaign: Campaign
    rivals: tuple[Campaign, ...]  # all sides that read this range, the chosen one included
    structure: Structure


def standing(frame: Frame, boxes: list[Box], campaigns: list[list[Campaign]]) -> Standing | None:
    """The structure that the last bar belongs to, None when the latest is past.

    Args:
        frame: the natural frame.
        boxes: ranges in order.
        campaigns: the campaigns of each range.
    """
    if not boxes or (boxes[-1].exit and len(frame) - boxes[-1].end > SHOWN_BARS):
        return None
    box, sides = boxes[-1], campaigns[-1]
    likely = -1 if box.prior == 1 else 1
    best = max(sides, key=lambda one: (_ORDER.index(one.phase), one.frame.side == likely))
    structure = structure_of(best.frame.side, box.prior)
    return Standing(box=box, campaign=best, rivals=tuple(sides), structure=structure)


def phase_of(bars: Bars, frame: Frame, now: Standing) -> PhaseState:
    """The phase state of a structure."""
    campaign = now.campaign
    since, phase = campaign.history[-1]
    weight = _weight(bars, frame, now)
    quality = quality_of(frame, now.box)
    scale = (1 + quality) / 2
    known = quality >= LEAST_QUALITY
    return PhaseState(
        phase=phase,
        structure=now.structure,
        since_index=since,
        since_date=day(bars.dates[since]),
        p_accumulation=round(scale / (1 + math.exp(-weight)), 4) if known else None,
        p_distribution=round(scale / (1 + math.exp(weight)), 4) if known else None,
        next_expected=_NEXT.get((now.structure.is_accumulation, phase), ()),
        invalidation_price=_invalidation(campaign),
    )


def opening_phase(bars: Bars, frame: Frame, opening: Opening) -> PhaseState:
    """Phase A of a climax whose range is still to come; no structure when it failed or grew old."""
    climax, side = opening.climax, opening.side
    if climax.failed_at is not None or len(bars) - climax.confirm > OPENING_BARS:
        return NO_STRUCTURE
    return PhaseState(
        phase=Phase.A,
        structure=structure_of(side, -side),
        since_index=climax.confirm,
        since_date=day(bars.dates[climax.confirm]),
        p_accumulation=None,
        p_distribution=None,
        next_expected=(EventKind.AR,),
        invalidation_price=price_of(side, climax.floor - INVALID_ATR * float(frame.atr[-1])),
    )


def quality_of(frame: Frame, box: Box) -> float:
    """1 minus the chance that a random walk stays in the box from its start to its end."""
    variation = variation_of(frame)
    last = min(box.end, len(frame) - 1)
    return 1 - chance_of_box(box.resistance - box.support, float(variation[last] - variation[box.start]))


def _invalidation(campaign: Campaign) -> float | None:
    """Below the spring, else below the floor; after the range was left, back in its middle; None once failed."""
    frame, ground = campaign.frame, campaign.ground
    if campaign.phase is Phase.FAILED:
        return None
    if campaign.phase is Phase.E:
        return price_of(frame.side, (ground.floor + ground.ceiling) / 2)
    thrust = campaign.held(Role.THRUST)
    lowest = campaign.floor if thrust is None else min(campaign.floor, float(frame.low[thrust.index]))
    return price_of(frame.side, lowest - INVALID_ATR * float(frame.atr[-1]))


def _weight(bars: Bars, frame: Frame, now: Standing) -> float:
    """Sum of the signs for accumulation (+) and distribution (-)."""
    box = now.box
    total = _CLIMAX_WEIGHT * box.side if box.side else -_PRIOR_WEIGHT * box.prior
    for campaign in now.rivals:
        signs = sum(weight for role, weight in _WEIGHTS.items() if campaign.held(role) is not None)
        total += campaign.frame.side * (signs + _PHASE_WEIGHTS.get(campaign.phase, 0.0))
    return total + _VOLUME_WEIGHT * _volume_lean(bars, frame, box)


def _volume_lean(bars: Bars, frame: Frame, box: Box) -> float:
    """Log of mean volume on rising over falling days of the range, bounded to -1..1; 0 where it cannot be told."""
    part = slice(box.start + 1, box.end + 1)
    move, volume = np.diff(frame.close[box.start : box.end + 1]), bars.volume[part]
    up, down = volume[move > 0], volume[move < 0]
    if up.size < 5 or down.size < 5 or up.sum() <= 0 or down.sum() <= 0:
        return 0.0
    return float(np.clip(math.log((up.sum() / up.size) / (down.sum() / down.size)), -1, 1))
