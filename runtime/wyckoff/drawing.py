"""Drawing seeded price paths: scripts of turning points, random walks, and bars from either.

The path between two turning points is a noisy bridge with volatility clustering. Equal arguments give equal bars. Nothing here is
used to read real bars.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, Literal, TypeAlias

import numpy as np

from runtime.market.bars import Bars, Floats
from runtime.wyckoff.records import EventKind

LAST_DAY: Final = date(2026, 6, 30)
Shape: TypeAlias = Literal["plain", "low", "high", "climax", "spring", "break"]

_MIRROR: Final = {
    EventKind.SC: EventKind.BC,
    EventKind.AR: EventKind.AR,
    EventKind.ST: EventKind.ST,
    EventKind.SPRING: EventKind.UTAD,
    EventKind.UT: EventKind.UT,
    EventKind.SOS: EventKind.SOW,
    EventKind.LPS: EventKind.LPSY,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A known event and the bar that it happens on."""

    kind: EventKind
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """Log prices and relative volumes of n bars, with the known events; every array has shape (n,)."""

    open: Floats
    high: Floats
    low: Floats
    close: Floats
    volume: Floats
    labels: tuple[Label, ...] = ()

    def __len__(self) -> int:
        return len(self.close)

    def upside_down(self) -> Path:
        """The mirrored path; labels without a mirrored name are dropped."""
        labels = tuple(
            Label(kind=_MIRROR[label.kind], index=label.index) for label in self.labels if label.kind in _MIRROR
        )
        return replace(self, open=-self.open, high=-self.low, low=-self.high, close=-self.close, labels=labels)

    def then(self, other: Path) -> Path:
        """This path, the other one following from its last close; only this one's labels are kept."""
        shift = self.close[-1] - other.open[0]
        return Path(
            open=np.concatenate([self.open, other.open + shift]),
            high=np.concatenate([self.high, other.high + shift]),
            low=np.concatenate([self.low, other.low + shift]),
            close=np.concatenate([self.close, other.close + shift]),
            volume=np.concatenate([self.volume, other.volume]),
            labels=self.labels,
        )

    def head(self, count: int) -> Path:
        """The first `count` bars."""
        return Path(
            open=self.open[:count],
            high=self.high[:count],
            low=self.low[:count],
            close=self.close[:count],
            volume=self.volume[:count],
            labels=tuple(label for label in self.labels if label.index < count),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Walk `bars` bars to `level` (0 support, 1 resistance); `volume` in units of the usual."""

    bars: int
    level: float
    volume: float
    shape: Shape = "plain"
    kind: EventKind | None = None


def draw(rng: np.random.Generator, steps: list[Step], sigma: float, width: float, noise: float) -> Path:
    """The path of a script; the first step is the noise in front of it."""
    ends = np.cumsum([step.bars for step in steps]) - 1
    count = int(ends[-1]) + 1
    scale = _clusters(rng, count)
    close, volume = np.empty(count), np.empty(count)
    lowest, highest = np.full(count, -np.inf), np.full(count, np.inf)
    start, level = 0, steps[0].level * width - float(rng.uniform(-1, 0.5)) * width
    for step, end in zip(steps, ends.tolist(), strict=True):
        part, goal = slice(start, end + 1), step.level * width
        plain = step is steps[0]
        close[part] = _bridge(rng, level, goal, sigma * scale[part] * (0.9 if plain else noise))
        volume[part] = step.volume
        if not plain:
            slack = 0.0 if level < 0 else noise * 0.05 * width  # nothing undercuts a spring
            lowest[part], highest[part] = min(level, goal) - slack, max(level, goal) + slack
        start, level = end + 1, goal
    close = np.clip(close, lowest, highest)
    path = _bars_around(rng, close, sigma * scale, volume)
    path = replace(path, low=np.maximum(path.low, np.minimum(lowest, close)))
    path = replace(path, high=np.minimum(path.high, np.maximum(highest, close)))
    _stamp(rng, path, steps, ends.tolist(), sigma, width)
    labels = tuple(
        Label(kind=step.kind, index=end)
        for step, end in zip(steps, ends.tolist(), strict=True)
        if step.kind is not None
    )
    return replace(_closed(path), labels=labels)


def noise_path(seed: int, count: int, *, drift: float = 0.0, volatility: float = 0.02) -> Path:
    """A random walk with volatility clustering and fat tails; drift in daily log return."""
    rng = np.random.default_rng(seed)
    scale = _clusters(rng, count)
    moves = drift + volatility * scale * rng.standard_t(5, count) / math.sqrt(5 / 3)
    close = np.cumsum(moves)
    return _bars_around(rng, close, volatility * scale, np.ones(count))


def to_bars(path: Path, *, symbol: str, price: float, last: date = LAST_DAY, lot: float = 1e6) -> Bars:
    """Bars on consecutive weekdays ending at `last`.

    Args:
        path: log prices.
        symbol: id of the bars.
        price: close of the last bar, yuan.
        last: day of the last bar.
        lot: usual volume, shares.
    """
    factor = price / math.exp(float(path.close[-1]))
    end = np.datetime64(last, "D") + 1
    dates = np.busday_offset(end, np.arange(-len(path), 0), roll="forward")
    close = np.exp(path.close) * factor
    volume = np.round(path.volume * lot / 100) * 100
    return Bars(
        symbol=symbol,
        dates=dates.astype("datetime64[D]"),
        open=np.exp(path.open) * factor,
        high=np.exp(path.high) * factor,
        low=np.exp(path.low) * factor,
        close=close,
        volume=volume,
        amount=volume * close,
        adjust="qfq",
        source="structures",
    )


def _stamp(
    rng: np.random.Generator, path: Path, steps: list[Step], ends: list[int], sigma: float, width: float
) -> None:
    """Give the bars at the turning points their shapes and volumes, in place."""
    for step, end in zip(steps, ends, strict=True):
        goal = step.level * width
        if step.shape == "low":
            path.low[end], path.close[end] = goal, goal + float(rng.uniform(0.3, 0.8)) * sigma
            path.volume[end - 1 : end + 2] *= 0.75
        elif step.shape == "high":
            path.high[end], path.close[end] = goal, goal - float(rng.uniform(0.3, 0.8)) * sigma
        elif step.shape == "climax":
            spread = float(rng.uniform(3.2, 4.8)) * sigma
            path.low[end], path.close[end] = goal, goal + float(rng.uniform(0.25, 0.5)) * spread
            path.open[end] = path.high[end] = goal + spread
            path.volume[end - 2 : end + 2] *= np.array([1.4, 1.7, float(rng.uniform(2.6, 4.0)), 1.5])
        elif step.shape == "spring":
            path.low[end], path.close[end] = goal, float(rng.uniform(0.1, 0.6)) * sigma
            path.volume[end] *= float(rng.uniform(0.9, 1.5))
        elif step.shape == "break":
            spread = float(rng.uniform(2.4, 3.4)) * sigma
            path.close[end], path.low[end] = goal, goal - spread
            path.open[end] = goal - 0.8 * spread
            path.high[end] = goal + 0.1 * spread
            path.volume[end] *= float(rng.uniform(1.4, 2.2))


def _closed(path: Path) -> Path:
    """The path with high and low spanning open and close."""
    high = np.maximum(path.high, np.maximum(path.open, path.close))
    low = np.minimum(path.low, np.minimum(path.open, path.close))
    return replace(path, high=high, low=low)


def _bridge(rng: np.random.Generator, start: float, goal: float, sigma: Floats) -> Floats:
    """A noisy walk from just after `start` to exactly `goal`."""
    count = len(sigma)
    walk = np.cumsum(sigma * rng.standard_normal(count))
    share = np.arange(1, count + 1) / count
    return np.asarray(start + (goal - start) * share + walk - walk[-1] * share, dtype=np.float64)


def _clusters(rng: np.random.Generator, count: int) -> Floats:
    """Daily volatility around 1 that changes slowly."""
    shocks = rng.standard_normal(count) * 0.08
    level = np.empty(count)
    value = 0.0
    for at in range(count):
        value = 0.95 * value + float(shocks[at])
        level[at] = value
    return np.exp(level)


def _bars_around(rng: np.random.Generator, close: Floats, sigma: Floats, volume: Floats) -> Path:
    """Open, high, low and volume for a path of closes."""
    count = len(close)
    before = np.concatenate([close[:1], close[:-1]])
    open_ = before + 0.15 * sigma * rng.standard_normal(count)
    top, bottom = np.maximum(open_, close), np.minimum(open_, close)
    move = np.abs(close - before) / sigma
    busy = np.exp(0.3 * rng.standard_normal(count)) * (0.75 + 0.3 * move)
    return Path(
        open=open_,
        high=top + 0.45 * sigma * np.abs(rng.standard_normal(count)),
        low=bottom - 0.45 * sigma * np.abs(rng.standard_normal(count)),
        close=close.copy(),
        volume=volume * busy,
    )
