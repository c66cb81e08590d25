"""One stock's bars in, its Wyckoff reading out.

Pure and causal: the events with `confirm_index` <= t are the same whether the series ends at t or later, but for `invalidated_at`.
"""

from __future__ import annotations

from typing import Final

from runtime.market.bars import Bars, day
from runtime.wyckoff.campaign import Campaign
from runtime.wyckoff.climax import find_climaxes
from runtime.wyckoff.frame import Frame, frame_of
from runtime.wyckoff.levels import NO_DANGER, danger_of, levels_of, stop_of, trend_of
from runtime.wyckoff.marks import Ground
from runtime.wyckoff.naming import event_of, events_of, opening_mark, price_of, structure_of
from runtime.wyckoff.phases import (
    LEAST_QUALITY,
    NO_STRUCTURE,
    Standing,
    opening_phase,
    phase_of,
    quality_of,
    standing,
)
from runtime.wyckoff.pivots import Pivot, mirrored, zigzag
from runtime.wyckoff.ranges import Box, Opening, RangeFinder
from runtime.wyckoff.records import Event, PhaseState, Reading, Side, TradingRange

LEAST_BARS: Final = 60
AFTER_BARS: Final = 60  # backups are looked for this long after the range was left
TOUCH_WIDTH: Final = 0.25

Views = dict[Side, tuple[Frame, tuple[Pivot, ...]]]


def analyze(bars: Bars, *, limit_ratio: float | None = None) -> Reading:
    """Read a series.

    Args:
        bars: daily bars of one instrument.
        limit_ratio: the board's daily limit (0.1, 0.2, 0.3), by which locked bars are told; None when unknown.
    """
    if len(bars) < LEAST_BARS:
        return _too_short(bars)
    frame = frame_of(bars, limit_ratio)
    pivots = zigzag(frame)
    views: Views = {1: (frame, pivots), -1: (frame.mirrored(), mirrored(pivots))}
    finder = RangeFinder(frame, pivots, _openings(views))
    finder.walk()
    campaigns = _campaigns(views, finder.boxes, len(bars))
    now = standing(frame, finder.boxes, campaigns)
    return Reading(
        symbol=bars.symbol,
        as_of=bars.as_of,
        adjust=bars.adjust,
        bars=len(bars),
        range=None if now is None else _range(bars, frame, pivots, now),
        phase=_phase(bars, frame, now, finder.openings),
        events=_events(bars, views, finder, campaigns),
        levels=levels_of(frame, pivots, now),
        stop=stop_of(frame, pivots, now),
        trend=trend_of(frame),
        danger=danger_of(now),
        note_key=None,
    )


def _openings(views: Views) -> list[Opening]:
    return [
        Opening(climax=climax, side=side)
        for side, (frame, pivots) in views.items()
        for climax in find_climaxes(frame, pivots)
    ]


def _campaigns(views: Views, boxes: list[Box], count: int) -> list[list[Campaign]]:
    """The campaigns of each range: one side after a climax, both sides for a range of pivots."""
    found: list[list[Campaign]] = []
    for position, box in enumerate(boxes):
        following = boxes[position + 1].known if position + 1 < len(boxes) else count
        stop = min(count, box.end + AFTER_BARS, max(following, box.end + 1))
        sides: tuple[Side, ...] = (1, -1) if box.side == 0 else (box.side,)
        found.append([Campaign(views[side][0], _ground(box, side, stop), views[side][1]).run() for side in sides])
    return found


def _ground(box: Box, side: Side, stop: int) -> Ground:
    return Ground(
        start=box.start,
        known=box.known,
        end=box.end,
        stop=stop,
        works=box.exit == side,
        floor=box.support if side == 1 else -box.resistance,
        ceiling=box.resistance if side == 1 else -box.support,
        climax=box.climax,
    )


def _events(bars: Bars, views: Views, finder: RangeFinder, campaigns: list[list[Campaign]]) -> tuple[Event, ...]:
    found = [
        event_of(bars, views[opening.side][0], opening_mark(opening), structure_of(opening.side, -opening.side))
        for opening in finder.openings
    ]
    for box, sides in zip(finder.boxes, campaigns, strict=True):
        for campaign in sides:
            found += events_of(bars, campaign, structure_of(campaign.frame.side, box.prior))
    return tuple(sorted(found, key=lambda event: (event.confirm_index, event.index, event.kind)))


def _phase(bars: Bars, frame: Frame, now: Standing | None, openings: list[Opening]) -> PhaseState:
    """A climax newer than the latest range comes first; then the range; else nothing."""
    if openings and (now is None or openings[-1].climax.confirm > now.box.known):
        opened = opening_phase(bars, frame, openings[-1])
        if opened is not NO_STRUCTURE:
            return opened
    return NO_STRUCTURE if now is None else phase_of(bars, frame, now)


def _range(bars: Bars, frame: Frame, pivots: tuple[Pivot, ...], now: Standing) -> TradingRange | None:
    """The box, None while a random walk would as easily have stayed in it."""
    box = now.box
    quality = quality_of(frame, box)
    if quality < LEAST_QUALITY:
        return None
    last = min(box.end, len(bars) - 1)
    width = box.resistance - box.support
    touches = sum(
        box.start <= pivot.index <= last
        and abs(pivot.price - (box.support if pivot.is_low else box.resistance)) <= TOUCH_WIDTH * width
        for pivot in pivots
    )
    return TradingRange(
        start_index=box.start,
        start_date=day(bars.dates[box.start]),
        known_index=box.known,
        end_index=last,
        end_date=day(bars.dates[last]),
        active=box.exit == 0,
        support=price_of(1, box.support),
        resistance=price_of(1, box.resistance),
        quality=round(quality, 4),
        touches=touches,
        width_atr=round(width / float(frame.atr[box.known]), 4),
        structure=now.structure,
    )


def _too_short(bars: Bars) -> Reading:
    return Reading(
        symbol=bars.symbol,
        as_of=bars.as_of if len(bars) else None,
        adjust=bars.adjust,
        bars=len(bars),
        range=None,
        phase=NO_STRUCTURE,
        events=(),
        levels=(),
        stop=None,
        trend="sideways",
        danger=NO_DANGER,
        note_key="wyckoff.note_too_short",
    )
