"""Old tool results, cut down to what decisions were made on. The result is JSON again, never a piece of it; the original stays as it is."""

from __future__ import annotations

from typing import Final

from runtime.core.json import JsonObject, JsonValue, dumps, loads
from runtime.core.messages import ToolMessage

SHRINK_OVER: Final = 800  # characters, seed 000: shorter results stay as they are
SHRUNK_LENGTH: Final = 600
_PLAIN_LENGTH: Final = 400  # of a result that is no JSON
_TEXT_LENGTH: Final = 120  # of a text inside of a result
_DEPTH: Final = 3
_LIST_LENGTH: Final = 5

# What decisions are made on, the most important first; other fields follow as far as there is room.
_FIELDS: Final = (
    "ok", "error", "message", "code", "symbol", "name", "status", "action", "verdict", "phase", "structure", "kind", "trend", "health",
    "grade", "score", "close", "last_close", "date", "as_of", "source", "price", "stop", "stop_loss", "target", "entry", "invalidation",
    "danger", "levels", "level", "shares", "cost", "cash", "positions", "events", "range", "last", "bars", "matches", "stale", "partial",
)  # fmt: skip
_RANK: Final = {name: rank for rank, name in enumerate(_FIELDS)}
_NEWEST_LAST: Final = ("bars", "events")  # of such lists the end counts


def shrunk(message: ToolMessage, length: int = SHRUNK_LENGTH) -> str:
    """The content of a result in at most so many characters; a short one as it is."""
    content = message.content
    if len(content) <= min(length, SHRINK_OVER):
        return content
    try:
        value = loads(content)
    except ValueError:
        return content[: min(length, _PLAIN_LENGTH)] + "…"
    return dumps(_decisive(value, length))


def _decisive(value: JsonValue, length: int) -> JsonValue:
    """The fields that decisions are made on: those of the envelope and of its data, in the order of their weight."""
    match value:
        case dict():
            return _filled(_flat(value), length)
        case list():
            return _filled({"items": value}, length)
        case _:
            return str(value)[: min(length, _PLAIN_LENGTH)] + "…"


def _flat(envelope: JsonObject) -> JsonObject:
    """Envelope, data and meta as one object; what is unknown is left out."""
    flat: JsonObject = {}
    for name, item in envelope.items():
        if name in ("data", "meta") and isinstance(item, dict):
            flat.update(item)
        else:
            flat[name] = item
    return {name: item for name, item in flat.items() if item not in (None, "", [], {})}


def _filled(fields: JsonObject, length: int) -> JsonObject:
    """As many fields as there is room for, the weightiest first."""
    kept: JsonObject = {}
    used = 2
    for name in sorted(fields, key=lambda name: _RANK.get(name, len(_RANK))):
        for depth in (_DEPTH, 1):
            item = _pruned(fields[name], name, depth)
            needed = len(dumps({name: item}))
            if item is not None and used + needed <= length:
                kept[name] = item
                used += needed
                break
    return kept


def _pruned(value: JsonValue, name: str, depth: int) -> JsonValue:
    """A value without its depths; None where nothing of it is left."""
    match value:
        case str() if len(value) > _TEXT_LENGTH:
            return value[:_TEXT_LENGTH] + "…"
        case dict():
            if depth == 0:
                return None
            items = {key: _pruned(item, key, depth - 1) for key, item in value.items() if key in _RANK or depth > 1}
            return {key: item for key, item in items.items() if item is not None} or None
        case list():
            if depth == 0:
                return None
            chosen = value[-_LIST_LENGTH:] if name in _NEWEST_LAST else value[:_LIST_LENGTH]
            return [item for item in (_pruned(item, name, depth - 1) for item in chosen) if item is not None] or None
        case _:
            return value
