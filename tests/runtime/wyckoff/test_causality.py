"""What was confirmed stays; what is read upside down is the mirror image."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.market.bars import Bars
from runtime.wyckoff.drawing import noise_path, to_bars
from runtime.wyckoff.engine import analyze
from runtime.wyckoff.records import Event, EventKind
from runtime.wyckoff.structures import Difficulty, structure_path

K = EventKind
SWAPPED = {
    K.SC: K.BC,
    K.BC: K.SC,
    K.AR: K.AR,
    K.ST: K.ST,
    K.SPRING: K.UTAD,
    K.UTAD: K.SPRING,
    K.UT: K.SPRING,
    K.SOS: K.SOW,
    K.SOW: K.SOS,
    K.LPS: K.LPSY,
    K.LPSY: K.LPS,
}


@st.composite
def series(draw: st.DrawFn) -> Bars:
    """Noise, a structure, or a structure that runs on into noise."""
    seed = draw(st.integers(0, 50_000))
    kind = draw(st.sampled_from(["noise", "accumulation", "distribution", "joined"]))
    match kind:
        case "noise":
            path = noise_path(seed, 400, drift=draw(st.sampled_from([0.0, -0.002, 0.002])))
        case "accumulation":
            path = structure_path("accumulation", seed, difficulty=Difficulty.HARD)
        case "distribution":
            path = structure_path("distribution", seed)
        case _:
            path = structure_path("accumulation", seed, until=K.TEST).then(noise_path(seed, 150))
    return to_bars(path, symbol="600001.SIM", price=10.0)


def without_end(event: Event) -> Event:
    return replace(event, invalidated_at=None)


@settings(max_examples=60, deadline=None)
@given(series(), st.lists(st.integers(60, 400), min_size=6, max_size=6))
def test_a_confirmed_event_never_changes_moves_or_disappears(bars: Bars, stops: list[int]) -> None:
    whole = analyze(bars).events
    for stop in stops:
        part = analyze(bars.cut(0, stop)).events
        known = [event for event in whole if event.confirm_index < stop]
        assert [without_end(event) for event in part] == [without_end(event) for event in known]
        for early, late in zip(part, known, strict=True):
            ended = late.invalidated_at is not None and late.invalidated_at < stop
            assert early.invalidated_at == (late.invalidated_at if ended else None)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 50_000))
def test_every_confirmed_event_could_be_known_on_its_confirmation_bar(seed: int) -> None:
    bars = to_bars(structure_path("accumulation", seed), symbol="600001.SIM", price=10.0)
    for event in analyze(bars).events:
        then = analyze(bars.cut(0, event.confirm_index + 1)).events
        before = analyze(bars.cut(0, event.confirm_index)).events
        assert without_end(event) in [without_end(other) for other in then]
        assert without_end(event) not in [without_end(other) for other in before]


def upside_down(bars: Bars) -> Bars:
    """Every price replaced by 100 over it: rises become falls of the same size."""
    return replace(bars, open=100 / bars.open, high=100 / bars.low, low=100 / bars.high, close=100 / bars.close)


@settings(max_examples=40, deadline=None)
@given(series())
def test_bars_upside_down_have_the_mirrored_events(bars: Bars) -> None:
    natural = [
        (SWAPPED[event.kind], event.index, event.confirm_index, event.invalidated_at)
        for event in analyze(bars).events
        if event.kind is not K.TEST
    ]
    mirror = [
        (K.UTAD if event.kind is K.UT else event.kind, event.index, event.confirm_index, event.invalidated_at)
        for event in analyze(upside_down(bars)).events
        if event.kind is not K.TEST
    ]
    assert sorted(map(str, natural)) == sorted(map(str, mirror))


def test_reading_twice_gives_the_same_and_leaves_the_bars_alone() -> None:
    bars = to_bars(structure_path("accumulation", 8), symbol="600001.SIM", price=10.0)
    copies = [array.copy() for array in (bars.open, bars.high, bars.low, bars.close, bars.volume)]
    assert analyze(bars) == analyze(bars)
    for copy, array in zip(copies, (bars.open, bars.high, bars.low, bars.close, bars.volume), strict=True):
        np.testing.assert_array_equal(copy, array)
