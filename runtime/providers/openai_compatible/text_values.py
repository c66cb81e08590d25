"""Values that a model writes between tags carry no type: they take the one that the tool's schema asks for.

Always: a text stays a text even when it looks like a number, and what does not fit its type stays as it was written, so that the tool
itself can say what is wrong with it.
"""

from __future__ import annotations

import json
from typing import Final

from runtime.core.json import JsonObject, JsonValue

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "integer": (int, float),  # 5.0 is an integer; the tool decides about 5.5
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_CONSTANTS: Final[dict[str, JsonValue]] = {"true": True, "false": False, "null": None, "none": None}


def typed_value(text: str, name: str, parameters: JsonObject, *, is_json: bool = False) -> JsonValue:
    """The value of a parameter.

    Args:
        text: as written.
        name: of the parameter.
        parameters: JSON Schema of all parameters.
        is_json: what the model says about the value; it counts where the schema says nothing.
    """
    properties = parameters.get("properties")
    schema = properties.get(name) if isinstance(properties, dict) else None
    types = _types(schema, parameters)
    if not types and not is_json:
        return text
    value = _parsed(text.strip())
    if "string" in types and isinstance(value, bool | int | float):
        return text
    return value if not types or _fits(value, types) else text


def _types(schema: JsonValue, root: JsonObject, depth: int = 0) -> frozenset[str]:
    """The types that a schema allows; none = it does not say."""
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return frozenset()
    stated = schema.get("type")
    names = stated if isinstance(stated, list) else [stated]
    found = {name for name in names if isinstance(name, str)}
    for word in ("anyOf", "oneOf", "allOf"):
        choices = schema.get(word)
        for choice in choices if isinstance(choices, list) else []:
            found |= _types(choice, root, depth + 1)
    values = schema.get("enum")
    for value in values if isinstance(values, list) else [schema.get("const")]:
        found |= {"string"} if isinstance(value, str) else set()
    return frozenset(found) | _types(_target(schema.get("$ref"), root), root, depth + 1)


_MAX_DEPTH: Final = 8  # of references and choices; a schema may refer to itself


def _target(reference: JsonValue, root: JsonObject) -> JsonValue:
    """What `#/$defs/Name` refers to."""
    place: JsonValue = root
    for step in reference.removeprefix("#/").split("/") if isinstance(reference, str) else [""]:
        place = place.get(step) if isinstance(place, dict) else None
    return place


def _parsed(text: str) -> JsonValue:
    """The JSON value of a text; the text itself where it is none."""
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    try:
        value: JsonValue = json.loads(text, strict=False, parse_constant=str)
    except (ValueError, RecursionError):
        return text
    return value


def _fits(value: JsonValue, types: frozenset[str]) -> bool:
    for name in types:
        kinds = _TYPES.get(name, ())
        if isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool)):
            return True
    return False
