"""Trading ranges of a series, one after the other, found walking forward.

A range is anchored on a climax and its reaction, or on at least two alternating confirmed pivots a side whose box a random walk
would hardly have stayed in. Its edges are frozen at `known`; it ends when the price has left the box for good. While a range is
active no other is looked for, except that a climax beyond its edge replaces it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from runtime.market.bars import Floats
from runtime.wyckoff.climax import HISTORY_BARS, Climax, first_true
from runtime.wyckoff.frame import Frame
from runtime.wyckoff.pivots import Pivot
from runtime.wyckoff.primitives import Mask
from runtime.wyckoff.records import Side

EDGE_ATR = 0.75  # pivots this close to the extreme of their side touch the edge
TOUCHES = 2
LEAST_ATR, MOST_ATR = 3.0, 12.0
LEAST_BARS, MOST_BARS = 20, 250
EFFICIENCY = 0.25
CHANCE = 0.001  # bound on `chance_of_box`: keeps random walks with a range under a tenth (tests/benchmarks)
EXIT_ATR = 1.0
EXIT_BARS = 5  # closes in a row beyond an edge
FAR_ATR = 3.0  # one close this far beyond an edge ends a range at once
TREND_BARS = 60
CLIMAX_WIDTH = 0.75  # a climax within so many widths of the range that holds belongs to that range


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A trading range in log prices of the natural frame.

    Attributes:
        start: bar of the first extreme; `known` the bar that knew both edges.
        end: bar that left it for good, the number of bars while active.
        exit: 1 upwards, -1 downwards, 0 while active.
        climax: the climax it is anchored on, in the frame of `side`; None for pivots.
        side: 1 after a selling climax, -1 after a buying climax, 0 for pivots.
        prior: trend before it: 1 up, -1 down, 0 neither.
    """

    start: int
    known: int
    end: int
    exit: Literal[-1, 0, 1]
    support: float
    resistance: float
    climax: Climax | None
    side: Side | Literal[0]
    prior: Literal[-1, 0, 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A climax that opened a structure; its range may still be to come."""

    climax: Climax
    side: Side


def chance_of_box(width: float, variation: float) -> float:
    """Probability that a Brownian path stays in a box, by the leading term of the exit-time series.

    Args:
        width: height of the box, log units.
        variation: sum of squared log returns while in the box.
    """
    if width <= 0:
        return 1.0
    return min(1.0, 4 / math.pi * math.exp(-(math.pi**2) * variation / (2 * width * width)))


def variation_of(frame: Frame) -> Floats:
    """Running sum of squared log returns: the variation of bars a..b is element b minus element a."""
    return np.cumsum(np.diff(frame.close, prepend=frame.close[:1]) ** 2)


class RangeFinder:
    """One walk over the pivots and climaxes of a series in the order in which they became known."""

    def __init__(self, frame: Frame, pivots: tuple[Pivot, ...], openings: list[Opening]) -> None:
        self._frame = frame
        self._pivots = pivots
        self._openings = sorted(openings, key=lambda opening: (opening.climax.confirm, opening.side))
        self._steps: list[float] = variation_of(frame).tolist()
        self._travel = np.cumsum(np.abs(np.diff(frame.close, prepend=frame.close[:1])))
        self._free_from = 0
        self._pending: Opening | None = None
        self.boxes: list[Box] = []
        self.openings: list[Opening] = []

    def walk(self) -> None:
        """Fill `boxes` and `openings`, both in the order in which they became known."""
        waiting = iter(self._openings)
        opening = next(waiting, None)
        for count, pivot in enumerate(self._pivots, start=1):
            while opening is not None and opening.climax.confirm <= pivot.confirm:
                self._open(opening)
                opening = next(waiting, None)
            self._settle(pivot.confirm)
            if self._pending is None and pivot.confirm >= HISTORY_BARS and not self._active(pivot.confirm):
                self._try_pivots(self._pivots[max(count - MOST_BARS, 0) : count])
        while opening is not None:
            self._open(opening)
            opening = next(waiting, None)
        self._settle(len(self._frame))

    def _active(self, bar: int) -> bool:
        return bool(self.boxes) and self.boxes[-1].end > bar

    def _open(self, opening: Opening) -> None:
        """Take a climax as the start of a structure unless it lies inside the range that holds."""
        climax, side = opening.climax, opening.side
        self._settle(climax.confirm)
        if self.boxes and climax.bar - self.boxes[-1].end <= TREND_BARS:
            box, active = self.boxes[-1], self._active(climax.confirm)
            edge = box.support if side == 1 else -box.resistance
            beyond = edge - CLIMAX_WIDTH * (box.resistance - box.support)
            if (active or box.exit == -side) and climax.floor > beyond:
                return
            if active:
                self.boxes[-1] = replace(box, end=climax.confirm, exit=-1 if side == 1 else 1)
        self._pending = opening
        self._free_from = climax.extreme
        self.openings.append(opening)

    def _settle(self, bar: int) -> None:
        """Let the pending climax get its range, or be dropped, by `bar`."""
        if self._pending is None:
            return
        climax, side = self._pending.climax, self._pending.side
        known, ceiling = climax.reaction_confirm, climax.ceiling
        if known is not None and ceiling is not None and known <= bar:
            low, high = (climax.floor, ceiling) if side == 1 else (-ceiling, -climax.floor)
            self._add(
                Box(
                    start=climax.bar,
                    known=known,
                    end=len(self._frame),
                    exit=0,
                    support=low,
                    resistance=high,
                    climax=climax,
                    side=side,
                    prior=-1 if side == 1 else 1,
                )
            )
            self._pending = None
        elif (climax.failed_at is not None and climax.failed_at <= bar) or bar - climax.extreme > TREND_BARS:
            self._pending = None

    def _add(self, box: Box) -> None:
        end, side = _exit_of(self._frame, box)
        self.boxes.append(replace(box, end=end, exit=side))
        self._free_from = end

    def _try_pivots(self, known: tuple[Pivot, ...]) -> None:
        """The least likely box over the last pivots, if it is unlikely enough for a random walk."""
        bar = known[-1].confirm
        unit, now = float(self._frame.atr[bar]), float(self._frame.close[bar])
        high, low = -math.inf, math.inf
        best: tuple[float, int] | None = None
        for count, pivot in enumerate(reversed(known), start=1):
            if pivot.index < self._free_from or bar - pivot.index > MOST_BARS or high - low > MOST_ATR * unit:
                break
            if pivot.is_low:
                low = min(low, pivot.price)
            else:
                high = max(high, pivot.price)
            if count < 2 * TOUCHES or bar - pivot.index < LEAST_BARS or not low <= now <= high:
                continue
            chance = chance_of_box(high - low, self._steps[bar] - self._steps[pivot.index])
            better = chance <= CHANCE and (best is None or chance < best[0])
            if better and self._is_box(known[-count:], high, low, unit):
                best = (chance, count)
        if best is not None:
            self._add_pivots(known[-best[1] :])

    def _is_box(self, pivots: tuple[Pivot, ...], high: float, low: float, unit: float) -> bool:
        """Width, touches and drift of a candidate box."""
        start, bar, near = pivots[0].index, pivots[-1].confirm, EDGE_ATR * unit
        drift = abs(float(self._frame.close[bar] - self._frame.close[start]))
        return (
            LEAST_ATR * unit <= high - low <= MOST_ATR * unit
            and sum(pivot.price >= high - near for pivot in pivots if not pivot.is_low) >= TOUCHES
            and sum(pivot.price <= low + near for pivot in pivots if pivot.is_low) >= TOUCHES
            and drift < EFFICIENCY * float(self._travel[bar] - self._travel[start])
        )

    def _add_pivots(self, pivots: tuple[Pivot, ...]) -> None:
        start = pivots[0].index
        high = max(pivot.price for pivot in pivots if not pivot.is_low)
        low = min(pivot.price for pivot in pivots if pivot.is_low)
        before = slice(max(start - TREND_BARS, 0), start + 1)
        fallen = float(self._frame.high[before].max()) - high
        risen = low - float(self._frame.low[before].min())
        least = 2 * float(self._frame.atr[start])
        prior: Literal[-1, 0, 1] = 0
        if max(fallen, risen) >= least and fallen != risen:
            prior = -1 if fallen > risen else 1
        self._add(
            Box(
                start=start,
                known=pivots[-1].confirm,
                end=len(self._frame),
                exit=0,
                support=low,
                resistance=high,
                climax=None,
                side=0,
                prior=prior,
            )
        )


def _exit_of(frame: Frame, box: Box) -> tuple[int, Literal[-1, 0, 1]]:
    """The first bar by which the price has left a box for good, and the way it went."""
    close, unit = frame.close[box.known :], frame.atr[box.known :]
    up = first_true(_has_left(close - box.resistance, unit))
    down = first_true(_has_left(box.support - close, unit))
    if up is None and down is None:
        return len(frame), 0
    if down is None or (up is not None and up < down):
        return box.known + (up or 0), 1
    return box.known + down, -1


def _has_left(beyond: Floats, unit: Floats) -> Mask:
    """Bars that close far beyond an edge, or beyond it for the last of several closes in a row."""
    outside = np.concatenate([np.zeros(EXIT_BARS - 1, dtype=np.bool_), beyond > 0])
    in_a_row = np.lib.stride_tricks.sliding_window_view(outside, EXIT_BARS).all(axis=-1)
    return np.asarray((in_a_row & (beyond > EXIT_ATR * unit)) | (beyond > FAR_ATR * unit), dtype=np.bool_)
