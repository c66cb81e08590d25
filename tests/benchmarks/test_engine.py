"""Measurements of the Wyckoff engine; run with `-m benchmark -s`. Nothing timed is asserted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

import pytest

from runtime.wyckoff.drawing import Path, noise_path, to_bars
from runtime.wyckoff.engine import analyze
from runtime.wyckoff.records import EventKind, Phase
from runtime.wyckoff.structures import Difficulty, Pattern, structure_path

pytestmark = pytest.mark.benchmark

STRUCTURES = 200  # a pattern
WALKS = 500
BARS = 500
NEAR_BARS = 5
PATTERNS: tuple[Pattern, ...] = ("accumulation", "distribution")


def paths(difficulty: Difficulty) -> Iterator[Path]:
    for pattern in PATTERNS:
        for seed in range(STRUCTURES):
            early = seed % 4 == 0  # a failed break while the range is young: UT in a distribution
            yield structure_path(pattern, 500_000 + seed, difficulty=difficulty, early_thrust=early)


def test_cpu_time_of_one_reading() -> None:
    for count in (250, BARS, 1000, 2000):
        series = [to_bars(noise_path(seed, count), symbol="x", price=10.0) for seed in range(100)]
        analyze(series[0])
        start = time.process_time()
        for bars in series:
            analyze(bars)
        spent = (time.process_time() - start) * 1000 / len(series)
        print(f"\n{count:5d} bars, every event on every bar: {spent:.2f} CPU-ms", end="")
        assert spent > 0


@pytest.mark.parametrize("difficulty", list(Difficulty))
def test_recall_and_precision_on_labelled_structures(difficulty: Difficulty) -> None:
    labels: Counter[EventKind] = Counter()
    hits: Counter[EventKind] = Counter()
    events: Counter[EventKind] = Counter()
    true: Counter[EventKind] = Counter()
    delay: Counter[EventKind] = Counter()
    for path in paths(difficulty):
        found = analyze(to_bars(path, symbol="x", price=10.0)).events
        known = {(label.kind, label.index) for label in path.labels}
        for kind, index in known:
            labels[kind] += 1
            near = [event for event in found if event.kind is kind and abs(event.index - index) <= NEAR_BARS]
            hits[kind] += bool(near)
        for event in found:
            events[event.kind] += 1
            delay[event.kind] += event.confirm_index - event.index
            true[event.kind] += any(
                kind is event.kind and abs(index - event.index) <= NEAR_BARS for kind, index in known
            )
    print(f"\n{difficulty}: kind, labels, recall, events, precision, bars to confirmation")
    for kind in EventKind:
        if labels[kind] or events[kind]:
            recall = f"{hits[kind] / labels[kind]:.2f}" if labels[kind] else "  - "
            seen = max(events[kind], 1)
            print(
                f"  {kind:7s}{labels[kind]:5d}  {recall}  {events[kind]:5d}  {true[kind] / seen:.2f}  {delay[kind] / seen:.1f}"
            )
    assert labels


def test_ranges_and_false_alarms_on_random_walks() -> None:
    alarms: Counter[EventKind] = Counter()
    phases: Counter[Phase] = Counter()
    active = shown = 0
    for seed in range(WALKS):
        reading = analyze(to_bars(noise_path(900_000 + seed, BARS), symbol="x", price=10.0))
        alarms.update(event.kind for event in reading.events)
        phases[reading.phase.phase] += 1
        shown += reading.range is not None
        active += reading.range is not None and reading.range.active
    print(f"\nrandom walks of {BARS} bars: {active / WALKS:.1%} stand in a range at the last bar,", end=" ")
    print(f"{shown / WALKS:.1%} counting ranges left in the last 40 bars")
    print("  phases at the last bar:", ", ".join(f"{phase} {n / WALKS:.1%}" for phase, n in phases.most_common()))
    print("  events in 1,000 bars:", ", ".join(f"{k} {n * 1000 / WALKS / BARS:.2f}" for k, n in alarms.items()))
    assert sum(phases.values()) == WALKS
