"""JSON Schema as data: its keywords, the schemas inside a schema, the types of values, and what makes a schema unfit.

Always: a node is one schema without what stands inside it. The names in `properties` are never taken for keywords, and nothing here
changes what it is given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias, cast

from runtime.core.json import JsonObject, JsonValue, canonical

ANNOTATIONS: Final = (
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
)  # fmt: skip
STRING_RULES: Final = ("minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType", "contentSchema")
NUMBER_RULES: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
ARRAY_RULES: Final = (
    "items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains",
    "unevaluatedItems",
)  # fmt: skip
OBJECT_RULES: Final = (
    "properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
    "maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties",
)  # fmt: skip
GENERAL_RULES: Final = ("type", "enum", "format", "anyOf", "allOf", "not", "if", "then", "else", "$ref")
KEYWORDS: Final = frozenset(
    (*ANNOTATIONS, *STRING_RULES, *NUMBER_RULES, *ARRAY_RULES, *OBJECT_RULES, *GENERAL_RULES)
)  # fmt: skip
RULES_OF_TYPE: Final = {
    "string": STRING_RULES,
    "number": NUMBER_RULES,
    "integer": NUMBER_RULES,
    "array": ARRAY_RULES,
    "object": OBJECT_RULES,
    "boolean": (),
    "null": (),
}
TYPED_RULES: Final = frozenset(keyword for rules in RULES_OF_TYPE.values() for keyword in rules)
IN_A_MAP: Final = ("properties", "patternProperties", "dependentSchemas", "$defs")
IN_A_LIST: Final = ("anyOf", "allOf", "oneOf", "prefixItems")
ALONE: Final = (
    "items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties", "contentSchema",
)  # fmt: skip
MAY_BE_BOOLEAN: Final = ("items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties")
IN_PLACE: Final = ("anyOf", "allOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")  # about the same value

Change: TypeAlias = Callable[[JsonValue, str, str], JsonValue]


class UnfitSchema(Exception):  # noqa: N818 - it never leaves this package; UserError does
    """A schema that cannot be said to an API without losing meaning.

    Args:
        reason: why, in a few words.
        path: the properties and keywords that lead to the place.
    """

    def __init__(self, reason: str, *path: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path

    def under(self, *steps: str) -> UnfitSchema:
        """The same, seen from further outside."""
        return type(self)(self.reason, *(step for step in steps if step), *self.path)

    def __str__(self) -> str:
        return f"{'/'.join(self.path)}: {self.reason}" if self.path else self.reason


class Contradiction(UnfitSchema):
    """No value can fit."""


def mapped(node: JsonObject, change: Change) -> JsonObject:
    """The node with every schema directly inside it changed.

    Args:
        node: a schema.
        change: gets a schema, its keyword and, in a map, its name; else "".
    """

    def changed(schema: JsonValue, keyword: str, name: str = "") -> JsonValue:
        try:
            return change(schema, keyword, name)
        except UnfitSchema as problem:
            raise problem.under("" if keyword == "properties" else keyword, name) from None

    result: JsonObject = {}
    for keyword, value in node.items():
        if keyword in IN_A_MAP:
            result[keyword] = {
                name: changed(schema, keyword, name) for name, schema in schemas_named(node, keyword).items()
            }
        elif keyword in IN_A_LIST:
            result[keyword] = [changed(schema, keyword) for schema in schemas_listed(node, keyword)]
        elif keyword in ALONE and not (isinstance(value, bool) and keyword in MAY_BE_BOOLEAN):
            result[keyword] = changed(value, keyword)
        else:
            result[keyword] = value
    return result


def schemas_named(node: JsonObject, keyword: str) -> dict[str, JsonObject]:
    """The schemas of a map, by name; none when the keyword is absent."""
    value = node.get(keyword, {})
    if not isinstance(value, dict):
        raise UnfitSchema(f"{keyword} is no object")
    return cast("dict[str, JsonObject]", value)


def schemas_listed(node: JsonObject, keyword: str) -> list[JsonObject]:
    """The schemas of a list; none when the keyword is absent."""
    value = node.get(keyword, [])
    if not isinstance(value, list):
        raise UnfitSchema(f"{keyword} is no list")
    return cast("list[JsonObject]", value)


def schemas_inside(node: JsonObject, keywords: Iterable[str]) -> Iterator[JsonObject]:
    """The schemas that stand directly inside a node under some of its keywords."""
    for keyword in keywords:
        if keyword in IN_A_MAP:
            yield from schemas_named(node, keyword).values()
        elif keyword in IN_A_LIST:
            yield from schemas_listed(node, keyword)
        elif isinstance(schema := node.get(keyword), dict):
            yield schema


def required_of(node: JsonObject) -> list[str]:
    """The names of the properties that must be there."""
    return cast("list[str]", node.get("required", []))


def enum_of(node: JsonObject) -> list[JsonValue]:
    """The values that are allowed; none when any is."""
    return cast("list[JsonValue]", node.get("enum", []))


def rules_of(node: JsonObject) -> JsonObject:
    """What decides whether a value fits: everything but the annotations."""
    return {keyword: value for keyword, value in node.items() if keyword not in ANNOTATIONS}


def notes_of(node: JsonObject) -> JsonObject:
    """What only explains: the annotations."""
    return {keyword: value for keyword, value in node.items() if keyword in ANNOTATIONS}


def with_words(node: JsonObject, *words: str) -> JsonObject:
    """The node with words put behind its description."""
    said = "; ".join(words)
    if not said:
        return node
    description = node.get("description")
    whole = f"{description} ({said})" if description else said
    return in_company(node) | {"description": whole}


def in_company(node: JsonObject) -> JsonObject:
    """The node, or a choice of it alone: a bare `$ref` must not stand beside other keywords."""
    return {"anyOf": [node]} if "$ref" in node else node


def type_of(value: JsonValue) -> str:
    """The narrowest JSON Schema type of a value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def has_type(value: JsonValue, name: str) -> bool:
    """Whether a value is of a JSON Schema type: 5.0 is an integer, and every integer is a number."""
    own = type_of(value)
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return own == name or (name == "number" and own == "integer")


def is_finite(value: JsonValue) -> bool:
    """Whether a value can be written as JSON: it holds neither NaN nor infinity."""
    match value:
        case float():
            return math.isfinite(value)
        case dict():
            return all(is_finite(item) for item in value.values())
        case list():
            return all(is_finite(item) for item in value)
        case _:
            return True


def identity(value: JsonValue) -> str:
    """A text that is equal for values that JSON Schema takes for equal: 1 is 1.0, but not true."""
    return canonical(_with_whole_numbers(value))


def distinct(values: Iterable[JsonValue]) -> list[JsonValue]:
    """The values in their order, each once."""
    return list({identity(value): value for value in reversed(list(values))}.values())[::-1]


def _with_whole_numbers(value: JsonValue) -> JsonValue:
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {key: _with_whole_numbers(item) for key, item in value.items()}
        case list():
            return [_with_whole_numbers(item) for item in value]
        case _:
            return value
