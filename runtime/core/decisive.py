"""JSON cut down to what decisions are made on. The result is JSON again, never a piece of it; the original stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from runtime.core.json import JsonObject, JsonValue, dumps

# What decisions are made on, the most important first; other fields follow as far as there is room.
_FIELDS: Final = (
    "ok", "error", "message", "code", "result_ref", "symbol", "name", "status", "action", "verdict", "phase",
    "structure", "kind", "trend", "health", "grade", "score", "close", "last_close", "date", "as_of", "source",
    "price", "stop", "stop_loss", "target", "entry", "invalidation", "danger", "levels", "level", "shares", "cost",
    "cash", "positions", "events", "range", "last", "bars", "matches", "stale", "partial",
)  # fmt: skip
_RANK: Final = {name: rank for rank, name in enumerate(_FIELDS)}
_NEWEST_LAST: Final = ("bars", "events")  # of such lists the end counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """How much of a value may stay.

    Attributes:
        length: characters of the whole as JSON.
        text: characters of a text inside of it.
        items: entries of a list.
        depth: how deep objects and lists may be nested.
    """

    length: int
    text: int
    items: int
    depth: int = 3


def decisive(fields: JsonObject, measure: Measure, first: Sequence[str] = ()) -> JsonObject:
    """As many fields as there is room for, the weightiest first.

    Args:
        fields: what there is.
        measure: what may stay.
        first: names that come before all others.
    """
    ranks = {name: rank - len(first) for rank, name in enumerate(first)}
    kept: JsonObject = {}
    used = 2
    for name in sorted(fields, key=lambda name: ranks.get(name, _RANK.get(name, len(_RANK)))):
        for depth in (measure.depth, 1):
            item = _pruned(fields[name], name, depth, measure)
            needed = len(dumps({name: item}))
            if item is not None and used + needed <= measure.length:
                kept[name] = item
                used += needed
                break
    return kept


def _pruned(value: JsonValue, name: str, depth: int, measure: Measure) -> JsonValue:
    """A value without its depths; None where nothing of it is left."""
    match value:
        case str() if len(value) > measure.text:
            return value[: measure.text] + "…"
        case dict():
            if depth == 0:
                return None
            named = ((key, item) for key, item in value.items() if key in _RANK or depth > 1)
            items = {key: _pruned(item, key, depth - 1, measure) for key, item in named}
            return {key: item for key, item in items.items() if item is not None} or None
        case list():
            if depth == 0:
                return None
            chosen = value[-measure.items :] if name in _NEWEST_LAST else value[: measure.items]
            pruned = (_pruned(item, name, depth - 1, measure) for item in chosen)
            return [item for item in pruned if item is not None] or None
        case _:
            return value
