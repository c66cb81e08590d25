"""Property names that an API does not take, and the way back.

Always: one own name has one wire name in the whole tool, and no two own names share one. Only where the schema names a property is a key of
a value renamed; the keys of free objects are data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, cast

from runtime.core.json import JsonObject, JsonValue
from runtime.providers.wire.schema_nodes import (
    ALONE,
    IN_A_LIST,
    IN_A_MAP,
    IN_PLACE,
    in_company,
    mapped,
    required_of,
    schemas_inside,
    schemas_named,
    with_words,
)
from runtime.providers.wire.schema_words import words_for

_KEY: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}")  # Anthropic's rule, at every depth
_DIGEST: Final = 8  # hexadecimal digits that tell equal stems apart
_BY_NAME: Final = ("propertyNames", "patternProperties")  # rules about names, true of own names only


def wire_form(own: str, *, allowed: str, longest: int, stem: str, taken: Iterable[str] = ()) -> str:
    """A name made of allowed characters: what is readable of the own name, and a digest of it.

    Args:
        own: the own name.
        allowed: the allowed characters, as inside a character class.
        longest: characters at most.
        stem: what to begin with when nothing is readable.
        taken: names that it must not be.
    """
    readable = re.sub(rf"[^{allowed}]+", "_", own).strip("_.:-") or stem
    readable = f"_{readable}" if readable[0].isdigit() else readable
    digest = sha256(own.encode("utf-8", "surrogatepass")).hexdigest()
    names = (f"{readable[: longest - length - 1]}_{digest[:length]}" for length in range(_DIGEST, longest - 1))
    return next(name for name in names if name not in taken)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renames:
    """The renamed properties of one tool.

    Attributes:
        schema: the schema with its own names.
        wire: the wire name of each renamed property.
        own: the way back.
    """

    schema: JsonObject
    wire: dict[str, str] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, schema: JsonObject) -> Renames:
        """What has to be renamed in a schema."""
        names = dict.fromkeys(_property_names(schema))
        wire: dict[str, str] = {}
        for name in names:
            if not _KEY.fullmatch(name):
                taken = {*names, *wire.values()}
                wire[name] = wire_form(name, allowed="a-zA-Z0-9_.-", longest=64, stem="property", taken=taken)
        return cls(schema=schema, wire=wire, own={name: own for own, name in wire.items()})

    def renamed_schema(self) -> JsonObject:
        """The schema with wire names; each renamed property says its own name."""
        return self._renamed(self.schema) if self.wire else self.schema

    def to_wire(self, args: JsonObject) -> JsonObject:
        """Arguments with wire names, at every depth."""
        return cast("JsonObject", self._walk(args, [self.schema], self._key_to_wire))

    def to_own(self, args: JsonObject) -> JsonObject:
        """Arguments with own names, at every depth."""
        return cast("JsonObject", self._walk(args, [self.schema], self._key_to_own))

    def _key_to_wire(self, key: str) -> tuple[str, str]:
        return key, self.wire.get(key, key)

    def _key_to_own(self, key: str) -> tuple[str, str]:
        return self.own.get(key, key), self.own.get(key, key)

    def _walk(self, value: JsonValue, schemas: list[JsonObject], names: Callable[[str], tuple[str, str]]) -> JsonValue:
        """A value with its keys renamed; `names` gives the own and the new name of a key."""
        if not self.wire or not isinstance(value, dict | list):
            return value
        here = list(self._in_place(schemas))
        if isinstance(value, list):
            return [self._walk(item, _items_at(here, at), names) for at, item in enumerate(value)]
        result: JsonObject = {}
        for key, item in value.items():
            own, new = names(key)
            known = any(own in (*schemas_named(node, "properties"), *required_of(node)) for node in here)
            inner = [named[own] for node in here if own in (named := schemas_named(node, "properties"))]
            result[new if known else key] = self._walk(item, inner or _others(here), names)
        return result

    def _in_place(self, schemas: Iterable[JsonObject]) -> Iterator[JsonObject]:
        """The schemas and all that judge the same value, each once."""
        waiting, seen = list(schemas), set[int]()
        while waiting:
            node = waiting.pop(0)
            if id(node) in seen:
                continue
            seen.add(id(node))
            yield node
            waiting += schemas_inside(node, IN_PLACE)
            if "$ref" in node:
                waiting.append(schemas_named(self.schema, "$defs")[str(node["$ref"]).removeprefix("#/$defs/")])

    def _renamed(self, node: JsonObject) -> JsonObject:
        """A node with wire names, also in what it requires and in its example values."""

        def inside(schema: JsonValue, keyword: str, name: str) -> JsonValue:
            renamed = self._renamed(cast("JsonObject", schema))
            return _called(renamed, name) if keyword == "properties" and name in self.wire else renamed

        node, words = self._without_rules_by_name(node)
        result = mapped(node, inside)
        for keyword in ("properties", "dependentSchemas", "dependentRequired"):
            if keyword in result:
                named = cast("JsonObject", result[keyword])
                result[keyword] = {self.wire.get(name, name): value for name, value in named.items()}
        if "required" in result:
            result["required"] = self._wire_names(result["required"])
        if "dependentRequired" in result:
            needs = cast("JsonObject", result["dependentRequired"])
            result["dependentRequired"] = {name: self._wire_names(others) for name, others in needs.items()}
        for keyword in ("default", "enum", "examples"):
            if keyword in result:
                about = node if keyword == "default" else cast("JsonObject", {"items": node})
                result[keyword] = self._walk(result[keyword], [about], self._key_to_wire)
        return with_words(result, *words)

    def _without_rules_by_name(self, node: JsonObject) -> tuple[JsonObject, list[str]]:
        """Rules about property names cannot judge wire names: they are said instead."""
        if not self.wire.keys() & schemas_named(node, "properties").keys():
            return node, []
        said: list[str] = [keyword for keyword in _BY_NAME if keyword in node]
        if "patternProperties" in said and "additionalProperties" in node:
            said.append("additionalProperties")
        words = [word for keyword in said for word in words_for(keyword, node[keyword])]
        return {keyword: value for keyword, value in node.items() if keyword not in said}, words

    def _wire_names(self, names: JsonValue) -> JsonValue:
        return [self.wire.get(str(name), str(name)) for name in cast("list[JsonValue]", names)]


def _called(node: JsonObject, own: str) -> JsonObject:
    """A property that says its own name first."""
    description = node.get("description")
    said = f"{own}: {description}" if description else own
    return in_company(node) | {"description": said}


def _property_names(node: JsonObject) -> Iterator[str]:
    """The names of all properties, at every depth."""
    yield from schemas_named(node, "properties")
    for inner in schemas_inside(node, (*IN_A_MAP, *IN_A_LIST, *ALONE)):
        yield from _property_names(inner)


def _items_at(schemas: list[JsonObject], position: int) -> list[JsonObject]:
    """What the schemas say of one item of a list."""
    found: list[JsonObject] = []
    for node in schemas:
        first = list(schemas_inside(node, ("prefixItems",)))
        found += [first[position]] if position < len(first) else schemas_inside(node, ("items",))
        found += schemas_inside(node, ("contains",))
    return found


def _others(schemas: Iterable[JsonObject]) -> list[JsonObject]:
    """What the schemas say of properties that they do not name."""
    keywords = ("additionalProperties", "patternProperties", "unevaluatedProperties")
    return [inner for node in schemas for inner in schemas_inside(node, keywords)]
