"""Trading ranges: the chance of a box, random walks without one, the facts of a range that is there."""

from __future__ import annotations

import numpy as np
import pytest

from runtime.wyckoff.drawing import noise_path, to_bars
from runtime.wyckoff.engine import analyze
from runtime.wyckoff.ranges import chance_of_box
from runtime.wyckoff.records import EventKind, LevelKind
from runtime.wyckoff.structures import Difficulty, structure_path


def test_the_chance_of_a_box_is_that_of_simulated_walks() -> None:
    rng = np.random.default_rng(1)
    count, bars, half = 4000, 400, 15.0
    walks = np.cumsum(rng.standard_normal((count, bars)), axis=1)
    stayed = float((np.abs(walks) < half).all(axis=1).mean())
    assert chance_of_box(2 * half, float(bars)) == pytest.approx(stayed, abs=0.05)


def test_a_wider_or_younger_box_is_likelier() -> None:
    assert chance_of_box(1.0, 1.0) > chance_of_box(1.0, 2.0) > chance_of_box(0.8, 2.0)
    assert chance_of_box(0.0, 1.0) == 1.0


def test_random_walks_rarely_stand_in_a_range() -> None:
    readings = [analyze(to_bars(noise_path(40_000 + seed, 500), symbol="x", price=10.0)) for seed in range(120)]
    standing = [reading.range for reading in readings if reading.range is not None and reading.range.active]
    assert len(standing) <= 0.15 * len(readings)


def test_the_box_of_an_accumulation_spans_its_climax_and_its_rally() -> None:
    path = structure_path("accumulation", 6, difficulty=Difficulty.EASY, until=EventKind.TEST, after=2)
    bars = to_bars(path, symbol="x", price=10.0)
    reading = analyze(bars)
    at = {label.kind: label.index for label in path.labels}
    box = reading.range
    assert box is not None
    assert box.active
    assert box.support == pytest.approx(bars.low[at[EventKind.SC]], rel=0.02)
    assert box.resistance == pytest.approx(bars.high[at[EventKind.AR]], rel=0.02)
    assert at[EventKind.AR] < box.known_index < box.end_index == len(bars) - 1
    assert box.quality > 0.85
    assert box.touches >= 3
    assert {level.kind for level in reading.levels} == {LevelKind.SUPPORT, LevelKind.CREEK}


def test_sideways_swings_without_a_climax_make_a_range_too() -> None:
    time = np.arange(260)
    path = noise_path(11, 260, volatility=0.012)
    wave = 0.07 * np.sin(time / 3.0) - path.close * 0.9
    swung = to_bars(
        type(path)(
            open=path.open + wave,
            high=path.high + wave,
            low=path.low + wave,
            close=path.close + wave,
            volume=path.volume,
        ),
        symbol="x",
        price=10.0,
    )
    box = analyze(swung).range
    assert box is not None
    assert box.active
    assert 0.08 < np.log(box.resistance / box.support) < 0.25
