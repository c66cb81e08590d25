"""Pivots: alternation, size of the reversal, confirmation, causality."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from runtime.wyckoff.drawing import noise_path, to_bars
from runtime.wyckoff.frame import frame_of
from runtime.wyckoff.pivots import REVERSAL_ATR, mirrored, zigzag

seeds = st.integers(0, 10_000)


@given(seeds)
def test_pivots_alternate_and_are_confirmed_by_a_full_reversal(seed: int) -> None:
    frame = frame_of(to_bars(noise_path(seed, 200), symbol="x", price=10.0), None)
    pivots = zigzag(frame)
    assert len(pivots) > 5
    for before, after in pairwise(pivots):
        assert before.is_low != after.is_low
        assert before.index < after.index
        assert before.confirm < after.confirm
    for pivot in pivots:
        assert pivot.index < pivot.confirm
        move = frame.high[pivot.confirm] - pivot.price if pivot.is_low else pivot.price - frame.low[pivot.confirm]
        assert move >= REVERSAL_ATR * frame.atr[pivot.confirm]
        between = slice(pivot.index, pivot.confirm)
        assert pivot.price == (frame.low[between].min() if pivot.is_low else frame.high[between].max())


@given(seeds, st.integers(60, 199))
def test_a_cut_series_has_the_pivots_confirmed_by_then(seed: int, stop: int) -> None:
    bars = to_bars(noise_path(seed, 200), symbol="x", price=10.0)
    whole = zigzag(frame_of(bars, None))
    part = zigzag(frame_of(bars.cut(0, stop), None))
    assert part == tuple(pivot for pivot in whole if pivot.confirm < stop)


@given(seeds)
def test_the_mirrored_frame_has_the_mirrored_pivots(seed: int) -> None:
    frame = frame_of(to_bars(noise_path(seed, 200), symbol="x", price=10.0), None)
    assert zigzag(frame.mirrored()) == mirrored(zigzag(frame))
