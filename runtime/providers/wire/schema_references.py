"""A schema without references: each local `$ref` is replaced by what it names, and every node is made plain on the way.

Always: only a definition that contains itself keeps a `$ref`, alone in its node, and stands in `$defs`. For Gemini such a reference stands
inside an optional property only, because that is where its API takes one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias
from urllib.parse import unquote

from runtime.core.json import JsonObject, JsonValue
from runtime.providers.wire.schema_choices import plain
from runtime.providers.wire.schema_dialect import standard
from runtime.providers.wire.schema_nodes import (
    ALONE,
    ANNOTATIONS,
    IN_A_LIST,
    IN_A_MAP,
    UnfitSchema,
    mapped,
    schemas_inside,
)

MOST_NODES: Final = 20_000  # schemas in one tool, references replaced; a few nested definitions can name billions
_DEFINITIONS: Final = "#/$defs/"
Pointer: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a schema stands.

    Attributes:
        optional: inside a property that may be left out.
        merging: it will be merged with others, so a reference is better replaced.
        chain: the definitions that are being replaced around it.
    """

    optional: bool = False
    merging: bool = False
    chain: tuple[Pointer, ...] = ()


class References:
    """The references of one schema.

    Args:
        root: the schema.
        only_optional: a reference that stays must stand inside an optional property.
    """

    def __init__(self, root: JsonValue, *, only_optional: bool) -> None:
        self._root = root
        self._only_optional = only_optional
        self._names: dict[Pointer, str] = {}
        self._recursive: dict[Pointer, bool] = {}
        self._nodes = 0

    def resolved(self) -> JsonObject:
        """The whole schema, plain, with `$defs` for what contains itself.

        Raises:
            UnfitSchema: a reference leads nowhere, or round in a circle.
        """
        whole = self._plain(self._root, _Place(merging=True))
        definitions: JsonObject = {}
        waiting = list(_named_in(whole))
        while waiting:
            name = waiting.pop(0)
            if name not in definitions:
                definitions[name] = definition = self._definition(name)
                waiting += _named_in(definition)
        return whole | ({"$defs": definitions} if definitions else {})

    def _definition(self, name: str) -> JsonObject:
        """A definition that contains itself, plain."""
        pointer = next(pointer for pointer, known in self._names.items() if known == name)
        definition = self._plain(self._target(pointer), _Place(merging=True, chain=(pointer,)))
        if any(node.get("$ref") == f"{_DEFINITIONS}{name}" for node in _in_place(definition)):
            raise UnfitSchema(f"the definition {name} is nothing but itself")
        return definition

    def _plain(self, schema: JsonValue, place: _Place) -> JsonObject:
        """One schema in plain form, as it stands at a place."""
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise UnfitSchema("it is too large once its references are replaced")
        node = standard(schema)
        if "$ref" in node:
            return self._reference(_pointer(str(node["$ref"])), place)
        required = node.get("required", [])
        alone = len(schemas) == 1 if isinstance(schemas := node.get("allOf", []), list) else False
        merges = not (alone and node.keys() <= {"allOf", *ANNOTATIONS})

        def inside(inner: JsonValue, keyword: str, name: str) -> JsonValue:
            may_lack = keyword == "properties" and isinstance(required, list) and name not in required
            merging = keyword == "allOf" and (merges or place.merging)
            return self._plain(inner, replace(place, optional=place.optional or may_lack, merging=merging))

        return plain(mapped(node, inside))

    def _reference(self, pointer: Pointer, place: _Place) -> JsonObject:
        """What a reference names, or the reference itself where it may stay."""
        target = self._target(pointer)
        round_again = pointer in place.chain
        may_stay = self._is_recursive(pointer) and (place.optional or not self._only_optional)
        if may_stay and (round_again or not place.merging):
            return {"$ref": f"{_DEFINITIONS}{self._name(pointer)}"}
        if round_again:
            raise UnfitSchema("it contains itself through required properties only")
        return self._plain(target, replace(place, chain=(*place.chain, pointer)))

    def _target(self, pointer: Pointer) -> JsonValue:
        """The schema that a pointer names."""
        found = self._root
        for step in pointer:
            if isinstance(found, dict) and step in found:
                found = found[step]
            elif isinstance(found, list) and step.isdecimal() and int(step) < len(found):
                found = found[int(step)]
            else:
                raise UnfitSchema(f"the reference #/{'/'.join(pointer)} leads nowhere")
        return found

    def _is_recursive(self, pointer: Pointer) -> bool:
        """Whether a definition contains itself."""
        if pointer not in self._recursive:
            seen: set[Pointer] = set()
            waiting = [pointer]
            while waiting:
                new = set(_pointers(self._target(waiting.pop()))) - seen
                seen |= new
                waiting += new
            self._recursive[pointer] = pointer in seen
        return self._recursive[pointer]

    def _name(self, pointer: Pointer) -> str:
        """The name of a definition in `$defs`."""
        if pointer not in self._names:
            stem = re.sub(r"[^A-Za-z0-9_.-]+", "_", pointer[-1] if pointer else "root")[:48].strip("_") or "definition"
            taken = self._names.values()
            names = (stem if number == 1 else f"{stem}_{number}" for number in range(1, len(taken) + 2))
            self._names[pointer] = next(name for name in names if name not in taken)
        return self._names[pointer]


def _pointer(reference: str) -> Pointer:
    """The steps of a local reference.

    Raises:
        UnfitSchema: it is not local.
    """
    if reference not in ("", "#") and not reference.startswith("#/"):
        raise UnfitSchema(f"the reference {reference} is not local")
    steps = unquote(reference).split("/")[1:]
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in steps)


def _pointers(schema: JsonValue) -> Iterator[Pointer]:
    """The references inside a schema."""
    if not isinstance(schema, dict | bool):
        return
    found: list[Pointer] = []

    def look(inner: JsonValue, _keyword: str, _name: str) -> JsonValue:
        found.extend(_pointers(inner))
        return inner

    node = standard(schema)
    if "$ref" in node:
        yield _pointer(str(node["$ref"]))
    mapped(node, look)
    yield from found


def _named_in(node: JsonObject) -> Iterator[str]:
    """The definitions that a plain schema refers to."""
    if "$ref" in node:
        yield str(node["$ref"]).removeprefix(_DEFINITIONS)
    for inner in schemas_inside(node, (*IN_A_MAP, *IN_A_LIST, *ALONE)):
        yield from _named_in(inner)


def _in_place(node: JsonObject) -> Iterator[JsonObject]:
    """A schema and those that judge the same value."""
    yield node
    for inner in schemas_inside(node, ("anyOf", "allOf")):
        yield from _in_place(inner)
