"""A plain schema as one API takes it: what the API does not take is said in the description."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias, cast

from runtime.core.json import JsonObject, JsonValue
from runtime.providers.wire.schema_merge import both, choice
from runtime.providers.wire.schema_nodes import (
    KEYWORDS,
    Contradiction,
    UnfitSchema,
    enum_of,
    identity,
    mapped,
    notes_of,
    required_of,
    rules_of,
    schemas_listed,
    schemas_named,
    with_words,
)
from runtime.providers.wire.schema_words import words_for

Api: TypeAlias = Literal["openai", "anthropic", "gemini"]

# What `GenerateContentConfig.response_json_schema` of google-genai lists; `parameters_json_schema` is read by the same server.
_GEMINI: Final = frozenset(
    (
        "type", "format", "title", "description", "enum", "items", "prefixItems", "minItems", "maxItems", "minimum",
        "maximum", "anyOf", "properties", "additionalProperties", "required", "$ref", "$defs",
    )
)  # fmt: skip
_TAKEN: Final[dict[Api, frozenset[str]]] = {
    "openai": KEYWORDS | {"$defs"},
    "anthropic": KEYWORDS | {"$defs"},
    "gemini": _GEMINI,
}
_GEMINI_FORMATS: Final = ("date-time", "date", "time", "int32", "int64", "float", "double")
_FIRST: Final = ("type", "title", "description", "enum", "format", "properties", "required")
_ORDER: Final = {keyword: at for at, keyword in enumerate((*_FIRST, *sorted(KEYWORDS.difference(_FIRST))))}
_NOT_AT_THE_ROOT: Final = frozenset(("allOf", "not", "enum"))  # OpenAI and Anthropic refuse them there


def fitted_root(root: JsonObject, api: Api) -> JsonObject:
    """A plain schema as the parameters of a tool: an object with properties.

    Raises:
        UnfitSchema: it is no object, or a choice between objects that are not one.
    """
    definitions = schemas_named(root, "$defs")
    root = {keyword: value for keyword, value in root.items() if keyword != "$defs"}
    try:
        root = _one_object(both(root, {"type": "object"}))
    except Contradiction as problem:
        raise UnfitSchema(f"the parameters are no object: {problem}") from problem
    if root.get("type") != "object":
        raise UnfitSchema("the parameters are no object")
    whole: JsonObject = {"type": "object", "properties": {}}
    fit = _fitted(whole | root, api, _TAKEN[api] - _NOT_AT_THE_ROOT)
    kept: JsonObject = {name: _fitted(node, api, _TAKEN[api]) for name, node in definitions.items()}
    return fit | ({"$defs": kept} if kept else {})


def _one_object(root: JsonObject) -> JsonObject:
    """A choice between objects as one object, where that means the same."""
    branches = schemas_listed(root, "anyOf")
    while len(branches) > 1:
        united = next(
            (
                [branch for branch in branches if branch not in (first, second)] + [union]
                for at, first in enumerate(branches)
                for second in branches[at + 1 :]
                if (union := _union(first, second)) is not None
            ),
            None,
        )
        if united is None:
            raise UnfitSchema("the parameters are a choice between different objects")
        branches = united
    rest = {keyword: value for keyword, value in root.items() if keyword != "anyOf"}
    return both(rest, branches[0]) if branches else root


def _union(first: JsonObject, second: JsonObject) -> JsonObject | None:
    """One object that takes what either takes and nothing else; None if there is none."""
    ours, theirs = rules_of(first), rules_of(second)
    unequal = [
        keyword
        for keyword in ours.keys() | theirs.keys()
        if keyword not in ours or keyword not in theirs or identity(ours[keyword]) != identity(theirs[keyword])
    ]
    notes = both(notes_of(first), notes_of(second))
    if not unequal:
        return ours | notes
    if unequal == ["required"]:
        fewer, more = sorted((required_of(first), required_of(second)), key=len)
        looser: JsonObject = {"required": [*fewer]}
        return ours | looser | notes if set(fewer) <= set(more) else None
    if unequal != ["properties"] or "properties" not in ours or "properties" not in theirs:
        return None
    one, other = schemas_named(ours, "properties"), schemas_named(theirs, "properties")
    apart = [name for name in one if name not in other or identity(one[name]) != identity(other[name])]
    if one.keys() != other.keys() or len(apart) != 1:
        return None
    properties: JsonObject = {**one, apart[0]: _either(one[apart[0]], other[apart[0]])}
    return ours | {"properties": properties} | notes


def _either(first: JsonObject, second: JsonObject) -> JsonObject:
    """A choice of two; two enums of a type are one longer enum."""
    if all(node.keys() == {"type", "enum"} for node in (first, second)) and first["type"] == second["type"]:
        return first | {"enum": [*enum_of(first), *enum_of(second)]}
    return choice([first, second])


def _fitted(node: JsonObject, api: Api, taken: frozenset[str]) -> JsonObject:
    """The node and all inside it with what the API takes; the rest in words."""

    def inside(schema: JsonValue, _keyword: str, _name: str) -> JsonValue:
        return _fitted(cast("JsonObject", schema), api, _TAKEN[api])

    complete = _complete(node if "allOf" in taken else _reference_kept(node))
    untaken = _untaken(complete, api, taken)
    words = [word for keyword in untaken for word in words_for(keyword, complete[keyword])]
    kept = mapped({keyword: value for keyword, value in complete.items() if keyword not in untaken}, inside)
    said = with_words(kept, *words)
    return {keyword: said[keyword] for keyword in sorted(said, key=_ORDER.__getitem__)}


def _reference_kept(node: JsonObject) -> JsonObject:
    """An `allOf` that has to be said, less the one reference in it: that can stay as a choice of one."""
    references = [member for member in schemas_listed(node, "allOf") if "$ref" in member]
    if len(references) != 1 or "anyOf" in node:
        return node
    said: list[JsonValue] = [member for member in schemas_listed(node, "allOf") if "$ref" not in member]
    return node | {"anyOf": [*references], "allOf": said}


def _untaken(node: JsonObject, api: Api, taken: frozenset[str]) -> list[str]:
    """The keywords that have to be said in words."""
    untaken = [keyword for keyword in node if keyword not in taken]
    if api == "gemini" and node.get("format", "date") not in _GEMINI_FORMATS:
        untaken.append("format")
    if "patternProperties" in untaken and "additionalProperties" in node:
        untaken.append("additionalProperties")  # alone it would judge what the patterns allow
    return untaken


def _complete(node: JsonObject) -> JsonObject:
    """An array that says what its items are, an object that names what it requires.

    Raises:
        UnfitSchema: it requires a property that it forbids.
    """
    if node.get("type") == "array" and "items" not in node:
        return node | {"items": {}}
    properties = schemas_named(node, "properties")
    missing = [name for name in required_of(node) if name not in properties]
    if not missing or node.get("type") != "object":
        return node
    added: JsonObject = {name: _unnamed(node, name) for name in missing}
    return node | {"properties": {**properties, **added}}


def _unnamed(node: JsonObject, name: str) -> JsonValue:
    """What an object says of a property that it requires and does not name."""
    other = node.get("additionalProperties", node.get("unevaluatedProperties", {}))
    if any(_matches(pattern, name) for pattern in schemas_named(node, "patternProperties")):
        return {}
    if other is False:
        raise UnfitSchema(f"the property {name} is required and forbidden")
    return other if isinstance(other, dict) else {}


def _matches(pattern: str, name: str) -> bool:
    """Whether a name fits a pattern; one that cannot be read here might mean any name."""
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return True
