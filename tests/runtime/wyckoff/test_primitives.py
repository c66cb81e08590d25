"""The primitives against the plainest form of their definitions."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from runtime.market.bars import Floats
from runtime.wyckoff import primitives
from runtime.wyckoff.drawing import noise_path, to_bars

BARS = to_bars(noise_path(3, 200), symbol="600001.SIM", price=12.0)
FREE = np.zeros(len(BARS), dtype=np.bool_)
Values = arrays(np.float64, st.integers(1, 90), elements=st.integers(0, 50).map(float))


def test_true_range_is_the_largest_of_the_three_distances() -> None:
    spread = primitives.true_range(BARS.high, BARS.low, BARS.close)
    assert spread[0] == BARS.high[0] - BARS.low[0]
    for t in range(1, len(BARS)):
        high, low, before = BARS.high[t], BARS.low[t], BARS.close[t - 1]
        assert spread[t] == pytest.approx(max(high - low, abs(high - before), abs(low - before)))


@given(Values, st.integers(1, 30))
def test_rolling_windows_agree_with_slices(values: Floats, window: int) -> None:
    mean = primitives.rolling_mean(values, window)
    top, bottom = primitives.rolling_max(values, window), primitives.rolling_min(values, window)
    rank = primitives.rolling_rank(values, window)
    for t in range(len(values)):
        seen = values[max(t - window + 1, 0) : t + 1].tolist()
        assert mean[t] == pytest.approx(statistics.fmean(seen))
        assert (top[t], bottom[t]) == (max(seen), min(seen))
        assert rank[t] == pytest.approx(sum(value <= seen[-1] for value in seen) / len(seen))


@given(Values, st.integers(2, 30))
def test_median_before_leaves_the_bar_itself_out(values: Floats, window: int) -> None:
    median = primitives.median_before(values, window, 2)
    for t in range(len(values)):
        seen = values[max(t - window, 0) : t].tolist()
        if len(seen) < 2:
            assert math.isnan(median[t])
        else:
            assert median[t] == statistics.median(seen)


def test_volume_ratio_divides_by_the_median_of_the_sixty_bars_before() -> None:
    ratio = primitives.volume_ratio(BARS.volume, FREE)
    assert np.isnan(ratio[: primitives.MIN_VOLUME_BARS]).all()
    for t in (20, 59, 60, 61, 150, 199):
        base = statistics.median(BARS.volume[max(t - 60, 0) : t].tolist())
        assert ratio[t] == pytest.approx(BARS.volume[t] / base)


def test_volume_ratio_is_unknown_where_nothing_traded() -> None:
    assert np.isnan(primitives.volume_ratio(np.zeros(100), np.zeros(100, dtype=np.bool_))).all()


def test_a_locked_bar_neither_has_a_volume_ratio_nor_drags_the_median() -> None:
    volume = np.full(100, 1000.0)
    locked = np.zeros(100, dtype=np.bool_)
    locked[50:80] = True
    volume[50:80] = 1.0
    ratio = primitives.volume_ratio(volume, locked)
    assert np.isnan(ratio[50:80]).all()
    assert (ratio[80:] == 1.0).all()


def test_close_position_is_one_half_on_a_one_price_bar() -> None:
    high, low, close = np.array([12.0, 10.0]), np.array([10.0, 10.0]), np.array([11.5, 10.0])
    assert primitives.close_position(high, low, close).tolist() == [0.75, 0.5]


@pytest.mark.parametrize(
    ("limit", "close", "locked"),
    [
        (0.1, 11.0, True),
        (0.1, 9.0, True),
        (0.2, 11.0, False),
        (0.2, 12.0, True),
        (None, 11.0, True),
        (None, 10.3, False),
        (0.1, 10.0, False),
    ],
)
def test_locked_limit_needs_one_price_at_the_boards_limit(limit: float | None, close: float, *, locked: bool) -> None:
    price = np.array([10.0, close])
    assert primitives.locked_limit(price, price, price, price, limit).tolist() == [False, locked]


def test_a_bar_that_opened_up_from_the_limit_is_not_locked() -> None:
    close, low = np.array([10.0, 11.0]), np.array([10.0, 10.5])
    assert not primitives.locked_limit(close, close, low, close, 0.1).any()


def test_effort_without_result_scores_high() -> None:
    ratio, move = np.ones(130), np.ones(130)
    ratio[-1], move[-1] = 9.0, 0.01
    assert primitives.effort_result(ratio, move)[-1] > 0.9


def test_a_panel_gives_what_each_row_gives_alone() -> None:
    panel = np.stack([noise_path(seed, 150).volume for seed in range(4)])
    locked = np.zeros(panel.shape, dtype=np.bool_)
    together = primitives.volume_ratio(panel, locked)
    for row, alone in zip(panel, together, strict=True):
        np.testing.assert_array_equal(primitives.volume_ratio(row, locked[0]), alone)
    for row, alone in zip(panel, primitives.rolling_rank(panel, 40), strict=True):
        np.testing.assert_array_equal(primitives.rolling_rank(row, 40), alone)


def test_cutting_a_series_changes_no_earlier_value() -> None:
    whole = primitives.volume_ratio(BARS.volume, FREE)
    for stop in (30, 77, 140):
        np.testing.assert_array_equal(primitives.volume_ratio(BARS.volume[:stop], FREE[:stop]), whole[:stop])
        np.testing.assert_array_equal(
            primitives.rolling_mean(BARS.close[:stop], 20), primitives.rolling_mean(BARS.close, 20)[:stop]
        )
