"""Old tool results, cut down to what decisions were made on. The result is JSON again, never a piece of it; the original stays as it is."""

from __future__ import annotations

from typing import Final

from runtime.core.decisive import Measure, decisive
from runtime.core.json import JsonObject, JsonValue, dumps, loads
from runtime.core.messages import ToolMessage

SHRINK_OVER: Final = 800  # characters, seed 000: shorter results stay as they are
SHRUNK_LENGTH: Final = 600
_PLAIN_LENGTH: Final = 400  # of a result that is no JSON
_TEXT_LENGTH: Final = 120  # of a text inside of a result
_LIST_LENGTH: Final = 5


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
    measure = Measure(length=length, text=_TEXT_LENGTH, items=_LIST_LENGTH)
    match value:
        case dict():
            return decisive(_flat(value), measure)
        case list():
            return decisive({"items": value}, measure)
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
