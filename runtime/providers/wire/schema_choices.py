"""One node whose inner schemas are plain already, made plain itself.

A plain node has at most one type, its enum is of that type, and of the words for combinations only `anyOf` is left, besides an `allOf` of
what has no common form.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final, cast

from runtime.core.json import JsonObject, JsonValue
from runtime.providers.wire.schema_merge import both, choice
from runtime.providers.wire.schema_nodes import (
    ANNOTATIONS,
    RULES_OF_TYPE,
    TYPED_RULES,
    Contradiction,
    distinct,
    enum_of,
    has_type,
    identity,
    notes_of,
    required_of,
    schemas_listed,
    schemas_named,
    type_of,
    with_words,
)
from runtime.providers.wire.schema_words import EXACTLY_ONE

_COMBINED: Final = ("allOf", "anyOf", "oneOf")
_LOOKS_ASIDE: Final = ("allOf", "anyOf", "if", "$ref", "dependentSchemas")  # may hold evaluated properties


def plain(node: JsonObject) -> JsonObject:
    """The node in plain form.

    Raises:
        Contradiction: no value can fit.
    """
    result = _typed({keyword: value for keyword, value in node.items() if keyword not in _COMBINED})
    for member in schemas_listed(node, "allOf"):
        result = both(result, member)
    if "anyOf" in node:
        result = both(result, choice(schemas_listed(node, "anyOf")))
    if "oneOf" in node:
        result = _exactly_one(result, schemas_listed(node, "oneOf"))
    return _closed(result)


def _typed(node: JsonObject) -> JsonObject:
    """One type for each branch, and in each branch the enum values of its type."""
    kinds = node.get("type", [])
    types = [str(kind) for kind in kinds] if isinstance(kinds, list) else [str(kinds)]
    values = enum_of(node)
    if values:
        if "array" in types and not any(has_type(value, kind) for value in values for kind in types):
            return _typed(_enum_of_items(node))
        types = _types_of_values(values, types)
    if not types:
        return node
    branches = [_of_type(node, kind, values) for kind in types]
    if len(branches) == 1:
        return branches[0] | notes_of(node)
    return notes_of(node) | choice(branches)


def _types_of_values(values: list[JsonValue], types: list[str]) -> list[str]:
    """The types that an enum has values of; where none is of a declared type, the values are believed."""
    declared = [kind for kind in types if any(has_type(value, kind) for value in values)]
    if declared:
        return declared
    found = [str(kind) for kind in distinct(type_of(value) for value in values)]
    return [kind for kind in found if kind != "integer" or "number" not in found]


def _enum_of_items(node: JsonObject) -> JsonObject:
    """An enum on an array that lists what its items may be."""
    items = cast("JsonObject", node.get("items", {}))
    rest = {keyword: value for keyword, value in node.items() if keyword != "enum"}
    return rest | {"items": both(items, _typed({"enum": node["enum"]}))}


def _of_type(node: JsonObject, kind: str, values: list[JsonValue]) -> JsonObject:
    """The branch of one type: its rules, its values, no annotations."""
    result: JsonObject = {}
    for keyword, value in node.items():
        if keyword == "type":
            result[keyword] = kind
        elif keyword == "enum":
            result |= {"type": kind}
            own: list[JsonValue] = [value for value in values if has_type(value, kind)]
            result |= {"enum": own} if kind != "null" else {}
        elif keyword in RULES_OF_TYPE[kind] or keyword not in (*ANNOTATIONS, *TYPED_RULES):
            result[keyword] = value
    return result


def _exactly_one(node: JsonObject, branches: list[JsonObject]) -> JsonObject:
    """The node with a `oneOf`: a choice, with a sentence where branches might overlap."""
    result = both(node, choice(branches))
    options = schemas_listed(result, "anyOf")
    if not options or _all_disjoint(branches) or ("anyOf" not in node and _all_disjoint(options)):
        return result
    return with_words(result, EXACTLY_ONE)


def _all_disjoint(branches: list[JsonObject]) -> bool:
    return all(_disjoint(first, second) for first, second in combinations(branches, 2))


def _disjoint(first: JsonObject, second: JsonObject) -> bool:
    """Whether provably no value fits both."""
    for one, other in ((first, second), (second, first)):
        if "anyOf" in one:
            return all(_disjoint(option, other) for option in schemas_listed(one, "anyOf"))
        closed = one.get("additionalProperties") is False and "patternProperties" not in one
        if closed and set(required_of(other)) - schemas_named(one, "properties").keys():
            return _is_object(first) and _is_object(second)
    kinds = {first.get("type"), second.get("type")}
    if None not in kinds and len(kinds) == 2 and kinds != {"integer", "number"}:
        return True
    if "enum" in first and "enum" in second:
        ours, theirs = ({identity(value) for value in enum_of(node)} for node in (first, second))
        return not ours & theirs
    shared = set(required_of(first)) & set(required_of(second))
    ours_named, theirs_named = schemas_named(first, "properties"), schemas_named(second, "properties")
    return (_is_object(first) and _is_object(second)) and any(
        _disjoint(ours_named.get(name, {}), theirs_named.get(name, {})) for name in shared
    )


def _is_object(node: JsonObject) -> bool:
    return node.get("type") == "object"


def _closed(node: JsonObject) -> JsonObject:
    """`items: false` as a number of items; `unevaluatedProperties` as `additionalProperties` where nothing else evaluates any."""
    result = dict(node)
    if result.get("items") is False:
        most = len(schemas_listed(node, "prefixItems"))
        result |= {"items": {}, "maxItems": min(most, cast("int", node.get("maxItems", most)))}
        if cast("int", node.get("minItems", 0)) > most:
            raise Contradiction("more items are required than allowed")
    elif result.get("items") is True:
        result["items"] = {}
    if "unevaluatedProperties" in result and not any(keyword in result for keyword in _LOOKS_ASIDE):
        result.setdefault("additionalProperties", result.pop("unevaluatedProperties"))
        result.pop("unevaluatedProperties", None)
    return result
