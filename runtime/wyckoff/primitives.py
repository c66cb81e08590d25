"""Measurements of bars: true range, ATR, volume ratio, ranks, close position, locked-limit bars.

Pure array functions over the last axis, so one stock (n,) and a panel (stocks, n) are the same call. Causal: element t is made of
elements <= t and is bit-for-bit the same when the series is cut after t. No function warns or returns infinity.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from runtime.market.bars import Floats

Mask = NDArray[np.bool_]

ATR_BARS = 20
VOLUME_BARS = 60
MIN_VOLUME_BARS = 20
RANK_BARS = 120
TICK = 0.01  # yuan
UNKNOWN_LIMIT = 0.045  # a one-price bar moving this much is locked when the board is unknown (ST: 5 %)


def previous(values: Floats) -> Floats:
    """The values one bar earlier; the first bar sees itself."""
    return np.concatenate([values[..., :1], values[..., :-1]], axis=-1)


def true_range(high: Floats, low: Floats, close: Floats) -> Floats:
    """Largest of high-low, |high-previous close|, |low-previous close|; high-low on the first bar."""
    before = previous(close)
    before[..., 0] = low[..., 0]
    return np.maximum(high, before) - np.minimum(low, before)


def rolling_mean(values: Floats, window: int) -> Floats:
    """Mean of the last `window` values, of all there are before that many exist."""
    total = np.cumsum(values, axis=-1)
    count = np.minimum(np.arange(1, values.shape[-1] + 1), window)
    total[..., window:] = total[..., window:] - total[..., :-window]
    return np.asarray(total / count, dtype=np.float64)


def rolling_max(values: Floats, window: int) -> Floats:
    """Largest of the last `window` values, of all there are before that many exist."""
    return np.asarray(_windows(values, window, -np.inf).max(axis=-1), dtype=np.float64)


def rolling_min(values: Floats, window: int) -> Floats:
    """Smallest of the last `window` values, of all there are before that many exist."""
    return -rolling_max(-values, window)


def rolling_rank(values: Floats, window: int) -> Floats:
    """Share of the last `window` values, itself included, that are not above the current one: 1 is the largest; NaN stays NaN."""
    seen = _windows(values, window, np.nan)
    below = np.count_nonzero(seen <= values[..., None], axis=-1)
    counted = np.count_nonzero(~np.isnan(seen), axis=-1)
    return np.where(np.isnan(values), np.nan, below / np.maximum(counted, 1))


def median_before(values: Floats, window: int, least: int) -> Floats:
    """Median of up to `window` values before each bar, the bar itself left out; NaN with fewer than `least`."""
    if values.shape[-1] < 2:
        return np.full(values.shape, np.nan)
    seen = np.sort(_windows(values[..., :-1], window, np.nan), axis=-1)  # NaN sorts last
    count = np.minimum(np.arange(1, values.shape[-1]), window)
    at = np.arange(count.size)
    middle = (seen[..., at, (count - 1) // 2] + seen[..., at, count // 2]) / 2
    result = np.full(values.shape, np.nan)
    result[..., 1:] = np.where(count >= least, middle, np.nan)
    return result


def volume_ratio(volume: Floats, locked: Mask) -> Floats:
    """Volume over the median of the 60 bars before; NaN where locked, where history is short, or where nothing traded.

    Locked bars say nothing about volume, so in the history they count as the last bar that did trade freely.
    """
    at = np.where(locked, -1, np.arange(volume.shape[-1]))
    free = np.maximum(np.maximum.accumulate(at, axis=-1), 0)
    base = median_before(np.take_along_axis(volume, free, axis=-1), VOLUME_BARS, MIN_VOLUME_BARS)
    usable = ~locked & (base > 0)
    return np.where(usable, volume / np.where(usable, base, 1.0), np.nan)


def close_position(high: Floats, low: Floats, close: Floats) -> Floats:
    """0 where the close is the low, 1 where it is the high, 0.5 on a one-price bar."""
    height = high - low
    flat = height <= 0
    return np.where(flat, 0.5, (close - low) / np.where(flat, 1.0, height))


def effort_result(ratio: Floats, move_atr: Floats) -> Floats:
    """Rank of the effort (volume ratio) minus rank of the result (|move| in ATR) over 120 bars: near 1 is effort without result."""
    return rolling_rank(ratio, RANK_BARS) - rolling_rank(np.abs(move_atr), RANK_BARS)


def locked_limit(open_: Floats, high: Floats, low: Floats, close: Floats, limit_ratio: float | None) -> Mask:
    """Bars that traded at one price, the daily limit: their volume carries no information.

    Args:
        open_: yuan; like the other prices.
        high: see `open_`.
        low: see `open_`.
        close: see `open_`.
        limit_ratio: the board's daily limit (0.1, 0.2, 0.3), None when unknown.
    """
    before = previous(close)
    top, bottom = np.maximum(high, open_), np.minimum(low, open_)
    needed = UNKNOWN_LIMIT if limit_ratio is None else 0.95 * limit_ratio
    moved = np.abs(close - before) >= needed * before - TICK / 2
    locked = (top - bottom <= TICK * 1.001) & moved & (close != before)
    locked[..., 0] = False
    return np.asarray(locked, dtype=np.bool_)


def _windows(values: Floats, window: int, fill: float) -> Floats:
    """A view (..., n, window) of the last `window` values at each bar, padded in front with `fill`."""
    pad = np.full((*values.shape[:-1], window - 1), fill)
    return sliding_window_view(np.concatenate([pad, values], axis=-1), window, axis=-1)
