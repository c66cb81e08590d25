"""The JSON of a reading, and that every text it names exists in both languages."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest

from runtime.core.json import JsonValue, dumps, loads_object
from runtime.paths import resource
from runtime.texts import LANGUAGES
from runtime.wyckoff.drawing import noise_path, to_bars
from runtime.wyckoff.engine import analyze
from runtime.wyckoff.records import EventKind, LevelKind, Phase, Reading, Structure
from runtime.wyckoff.report import reading_to_json
from runtime.wyckoff.structures import Pattern, structure_path

PATTERNS: tuple[Pattern, ...] = ("accumulation", "distribution")


def readings() -> Iterator[Reading]:
    for seed in range(12):
        yield analyze(to_bars(noise_path(seed, 300), symbol="600001.SIM", price=10.0))
        for pattern in PATTERNS:
            yield analyze(to_bars(structure_path(pattern, seed), symbol="600001.SIM", price=10.0))
            for until in (EventKind.AR, EventKind.SPRING, EventKind.SOS):
                path = structure_path(pattern, seed, until=until, after=3)
                yield analyze(to_bars(path, symbol="600001.SIM", price=10.0))
                falling = path.then(noise_path(seed, 20, drift=-0.02))
                yield analyze(to_bars(falling, symbol="600001.SIM", price=10.0))
    yield analyze(to_bars(noise_path(1, 20), symbol="600001.SIM", price=10.0))


def keys_of(value: JsonValue) -> Iterator[str]:
    match value:
        case dict():
            for name, item in value.items():
                if name in {"reason_key", "note_key"} and item is not None:
                    yield str(item)
                yield from keys_of(item)
        case list():
            for item in value:
                yield from keys_of(item)
        case _:
            return


def test_a_reading_is_strict_json_with_the_agreed_keys() -> None:
    for reading in readings():
        shape = loads_object(dumps(reading_to_json(reading)))
        assert {"symbol", "as_of", "range", "phase", "events", "levels", "stop", "note_key"} <= shape.keys()
        assert shape["symbol"] == "600001.SIM"


def test_an_event_in_json_has_plain_values() -> None:
    reading = analyze(to_bars(structure_path("accumulation", 3), symbol="600001.SIM", price=10.0))
    event = next(event for event in reading.events if event.kind is EventKind.SOS)
    shape = reading_to_json(reading)
    assert isinstance(shape["events"], list)
    plain = shape["events"][reading.events.index(event)]
    assert isinstance(plain, dict)
    assert plain["kind"] == "SOS"
    assert plain["date"] == event.date.isoformat()
    assert plain["refs"] == dict(event.refs)
    assert plain["level_kind"] == "creek"
    assert isinstance(plain["evidence"], list)
    assert {"name", "value", "need", "ok"} == set(plain["evidence"][0])  # type: ignore[arg-type]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_that_a_reading_names_exists(language: str) -> None:
    texts = tomllib.loads(resource("i18n", language, "wyckoff.toml").read_text("utf-8"))
    needed = {f"event_{kind}" for kind in EventKind} | {f"phase_{phase}" for phase in Phase}
    needed |= {f"structure_{structure}" for structure in Structure}
    needed |= {f"level_kind_{kind}" for kind in LevelKind}
    for reading in readings():
        needed |= {key.removeprefix("wyckoff.") for key in keys_of(reading_to_json(reading))}
        needed |= {f"evidence_{fact.name}" for event in reading.events for fact in event.evidence}
        needed.add(f"trend_{reading.trend}")
    assert needed <= texts.keys()


def test_both_languages_have_the_same_texts() -> None:
    tables = [tomllib.loads(resource("i18n", name, "wyckoff.toml").read_text("utf-8")) for name in LANGUAGES]
    assert tables[0].keys() == tables[1].keys()
