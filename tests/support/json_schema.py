"""Whether a value fits a JSON Schema (draft 2020-12), for the keywords that tools use; `unevaluated…` and `format` are not judged."""

# ruff: noqa: ANN401 - values and schemas are any JSON
from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def fits(value: Any, schema: Any, root: Any = None) -> bool:
    """Whether a value fits; `root` is where references begin."""
    if isinstance(schema, bool):
        return schema
    root = schema if root is None else root
    return all((*_general(value, schema, root), *_scalar(value, schema), *_inside(value, schema, root)))


def _general(value: Any, schema: Any, root: Any) -> Iterator[bool]:
    if "$ref" in schema:
        target = root
        for step in schema["$ref"].removeprefix("#").split("/")[1:]:
            target = target[step]
        yield fits(value, target, root)
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        yield any(_is(value, name) for name in names)
    if "enum" in schema:
        yield any(_same(value, option) for option in schema["enum"])
    if "const" in schema:
        yield _same(value, schema["const"])
    yield from (fits(value, inner, root) for inner in schema.get("allOf", []))
    if "anyOf" in schema:
        yield any(fits(value, inner, root) for inner in schema["anyOf"])
    if "oneOf" in schema:
        yield sum(fits(value, inner, root) for inner in schema["oneOf"]) == 1
    if "not" in schema:
        yield not fits(value, schema["not"], root)
    if "if" in schema:
        yield fits(value, schema.get("then" if fits(value, schema["if"], root) else "else", True), root)


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer":
        return isinstance(value, int | float) and value == int(value)
    return isinstance(value, _TYPES[name])


def _same(first: Any, second: Any) -> bool:
    return bool(first == second) and isinstance(first, bool) == isinstance(second, bool)


def _scalar(value: Any, schema: Any) -> Iterator[bool]:
    if isinstance(value, str):
        yield schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        yield re.search(schema.get("pattern", ""), value) is not None
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield schema.get("minimum", value) <= value <= schema.get("maximum", value)
        yield "exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"]
        yield "exclusiveMaximum" not in schema or value < schema["exclusiveMaximum"]
        yield (
            "multipleOf" not in schema or (Fraction(str(value)) / Fraction(str(schema["multipleOf"]))).denominator == 1
        )


def _inside(value: Any, schema: Any, root: Any) -> Iterator[bool]:
    if isinstance(value, list):
        first = schema.get("prefixItems", [])
        yield schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        yield from (fits(item, inner, root) for item, inner in zip(value, first, strict=False))
        yield from (fits(item, schema.get("items", True), root) for item in value[len(first) :])
    elif isinstance(value, dict):
        named = schema.get("properties", {})
        yield set(schema.get("required", [])) <= value.keys()
        yield schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", len(value))
        for key, item in value.items():
            told = [named[key]] if key in named else []
            told += [inner for shape, inner in schema.get("patternProperties", {}).items() if re.search(shape, key)]
            yield all(fits(item, inner, root) for inner in told or [schema.get("additionalProperties", True)])
