"""Marks of a campaign under the names of the literature, in prices of the natural frame."""

from __future__ import annotations

import math

from runtime.market.bars import Bars, day
from runtime.wyckoff.campaign import Campaign
from runtime.wyckoff.frame import Frame
from runtime.wyckoff.marks import Mark, Role
from runtime.wyckoff.ranges import Opening
from runtime.wyckoff.records import Event, EventKind, LevelKind, Phase, Side, Structure

_ACCUMULATION = {
    Role.CLIMAX: EventKind.SC,
    Role.REACTION: EventKind.AR,
    Role.SECONDARY_TEST: EventKind.ST,
    Role.THRUST: EventKind.SPRING,
    Role.TEST: EventKind.TEST,
    Role.BREAK: EventKind.SOS,
    Role.BACKUP: EventKind.LPS,
}
_DISTRIBUTION = {
    Role.CLIMAX: EventKind.BC,
    Role.REACTION: EventKind.AR,
    Role.SECONDARY_TEST: EventKind.ST,
    Role.THRUST: EventKind.UTAD,
    Role.TEST: EventKind.TEST,
    Role.BREAK: EventKind.SOW,
    Role.BACKUP: EventKind.LPSY,
}
_AT_CEILING = frozenset({Role.REACTION, Role.BREAK, Role.BACKUP})
_LEVELS: dict[tuple[Side, bool], LevelKind] = {
    (1, False): LevelKind.SUPPORT,
    (1, True): LevelKind.CREEK,
    (-1, False): LevelKind.RESISTANCE,
    (-1, True): LevelKind.ICE,
}
_DRAWN_ABOVE = frozenset({Role.REACTION, Role.BREAK})  # in the campaign's frame; the others are lows
_PRICE_DIGITS = 4


def kind_of(side: Side, mark: Mark) -> EventKind:
    """The name of a mark: an upthrust before phase C is a UT, in phase C a UTAD."""
    if side == 1:
        return _ACCUMULATION[mark.role]
    if mark.role is Role.THRUST and mark.phase is not Phase.C:
        return EventKind.UT
    return _DISTRIBUTION[mark.role]


def price_of(side: Side, level: float) -> float:
    """Yuan of a log price in the frame of a side."""
    return round(math.exp(side * level), _PRICE_DIGITS)


def structure_of(side: Side, prior: int) -> Structure:
    """The structure of a side after a trend: 1 up, -1 down, 0 neither."""
    if side == 1:
        return Structure.REACCUMULATION if prior == 1 else Structure.ACCUMULATION
    return Structure.REDISTRIBUTION if prior == -1 else Structure.DISTRIBUTION


def opening_mark(opening: Opening) -> Mark:
    """The climax of an opening as a mark."""
    climax = opening.climax
    return Mark(
        role=Role.CLIMAX,
        phase=Phase.A,
        index=climax.bar,
        confirm=climax.confirm,
        level=None,
        evidence=climax.evidence,
        invalidated_at=climax.failed_at,
    )


def event_of(bars: Bars, frame: Frame, mark: Mark, structure: Structure) -> Event:
    """The record of a mark.

    Args:
        bars: the analysed bars.
        frame: the frame in which the mark was found.
        mark: the mark.
        structure: structure it belongs to.
    """
    side, at = frame.side, mark.index
    above = mark.role in _DRAWN_ABOVE
    ratio = float(frame.volume_ratio[at])
    names = _ACCUMULATION if side == 1 else _DISTRIBUTION
    return Event(
        kind=kind_of(side, mark),
        structure=structure,
        phase=mark.phase,
        index=at,
        date=day(bars.dates[at]),
        price=float(bars.high[at] if above == (side == 1) else bars.low[at]),
        level=None if mark.level is None else price_of(side, mark.level),
        level_kind=None if mark.level is None else _LEVELS[side, mark.role in _AT_CEILING],
        confirm_index=mark.confirm,
        confirm_date=day(bars.dates[mark.confirm]),
        volume_ratio=round(ratio, 4) if math.isfinite(ratio) else None,
        range_atr=round(float(frame.range_atr[at]), 4),
        close_position=round(float(frame.close_position[at] if side == 1 else 1 - frame.close_position[at]), 4),
        penetration_atr=_penetration(frame, mark),
        confidence=None,
        evidence=mark.evidence,
        refs=tuple((names[role].value, index) for role, index in mark.refs),
        invalidated_at=mark.invalidated_at,
    )


def events_of(bars: Bars, campaign: Campaign, structure: Structure) -> list[Event]:
    """The records of a campaign; the test of an upthrust has no name of its own and is left out."""
    frame = campaign.frame
    return [
        event_of(bars, frame, mark, structure)
        for mark in campaign.marks
        if frame.side == 1 or mark.role is not Role.TEST
    ]


def _penetration(frame: Frame, mark: Mark) -> float | None:
    """How far a spring went below the floor, or a sign of strength closed above the ceiling, ATR."""
    if mark.level is None or mark.role not in {Role.THRUST, Role.BREAK}:
        return None
    at = mark.index
    beyond = mark.level - frame.low[at] if mark.role is Role.THRUST else frame.close[at] - mark.level
    return round(float(beyond / frame.atr[at]), 4)
