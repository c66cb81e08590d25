"""From the words of many dialects to those of one: old drafts, OpenAPI, and type names of programming languages.

One node at a time; what stands inside is left as it is. `const` becomes an `enum` of one, `nullable` a type, and a `$ref` with company a
member of `allOf`. Keywords that no standard knows are dropped.
"""

from __future__ import annotations

import math
from typing import Final, cast

from runtime.core.json import JsonObject, JsonValue
from runtime.providers.wire.schema_nodes import (
    ANNOTATIONS,
    KEYWORDS,
    NUMBER_RULES,
    UnfitSchema,
    distinct,
    identity,
    is_finite,
    with_words,
)
from runtime.providers.wire.schema_words import words_for

_NAMES: Final = {
    "string": "string str text char character",
    "integer": "integer int long short byte bigint int32 int64",
    "number": "number float double decimal float32 float64",
    "boolean": "boolean bool",
    "array": "array list tuple set frozenset sequence arraylist queue stack",
    "object": "object dict dictionary map mapping hashmap hashtable",
    "null": "null none nil nonetype",
    "any": "any",
}
_TYPES: Final = {word: name for name, words in _NAMES.items() for word in words.split()}
_FOREIGN: Final = frozenset(("oneOf", "const", "dependencies", "additionalItems", "example", "nullable"))
_DYNAMIC: Final = ("$recursiveRef", "$dynamicRef")
_NO_LIMIT: Final = {
    "minimum": -math.inf,
    "exclusiveMinimum": -math.inf,
    "maximum": math.inf,
    "exclusiveMaximum": math.inf,
}
_COUNTS: Final = (
    "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains",
)  # fmt: skip


def standard(schema: JsonValue) -> JsonObject:
    """One schema in the words of the current draft.

    Raises:
        UnfitSchema: it is no schema, or names a type that is none.
    """
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    if not isinstance(schema, dict):
        raise UnfitSchema(f"{schema!r} is no schema")
    for keyword in _DYNAMIC:
        if keyword in schema:
            raise UnfitSchema(f"{keyword} is not understood")
    node: JsonObject = {
        keyword: value
        for keyword, value in schema.items()
        if keyword in KEYWORDS | _FOREIGN and (value is not None or keyword in ("default", "const"))
    }
    node = _types_named(_enumerated(_updated(node)))
    node = _numbers_checked(_notes_checked(_required_listed(node)))
    return _null_allowed(_reference_apart(node))


def _updated(node: JsonObject) -> JsonObject:
    """What older drafts and OpenAPI say in other words."""
    node = dict(node)
    for bound, strict in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(node.get(strict), bool) and node.pop(strict) and bound in node:
            node[strict] = node.pop(bound)
    if "example" in node:
        node.setdefault("examples", [node.pop("example")])
        node.pop("example", None)
    others = node.pop("additionalItems", None)
    if isinstance(node.get("items"), list):
        node["prefixItems"] = node.pop("items")
        if others is not None:
            node["items"] = others
    dependencies = node.pop("dependencies", {})
    if not isinstance(dependencies, dict):
        raise UnfitSchema("dependencies is no object")
    for name, dependency in dependencies.items():
        keyword = "dependentRequired" if isinstance(dependency, list) else "dependentSchemas"
        node[keyword] = cast("JsonObject", node.get(keyword, {})) | {name: dependency}
    return node


def _enumerated(node: JsonObject) -> JsonObject:
    """`const` as an `enum` of one; each value once, and none that JSON cannot say."""
    if "const" not in node and "enum" not in node:
        return node
    values = node.get("enum", [node.get("const")])
    if not isinstance(values, list):
        raise UnfitSchema("enum is no list")
    sayable = [value for value in values if is_finite(value)]
    if "const" in node:
        constant = [node["const"]] if is_finite(node["const"]) else []
        sayable = [value for value in sayable if identity(value) in map(identity, constant)]
    if not sayable:
        raise UnfitSchema("enum leaves no value")
    return {key: value for key, value in node.items() if key != "const"} | {"enum": distinct(sayable)}


def _types_named(node: JsonObject) -> JsonObject:
    """`type` as a name, or a list of several; absent for any value."""
    if "type" not in node:
        return node
    named = node["type"] if isinstance(node["type"], list) else [node["type"]]
    types: list[JsonValue] = []
    for name in named:
        known = _TYPES.get(name.lower()) if isinstance(name, str) else None
        if known is None:
            raise UnfitSchema(f"unknown type {name!r}")
        types.append(known)
    if not types:
        raise UnfitSchema("type is an empty list")
    types = [name for name in distinct(types) if name != "integer" or "number" not in types]
    result = dict(node)
    if "any" in types:
        del result["type"]
    else:
        result["type"] = types if len(types) > 1 else types[0]
    if isinstance(node["type"], str) and node["type"].lower() in ("set", "frozenset"):
        result["uniqueItems"] = True
    return result


def _required_listed(node: JsonObject) -> JsonObject:
    """`required` as a list of distinct names; also those that a property claims for itself, as in draft 3."""
    required = node.get("required", [])
    names: list[JsonValue] = [required] if isinstance(required, str) else required if isinstance(required, list) else []
    properties = node.get("properties", {})
    if isinstance(properties, dict):
        claims = (key for key, inner in properties.items() if isinstance(inner, dict) and inner.get("required") is True)
        names = distinct([*names, *claims])
    if not all(isinstance(name, str) for name in names):
        raise UnfitSchema("required names what is no property")
    if names:
        return node | {"required": names}
    return {keyword: value for keyword, value in node.items() if keyword != "required"}


def _notes_checked(node: JsonObject) -> JsonObject:
    """Titles and descriptions are texts; a default that JSON cannot say is said in words."""
    node = {
        keyword: value
        for keyword, value in node.items()
        if keyword not in ("title", "description") or isinstance(value, str)
    }
    unsayable = [keyword for keyword in ("default", "examples") if not is_finite(node.get(keyword))]
    words = [word for keyword in unsayable for word in words_for(keyword, node.pop(keyword))]
    return with_words(node, *words)


def _numbers_checked(node: JsonObject) -> JsonObject:
    """Limits are numbers; an infinite one that limits nothing is left out."""
    result = dict(node)
    for keyword in (*NUMBER_RULES, *_COUNTS):
        value = node.get(keyword, 0)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UnfitSchema(f"{keyword} is no number")
        if value == _NO_LIMIT.get(keyword):
            del result[keyword]
        elif not is_finite(value):
            raise UnfitSchema(f"{keyword} is no finite number")
    return result


def _reference_apart(node: JsonObject) -> JsonObject:
    """A `$ref` beside other keywords as a member of `allOf`."""
    if "$ref" not in node:
        return node
    if not isinstance(node["$ref"], str):
        raise UnfitSchema("$ref is no text")
    beside = {keyword: value for keyword, value in node.items() if keyword != "$ref"}
    if not beside:
        return node
    reference: JsonValue = {"$ref": node["$ref"]}
    return beside | {"allOf": [reference, *cast("list[JsonValue]", beside.get("allOf", []))]}


def _null_allowed(node: JsonObject) -> JsonObject:
    """`nullable` as a type among others."""
    nullable = str(node.get("nullable", "")).lower() == "true"
    rest = {keyword: value for keyword, value in node.items() if keyword != "nullable"}
    if not nullable:
        return rest
    if {"anyOf", "allOf", "oneOf", "$ref"} & rest.keys():
        inner: JsonObject = {keyword: value for keyword, value in rest.items() if keyword not in ANNOTATIONS}
        return {keyword: rest[keyword] for keyword in rest if keyword in ANNOTATIONS} | {
            "anyOf": [inner, {"type": "null"}]
        }
    if "type" in rest:
        types = rest["type"] if isinstance(rest["type"], list) else [rest["type"]]
        rest["type"] = distinct([*types, "null"])
    if "enum" in rest:
        rest["enum"] = distinct([*cast("list[JsonValue]", rest["enum"]), None])
    return rest | ({"type": "null"} if rest.get("type") == ["null"] else {})
