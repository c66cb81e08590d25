"""The JSON types, and one way to write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias

JsonValue: TypeAlias = "str | int | float | bool | None | list[JsonValue] | dict[str, JsonValue]"
JsonObject: TypeAlias = dict[str, JsonValue]


def dumps(value: JsonValue | Mapping[str, JsonValue]) -> str:
    """Compact JSON with Chinese as it is; NaN and infinity are refused.

    Raises:
        ValueError: the value holds NaN or infinity.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def canonical(value: JsonValue | Mapping[str, JsonValue]) -> str:
    """JSON that is equal for equal values: keys sorted."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)


def loads(text: str | bytes) -> JsonValue:
    """The value of a JSON text.

    Raises:
        ValueError: the text is no JSON.
    """
    value: JsonValue = json.loads(text)
    return value


def loads_object(text: str | bytes) -> JsonObject:
    """The object of a JSON text.

    Raises:
        ValueError: the text is no JSON, or no object.
    """
    value = loads(text)
    if not isinstance(value, dict):
        raise ValueError(f"a JSON object is expected, not {type(value).__name__}")
    return value
