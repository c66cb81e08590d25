"""The JSON types, and one way to write them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TypeAlias

from typing_extensions import TypeAliasType

# TypeAliasType: pydantic follows this recursion, an implicit recursive alias overflows it.
JsonValue = TypeAliasType("JsonValue", "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None")
JsonObject: TypeAlias = dict[str, JsonValue]


def dumps(value: JsonValue | Mapping[str, JsonValue]) -> str:
    """Compact JSON with Chinese as it is; NaN and infinity are refused, halves of characters become U+FFFD.

    Raises:
        ValueError: the value holds NaN or infinity.
    """
    return whole_characters(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def whole_characters(text: str) -> str:
    """The text with surrogate pairs joined and lone halves replaced: neither a file, nor SQLite, nor a model takes them."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


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
        raise ValueError(  # noqa: TRY004 - whoever reads JSON expects one kind of error
            f"a JSON object is expected, not {type(value).__name__}"
        )
    return value


def json_safe(value: JsonValue) -> JsonValue:
    """The same JSON value with NaN and infinities replaced by null."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {key: json_safe(item) for key, item in value.items()}
        case list():
            return [json_safe(item) for item in value]
        case _:
            return value


def table_of(value: JsonValue) -> JsonObject:
    """The value if it is an object, else an empty one: servers leave out and replace what they like."""
    return value if isinstance(value, dict) else {}


def words_of(table: JsonObject, name: str) -> str:
    """The text under a name, else an empty one."""
    value = table.get(name)
    return value if isinstance(value, str) else ""
