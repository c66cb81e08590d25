"""One schema out of two that both apply.

Always: exactly the values fit that fit both. What has no common form stays side by side in `allOf`; what cannot be true together is a
`Contradiction`. Choices are multiplied out, so that each branch of an `anyOf` is whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final, cast

from runtime.core.json import JsonObject, JsonValue
from runtime.providers.wire.schema_nodes import (
    RULES_OF_TYPE,
    TYPED_RULES,
    Contradiction,
    UnfitSchema,
    distinct,
    enum_of,
    has_type,
    identity,
    in_company,
    notes_of,
    required_of,
    rules_of,
    schemas_listed,
    schemas_named,
)

MOST_BRANCHES: Final = 64  # a choice of choices beyond this stays unmultiplied
_OF_OBJECTS: Final = ("properties", "required", "additionalProperties")


def both(first: JsonObject, second: JsonObject) -> JsonObject:
    """What fits both; the words of the first come first.

    Raises:
        Contradiction: nothing fits both.
    """
    return _explained(_met(rules_of(first), rules_of(second)), notes_of(first), notes_of(second))


def choice(branches: list[JsonObject]) -> JsonObject:
    """What fits at least one branch; nested choices are flat, equal branches stand once."""
    flat: list[JsonValue] = []
    for branch in branches:
        flat += schemas_listed(branch, "anyOf") if branch.keys() == {"anyOf"} else [branch]
    if not flat:
        raise Contradiction("a choice without branches")
    flat = distinct(flat)
    return cast("JsonObject", flat[0]) if len(flat) == 1 else {"anyOf": flat}


def _explained(rules: JsonObject, *notes: JsonObject) -> JsonObject:
    """The rules with annotations: of each the first, but every description."""
    noted = [note for note in (*notes, notes_of(rules)) if note]
    if not noted:
        return rules
    merged: JsonObject = {}
    for note in reversed(noted):
        merged |= note
    descriptions = distinct(note["description"] for note in noted if note.get("description"))
    if descriptions:
        merged["description"] = "\n".join(map(str, descriptions))
    return merged | in_company(rules_of(rules))


def _met(first: JsonObject, second: JsonObject) -> JsonObject:
    """The rules of both."""
    if not first or not second or identity(first) == identity(second):
        return first or second
    if "$ref" in first or "$ref" in second:
        return _side_by_side(first, second)
    if "anyOf" not in first and "anyOf" not in second:
        return _joined(first, second)
    rest = _met(_without_choice(first), _without_choice(second))
    for branches in (schemas_listed(first, "anyOf"), schemas_listed(second, "anyOf")):
        rest = _spread(rest, branches) if branches else rest
    return rest


def _without_choice(node: JsonObject) -> JsonObject:
    return {keyword: value for keyword, value in node.items() if keyword != "anyOf"}


def _side_by_side(first: JsonObject, second: JsonObject) -> JsonObject:
    """Both in `allOf`, where nothing better can be said."""
    members: list[JsonValue] = []
    for node in (first, second):
        members += schemas_listed(node, "allOf") if node.keys() == {"allOf"} else [node]
    return {"allOf": distinct(members)}


def _spread(rest: JsonObject, branches: list[JsonObject]) -> JsonObject:
    """A choice, each branch of it joined with the rest; branches that contradict the rest fall away."""
    if not rest:
        return choice(branches)
    whole = not any("$ref" in node for node in (rest, *branches))
    many = len(branches) * len(schemas_listed(rest, "anyOf")) > MOST_BRANCHES
    if not whole or many:
        options: JsonValue = [*branches]
        return _side_by_side(rest, {"anyOf": options}) if {"anyOf", "$ref"} & rest.keys() else rest | {"anyOf": options}
    possible: list[JsonObject] = []
    refusal = Contradiction("no branch of anyOf can be true")
    for branch in branches:
        try:
            possible.append(both(branch, rest))
        except Contradiction as problem:
            refusal = problem
    if not possible:
        raise refusal
    return choice(possible)


def _joined(first: JsonObject, second: JsonObject) -> JsonObject:
    """The keywords of both, each met with its like; what has no meeting goes into `allOf`."""
    result, apart = first | second, cast("JsonObject", {})
    for keyword in [name for name in first if name in second and name in _MEETINGS]:
        result[keyword] = _MEETINGS[keyword](first[keyword], second[keyword])
    for group in _groups(first, second):
        ours, theirs = _part(first, group), _part(second, group)
        if ours and theirs and identity(ours) != identity(theirs):
            result = {keyword: value for keyword, value in result.items() if keyword not in group} | ours
            apart |= theirs
    if not apart.keys() & set(_OF_OBJECTS):
        result |= _objects_met(first, second)
    if apart:
        result["allOf"] = distinct([*schemas_listed(result, "allOf"), apart])
    return _possible(result)


def _part(node: JsonObject, keywords: tuple[str, ...]) -> JsonObject:
    return {keyword: node[keyword] for keyword in keywords if keyword in node}


def _groups(first: JsonObject, second: JsonObject) -> list[tuple[str, ...]]:
    """The keywords that mean something only with their companions, and those that cannot be met."""
    groups: list[tuple[str, ...]] = [("if", "then", "else"), ("contains", "minContains", "maxContains")]
    if "prefixItems" in first or "prefixItems" in second:
        groups.append(("prefixItems", "items"))
    if "patternProperties" in first or "patternProperties" in second:
        groups.append((*_OF_OBJECTS, "patternProperties"))
    grouped = {keyword for group in groups for keyword in group}
    met = {*grouped, *_MEETINGS, *_OF_OBJECTS}
    return groups + [(keyword,) for keyword in first if keyword not in met]


def _objects_met(first: JsonObject, second: JsonObject) -> JsonObject:
    """Properties of both, each as both see it; a property that one side forbids is left out."""
    if not any(keyword in node for node in (first, second) for keyword in _OF_OBJECTS):
        return {}
    is_object = "object" in (first.get("type"), second.get("type"))
    required = distinct([*required_of(first), *required_of(second)])
    properties: JsonObject = {}
    for name in schemas_named(first, "properties") | schemas_named(second, "properties"):
        seen = [_seen(node, name) for node in (first, second)]
        if all(isinstance(schema, dict) for schema in seen):
            properties[name] = _property_met(
                name, *cast("list[JsonObject]", seen), needed=is_object and name in required
            )
    met: JsonObject = {"properties": properties} if "properties" in first or "properties" in second else {}
    if required:
        met["required"] = required
    others = [node["additionalProperties"] for node in (first, second) if "additionalProperties" in node]
    if False in others:
        met["additionalProperties"] = False
    elif others:
        met["additionalProperties"] = _schemas_met(others[0], others[-1])
    return met


def _property_met(name: str, first: JsonObject, second: JsonObject, *, needed: bool) -> JsonObject:
    """One property as both sides want it. Where it may be left out, a contradiction in it is none of the object."""
    try:
        return both(first, second)
    except Contradiction as problem:
        kind = Contradiction if needed else UnfitSchema
        raise kind(problem.reason, name, *problem.path) from None


def _seen(node: JsonObject, name: str) -> JsonValue:
    """What a schema says of one property; False = it forbids it."""
    said = schemas_named(node, "properties").get(name, node.get("additionalProperties", {}))
    return {} if said is True else said


def _possible(node: JsonObject) -> JsonObject:
    """The node, if any value can fit.

    Raises:
        Contradiction: none can.
    """
    kind = node.get("type")
    if isinstance(kind, str) and "enum" in node:
        values = [value for value in enum_of(node) if has_type(value, kind)]
        if not values:
            raise Contradiction(f"no value of enum is of type {kind}")
        node = node | {"enum": [*values]}
    if isinstance(kind, str):
        node = {name: value for name, value in node.items() if name in RULES_OF_TYPE[kind] or name not in TYPED_RULES}
    for low, high in (pair for pair in _RANGES if "type" in node):
        if low in node and high in node and cast("float", node[low]) > cast("float", node[high]):
            raise Contradiction(f"{low} is above {high}")
    if kind == "object" and node.get("additionalProperties") is False and "patternProperties" not in node:
        for name in required_of(node):
            if name not in schemas_named(node, "properties"):
                raise Contradiction(f"the property {name} is required and forbidden")
    return node


_RANGES: Final = (
    ("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties"),
)  # fmt: skip


def _types_met(first: JsonValue, second: JsonValue) -> JsonValue:
    if first == second:
        return first
    if {str(first), str(second)} == {"integer", "number"}:
        return "integer"
    raise Contradiction(f"a value cannot be both {first} and {second}")


def _enums_met(first: JsonValue, second: JsonValue) -> JsonValue:
    allowed = {identity(value) for value in cast("list[JsonValue]", second)}
    values = [value for value in cast("list[JsonValue]", first) if identity(value) in allowed]
    if not values:
        raise Contradiction("no value is in both enums")
    return values


def _multiples_met(first: JsonValue, second: JsonValue) -> JsonValue:
    one, other = Fraction(str(first)), Fraction(str(second))
    common = Fraction(math.lcm(one.numerator, other.numerator), math.gcd(one.denominator, other.denominator))
    return int(common) if common.denominator == 1 else float(common)


def _schemas_met(first: JsonValue, second: JsonValue) -> JsonValue:
    """Two schemas, of which each may be a plain yes or no."""
    if False in (first, second):
        return False
    ours, theirs = (cast("JsonObject", {} if schema is True else schema) for schema in (first, second))
    try:
        return both(ours, theirs)
    except Contradiction as problem:  # only of what stands inside, and there may be nothing inside
        raise UnfitSchema(problem.reason, *problem.path) from None


def _maps_met(meet: Callable[[JsonValue, JsonValue], JsonValue]) -> Callable[[JsonValue, JsonValue], JsonValue]:
    def met(first: JsonValue, second: JsonValue) -> JsonValue:
        ours, theirs = cast("JsonObject", first), cast("JsonObject", second)
        return ours | theirs | {name: meet(ours[name], theirs[name]) for name in ours if name in theirs}

    return met


def _greater(first: JsonValue, second: JsonValue) -> JsonValue:
    return max(cast("float", first), cast("float", second))


def _smaller(first: JsonValue, second: JsonValue) -> JsonValue:
    return min(cast("float", first), cast("float", second))


def _lists_met(first: JsonValue, second: JsonValue) -> JsonValue:
    return distinct([*cast("list[JsonValue]", first), *cast("list[JsonValue]", second)])


_MEETINGS: Final[dict[str, Callable[[JsonValue, JsonValue], JsonValue]]] = {
    "type": _types_met,
    "enum": _enums_met,
    "multipleOf": _multiples_met,
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), _greater),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), _smaller),
    "uniqueItems": lambda first, second: first is True or second is True,
    "items": _schemas_met,
    "propertyNames": _schemas_met,
    "unevaluatedItems": _schemas_met,
    "unevaluatedProperties": _schemas_met,
    "not": lambda first, second: {"anyOf": [first, second]},
    "allOf": _lists_met,
    "patternProperties": _maps_met(_schemas_met),
    "dependentRequired": _maps_met(_lists_met),
    "dependentSchemas": _maps_met(_schemas_met),
}
