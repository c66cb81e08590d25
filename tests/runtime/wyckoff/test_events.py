"""Each kind of event on structures whose events are known, the phases that follow, and bars that hold none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from runtime.market.bars import Bars, Floats, days
from runtime.wyckoff.drawing import Label, Path, noise_path, to_bars
from runtime.wyckoff.engine import analyze
from runtime.wyckoff.records import EventKind, Phase, Reading, Structure
from runtime.wyckoff.structures import Difficulty, Pattern, structure_path

K = EventKind
SEEDS = range(20)
NEAR_BARS = 5


def bars_of(path: Path) -> Bars:
    return to_bars(path, symbol="600001.SIM", price=10.0)


def flat(count: int, volume: float = 1e6) -> Bars:
    price = np.full(count, 10.0)
    return Bars(
        symbol="600001.SIM",
        dates=np.datetime64("2024-01-01", "D") + np.arange(count),
        open=price,
        high=price,
        low=price,
        close=price,
        volume=np.full(count, volume),
        amount=np.full(count, np.nan),
        adjust="raw",
        source="test",
    )


def found(reading: Reading, label: Label) -> bool:
    return any(event.kind is label.kind and abs(event.index - label.index) <= NEAR_BARS for event in reading.events)


@pytest.mark.parametrize(
    ("pattern", "kind", "least"),
    [
        ("accumulation", K.SC, 0.9),
        ("accumulation", K.AR, 0.9),
        ("accumulation", K.ST, 0.8),
        ("accumulation", K.SPRING, 0.9),
        ("accumulation", K.TEST, 0.6),
        ("accumulation", K.SOS, 0.9),
        ("accumulation", K.LPS, 0.7),
        ("distribution", K.BC, 0.9),
        ("distribution", K.AR, 0.9),
        ("distribution", K.ST, 0.8),
        ("distribution", K.UTAD, 0.9),
        ("distribution", K.SOW, 0.9),
        ("distribution", K.LPSY, 0.7),
    ],
)
def test_labelled_events_are_found_where_they_are(pattern: Pattern, kind: EventKind, least: float) -> None:
    hits: list[bool] = []
    for seed in SEEDS:
        path = structure_path(pattern, seed, difficulty=Difficulty.EASY)
        reading = analyze(bars_of(path))
        hits += [found(reading, label) for label in path.labels if label.kind is kind]
    assert len(hits) >= len(SEEDS)
    assert sum(hits) / len(hits) >= least


def test_an_upthrust_in_a_young_range_is_a_ut_and_a_late_one_a_utad() -> None:
    hits: list[bool] = []
    for seed in SEEDS:
        path = structure_path("distribution", seed, difficulty=Difficulty.EASY, early_thrust=True)
        reading = analyze(bars_of(path))
        hits += [found(reading, label) for label in path.labels if label.kind is K.UT]
        for event in reading.events:
            if event.kind in {K.UT, K.UTAD}:
                assert (event.phase is Phase.C) == (event.kind is K.UTAD)
    assert sum(hits) >= 0.7 * len(hits) > 0


@pytest.mark.parametrize("pattern", ["accumulation", "distribution"])
def test_the_wrong_sides_events_are_rare_in_a_structure(pattern: Pattern) -> None:
    wrong = {K.SPRING, K.SOS, K.LPS, K.TEST} if pattern == "distribution" else {K.UTAD, K.SOW, K.LPSY, K.UT}
    right = {K.UTAD, K.SOW, K.LPSY, K.UT} if pattern == "distribution" else {K.SPRING, K.SOS, K.LPS, K.TEST}
    kinds = Counter(event.kind for seed in SEEDS for event in analyze(bars_of(structure_path(pattern, seed))).events)
    assert sum(kinds[kind] for kind in wrong) < 0.1 * sum(kinds[kind] for kind in right)


@pytest.mark.parametrize(
    ("until", "after", "phase"),
    [
        (K.AR, 8, Phase.A),
        (K.ST, 5, Phase.B),
        (K.SPRING, 2, Phase.C),
        (K.SOS, 1, Phase.D),
        (K.LPS, 20, Phase.E),
    ],
)
@pytest.mark.parametrize("pattern", ["accumulation", "distribution"])
def test_phases_follow_the_events(pattern: Pattern, until: EventKind, after: int, phase: Phase) -> None:
    states = [
        analyze(bars_of(structure_path(pattern, seed, difficulty=Difficulty.EASY, until=until, after=after))).phase
        for seed in SEEDS
    ]
    right = [state for state in states if state.phase is phase and state.structure is Structure(pattern)]
    assert len(right) >= 0.7 * len(states)


def test_a_base_that_breaks_down_has_failed_and_takes_its_events_back() -> None:
    base = structure_path("accumulation", 5, difficulty=Difficulty.EASY, until=K.SPRING, after=2)
    reading = analyze(bars_of(base.then(noise_path(1, 15, drift=-0.02, volatility=0.008))))
    assert reading.phase.phase is Phase.FAILED
    assert reading.danger.level == "danger"
    springs = [event for event in reading.events if event.kind is K.SPRING]
    assert springs
    assert all(event.invalidated_at is not None for event in springs)


def test_a_spring_is_no_danger_and_sets_the_stop_below_itself() -> None:
    reading = analyze(bars_of(structure_path("accumulation", 1, difficulty=Difficulty.EASY, until=K.SPRING, after=2)))
    spring = next(event for event in reversed(reading.events) if event.kind is K.SPRING)
    assert reading.danger.level == "none"
    assert reading.stop is not None
    assert reading.stop.reason_key == "wyckoff.stop_below_spring"
    assert reading.stop.price < spring.price


def test_scores_lean_to_the_side_of_the_structure() -> None:
    up = analyze(bars_of(structure_path("accumulation", 2, until=K.SOS, after=1))).phase
    down = analyze(bars_of(structure_path("distribution", 2, until=K.SOS, after=1))).phase
    assert up.p_accumulation is not None
    assert up.p_distribution is not None
    assert up.p_accumulation > 0.7
    assert up.p_distribution < 0.3
    assert down.p_accumulation is not None
    assert down.p_distribution is not None
    assert down.p_distribution > 0.7
    assert down.p_accumulation < 0.3


@pytest.mark.parametrize("volume", [0.0, 1e6])
def test_bars_that_never_move_hold_no_event(volume: float) -> None:
    reading = analyze(flat(300, volume))
    assert reading.events == ()
    assert reading.range is None
    assert reading.phase.phase is Phase.NONE
    assert reading.stop is None


@pytest.mark.parametrize("count", [0, 1, 59])
def test_a_short_series_says_that_it_is_short(count: int) -> None:
    reading = analyze(flat(count))
    assert reading.note_key == "wyckoff.note_too_short"
    assert reading.range is None
    assert reading.bars == count


@pytest.mark.parametrize(
    "change",
    [
        lambda bars: replace(bars, volume=np.zeros(len(bars))),
        lambda bars: replace(bars, volume=np.where(np.arange(len(bars)) % 3 == 0, 0.0, bars.volume)),
        lambda bars: replace(bars, dates=bars.dates + np.where(np.arange(len(bars)) > 200, 90, 0)),
    ],
)
def test_thin_volume_and_long_suspensions_are_read_without_complaint(change: Callable[[Bars], Bars]) -> None:
    reading = analyze(change(bars_of(structure_path("accumulation", 4))))
    assert reading.note_key is None


def test_without_volume_no_climax_is_claimed() -> None:
    bars = bars_of(structure_path("accumulation", 4))
    kinds = {event.kind for event in analyze(replace(bars, volume=np.zeros(len(bars)))).events}
    assert not kinds & {K.SC, K.BC}


def test_a_chain_of_locked_bars_counts_from_its_first_traded_bar() -> None:
    """Five one-price bars at the lower limit, then heavy trade: the climax is the traded bar."""
    close = np.concatenate([np.linspace(20.0, 17.0, 120), 17.0 * 0.9 ** np.arange(1, 6)])
    bottom = float(close[-1])
    traded = np.array([bottom * 0.97, bottom * 1.02])
    after = bottom * np.array([1.06, 1.1, 1.14, 1.18, 1.22, 1.25, 1.28, 1.3, 1.26, 1.2, 1.15, 1.12])
    close = np.concatenate([close, traded, after])
    spread = np.full(len(close), 0.006)
    spread[120:125] = 0.0
    spread[125] = 0.05
    volume = np.full(len(close), 1e6)
    volume[120:125] = 1e4
    volume[125] = 2e7
    reading = analyze(hand_made(close, spread, volume), limit_ratio=0.1)
    climaxes = [event for event in reading.events if event.kind is K.SC]
    assert [event.index for event in climaxes] == [125]


def hand_made(close: Floats, spread: Floats, volume: Floats) -> Bars:
    before = np.concatenate([close[:1], close[:-1]])
    open_ = np.where(spread > 0, before, close)
    start = np.datetime64("2024-01-01", "D")
    return Bars(
        symbol="600001.SIM",
        dates=(start + np.arange(len(close))).astype("datetime64[D]"),
        open=open_,
        high=np.maximum(open_, close) * (1 + spread),
        low=np.minimum(open_, close) * (1 - spread),
        close=close,
        volume=volume,
        amount=volume * close,
        adjust="raw",
        source="test",
    )


def test_dates_and_prices_of_events_are_those_of_their_bars() -> None:
    bars = bars_of(structure_path("distribution", 3))
    reading = analyze(bars)
    assert reading.events
    for event in reading.events:
        assert np.datetime64(event.date) == bars.dates[event.index]
        assert np.datetime64(event.confirm_date) == bars.dates[event.confirm_index]
        assert event.price in {bars.high[event.index], bars.low[event.index]}
        assert event.index <= event.confirm_index
        assert days([event.date])[0] <= days([event.confirm_date])[0]
        assert event.confidence is None
