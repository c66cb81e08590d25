"""The generator: seeded, labelled where it says, sane bars."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.market.bars import day
from runtime.wyckoff.drawing import LAST_DAY, noise_path, to_bars
from runtime.wyckoff.records import EventKind
from runtime.wyckoff.structures import Difficulty, Pattern, structure_path

PATTERNS: tuple[Pattern, ...] = ("accumulation", "distribution")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(PATTERNS), st.sampled_from(list(Difficulty)))
def test_bars_are_sane_and_end_on_the_last_day(seed: int, pattern: Pattern, difficulty: Difficulty) -> None:
    bars = to_bars(structure_path(pattern, seed, difficulty=difficulty), symbol="x", price=8.0)
    assert (bars.low <= np.minimum(bars.open, bars.close)).all()
    assert (bars.high >= np.maximum(bars.open, bars.close)).all()
    assert (bars.low > 0).all()
    assert (bars.volume >= 0).all()
    assert (np.diff(bars.dates).astype(int) > 0).all()
    assert day(bars.dates[-1]) == LAST_DAY
    assert bars.close[-1] == pytest.approx(8.0)


def test_equal_arguments_give_equal_bars_and_other_seeds_other_bars() -> None:
    one, same, other = (structure_path("accumulation", seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.close, same.close)
    np.testing.assert_array_equal(one.volume, same.volume)
    assert one.labels == same.labels
    assert len(other) != len(one) or not np.array_equal(other.close, one.close)


def test_the_labels_stand_on_their_turning_points() -> None:
    for seed in range(20):
        path = structure_path("accumulation", seed)
        at = {label.kind: label.index for label in reversed(path.labels)}
        low = path.low
        assert low[at[EventKind.SPRING]] < low[at[EventKind.SC]]
        assert low[at[EventKind.SPRING]] < low[at[EventKind.TEST]] < path.high[at[EventKind.AR]]
        assert path.close[at[EventKind.SOS]] > path.high[at[EventKind.AR]]
        assert at[EventKind.SC] < at[EventKind.AR] < at[EventKind.ST] < at[EventKind.SPRING] < at[EventKind.TEST]
        climax = at[EventKind.SC]
        assert path.volume[climax] > 2 * np.median(path.volume[climax - 60 : climax])


def test_a_distribution_is_an_accumulation_upside_down() -> None:
    up, down = structure_path("accumulation", 7), structure_path("distribution", 7)
    np.testing.assert_array_equal(down.high, -up.low)
    np.testing.assert_array_equal(down.volume, up.volume)
    names = {label.kind for label in down.labels}
    assert names == {EventKind.BC, EventKind.AR, EventKind.ST, EventKind.UTAD, EventKind.SOW, EventKind.LPSY}


def test_a_cut_structure_ends_the_asked_bars_after_its_event() -> None:
    path = structure_path("accumulation", 7, until=EventKind.TEST, after=3, total=500)
    assert len(path) == 500
    assert path.labels[-1].kind is EventKind.TEST
    assert path.labels[-1].index == 496


def test_volatility_of_noise_clusters() -> None:
    moves = np.abs(np.diff(noise_path(5, 5000).close))
    month = moves[: len(moves) // 20 * 20].reshape(-1, 20).mean(axis=1)
    assert np.corrcoef(month[:-1], month[1:])[0, 1] > 0.1
