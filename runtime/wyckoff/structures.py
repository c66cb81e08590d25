"""Labelled accumulation and distribution structures: what the sample market is made of and what recall is measured on.

Distribution is the script of an accumulation drawn upside down. Equal arguments give equal paths.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Literal, TypeAlias

import numpy as np

from runtime.wyckoff.drawing import Label, Path, Step, draw
from runtime.wyckoff.records import EventKind

Pattern: TypeAlias = Literal["accumulation", "distribution"]


class Difficulty(StrEnum):
    """How much the path between the turning points wanders."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"

    @property
    def noise(self) -> float:
        """Daily noise in units of the structure's daily volatility."""
        return {Difficulty.EASY: 0.4, Difficulty.MEDIUM: 0.7, Difficulty.HARD: 1.0}[self]


def structure_path(
    pattern: Pattern,
    seed: int,
    *,
    difficulty: Difficulty = Difficulty.MEDIUM,
    until: EventKind | None = None,
    after: int = 0,
    total: int | None = None,
    volatility: float | None = None,
    early_thrust: bool = False,
) -> Path:
    """A labelled structure after a trend.

    Args:
        pattern: what is drawn.
        seed: of everything that varies.
        difficulty: noise between the turning points.
        until: accumulation name of the event to stop at (SPRING stands for UTAD in a distribution); None draws the whole.
        after: bars kept after that event.
        total: number of bars, filled with noise in front; None leaves it to the seed.
        volatility: daily volatility, log units; None leaves it to the seed.
        early_thrust: draw a failed break soon after the first secondary test: a spring, in a distribution a UT.
    """
    rng = np.random.default_rng(seed)
    width_sigmas = rng.uniform(9.0, 13.0)
    sigma = float(rng.uniform(0.014, 0.026)) if volatility is None else volatility
    steps = _accumulation_steps(rng, early_thrust=early_thrust)
    body = sum(step.bars for step in steps)
    if until is not None:
        stop = [step.kind for step in steps].index(until)
        body = sum(step.bars for step in steps[: stop + 1]) + after
    lead = int(rng.integers(70, 110)) if total is None else total - body
    steps.insert(0, Step(bars=max(lead, 1), level=steps[0].level, volume=1.0))
    path = draw(rng, steps, sigma, sigma * width_sigmas, difficulty.noise)
    path = path.head(max(lead, 1) + body)
    if pattern == "distribution":
        return path.upside_down()
    named = {EventKind.UT: EventKind.SPRING}
    labels = tuple(Label(kind=named.get(label.kind, label.kind), index=label.index) for label in path.labels)
    return replace(path, labels=labels)


def _early_steps(rng: np.random.Generator) -> list[Step]:
    """From the automatic rally to a failed break while the range is young."""
    depth = float(rng.uniform(0.06, 0.12))
    return [
        Step(bars=7, level=1.0, volume=1.2, shape="high", kind=EventKind.AR),
        Step(bars=7, level=0.06, volume=0.75, shape="low", kind=EventKind.ST),
        Step(bars=4, level=0.6, volume=0.9, shape="high"),
        Step(bars=int(rng.integers(6, 9)), level=-depth, volume=0.9, shape="spring", kind=EventKind.UT),
    ]


def _spring(bars: int, level: float, volume: float) -> Step:
    return Step(bars=bars, level=level, volume=volume, shape="spring", kind=EventKind.SPRING)


def _accumulation_steps(rng: np.random.Generator, *, early_thrust: bool) -> list[Step]:
    """The script of one accumulation, from the decline to the mark-up."""

    def between(low: float, high: float) -> float:
        return float(rng.uniform(low, high))

    def bars(low: int, high: int) -> int:
        return int(rng.integers(low, high + 1))

    top = between(2.6, 3.6)
    steps = [
        Step(bars=1, level=top, volume=1.0),
        Step(bars=bars(20, 40), level=between(1.1, 1.4), volume=1.1),
        Step(bars=bars(5, 9), level=between(1.35, 1.6), volume=0.9),
        Step(bars=bars(10, 18), level=0.0, volume=1.4, shape="climax", kind=EventKind.SC),
        Step(bars=bars(6, 13), level=1.0, volume=1.2, shape="high", kind=EventKind.AR),
        Step(bars=bars(8, 15), level=between(0.02, 0.16), volume=0.75, shape="low", kind=EventKind.ST),
    ]
    if early_thrust:
        steps[-2:] = _early_steps(rng)
    for _ in range(bars(1, 3)):
        steps.append(Step(bars=bars(8, 15), level=between(0.75, 1.0), volume=0.9, shape="high"))
        low = between(0.06, 0.3)
        steps.append(Step(bars=bars(8, 15), level=low, volume=0.75, shape="low", kind=EventKind.ST))
    return [
        *steps,
        Step(bars=bars(5, 9), level=between(0.5, 0.75), volume=0.8, shape="high"),
        _spring(bars(6, 10), -between(0.07, 0.18), between(0.7, 1.4)),
        Step(bars=bars(4, 8), level=between(0.4, 0.6), volume=1.1, shape="high"),
        Step(bars=bars(4, 8), level=between(0.04, 0.2), volume=0.5, shape="low", kind=EventKind.TEST),
        Step(bars=bars(6, 11), level=between(1.12, 1.25), volume=1.5, shape="break", kind=EventKind.SOS),
        Step(bars=bars(2, 4), level=between(1.3, 1.45), volume=1.3, shape="high"),
        Step(bars=bars(5, 9), level=between(0.85, 1.05), volume=0.6, shape="low", kind=EventKind.LPS),
        Step(bars=bars(12, 20), level=between(1.8, 2.2), volume=1.2),
        Step(bars=bars(5, 8), level=between(1.6, 1.75), volume=0.8, shape="low", kind=EventKind.LPS),
        Step(bars=bars(12, 25), level=between(2.4, 3.2), volume=1.1),
    ]
