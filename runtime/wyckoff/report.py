"""A reading as JSON for tools, files and the terminal. NaN and infinity never leave: unknown is null."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum

from runtime.core.json import JsonObject, JsonValue
from runtime.numbers import finite
from runtime.wyckoff.records import Reading


def reading_to_json(reading: Reading) -> JsonObject:
    """The reading with the names of its fields; dates as ISO text, tuples of (name, index) in `refs` as an object."""
    return {field.name: _plain(field.name, getattr(reading, field.name)) for field in fields(reading)}


def _plain(name: str, value: object) -> JsonValue:
    plain: JsonValue
    match value:
        case Enum():
            plain = str(value.value)
        case None | bool() | int() | str():
            plain = value
        case float():
            plain = finite(float(value))
        case date():
            plain = value.isoformat()
        case tuple() if name == "refs":
            plain = {str(key): int(index) for key, index in value}
        case tuple():
            plain = [_plain("", item) for item in value]
        case _ if is_dataclass(value):
            plain = {field.name: _plain(field.name, getattr(value, field.name)) for field in fields(value)}
        case _:
            raise TypeError(f"no JSON form for {name}: {type(value).__name__}")
    return plain
