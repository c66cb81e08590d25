"""Rules of a schema in a few English words, for the description that a model reads where its API does not take the rule itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from runtime.core.json import JsonValue, whole_characters

EXACTLY_ONE: Final = "exactly one of these applies"

_PHRASES: Final[dict[str, Callable[[str], str]]] = {
    "exclusiveMinimum": lambda value: f"> {value}",
    "exclusiveMaximum": lambda value: f"< {value}",
    "multipleOf": lambda value: f"multiple of {value}",
    "minLength": lambda value: f"at least {value} characters",
    "maxLength": lambda value: f"at most {value} characters",
    "minProperties": lambda value: f"at least {value} properties",
    "maxProperties": lambda value: f"at most {value} properties",
    "propertyNames": lambda value: f"property names: {value}",
    "patternProperties": lambda value: f"properties by pattern: {value}",
}
_FLAGS: Final = {
    "uniqueItems": "no duplicates",
    "readOnly": "read-only",
    "writeOnly": "write-only",
    "deprecated": "deprecated",
}
_PLAIN: Final = ("pattern", "format", "contentEncoding", "contentMediaType")
_VACUOUS_AT_ZERO: Final = ("minLength", "minProperties")


def words_for(keyword: str, value: JsonValue) -> list[str]:
    """What a rule says; nothing when it forbids nothing."""
    if keyword in _FLAGS:
        return [_FLAGS[keyword]] if value is True else []
    if keyword in _VACUOUS_AT_ZERO and value == 0:
        return []
    if keyword == "examples" and isinstance(value, list):
        return [f"examples: {', '.join(map(_json, value))}"] if value else []
    if keyword in _PLAIN:
        return [f"{keyword}: {value}"]
    phrase = _PHRASES.get(keyword, f"{keyword}: {{}}".format)
    return [phrase(_json(value))]


def _json(value: JsonValue) -> str:
    """Compact JSON; NaN and infinity by their names."""
    return whole_characters(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
