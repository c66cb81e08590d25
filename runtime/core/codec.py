"""Messages, events and values to JSON and back, by their dataclass definitions.

`round_trip(decode(encode(x))) == x` holds for every value of the unions. Unknown kinds and fields are an error here; consumers outside
the program ignore them.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Annotated, cast

from pydantic import Field, TypeAdapter

from runtime.core.compaction import CompactionRecord
from runtime.core.events import RuntimeEvent
from runtime.core.json import JsonObject, json_safe
from runtime.core.messages import Message
from runtime.core.verdicts import Verdict


def to_json(value: object) -> JsonObject:
    """The JSON object of a dataclass value: money as text, times as ISO text, NaN as null."""
    return cast("JsonObject", json_safe(_adapter(cast("Hashable", type(value))).dump_python(value, mode="json")))


def event_from_json(data: JsonObject) -> RuntimeEvent:
    """The event of its JSON object.

    Raises:
        ValueError: unknown kind or wrong fields.
    """
    return _event_adapter().validate_python(data)


def message_from_json(data: JsonObject) -> Message:
    """The message of its JSON object.

    Raises:
        ValueError: unknown role or wrong fields.
    """
    return _message_adapter().validate_python(data)


def verdict_from_json(data: JsonObject) -> Verdict:
    """The verdict of its JSON object.

    Raises:
        ValueError: wrong fields.
    """
    return _verdict_adapter().validate_python(data)


def compaction_from_json(data: JsonObject) -> CompactionRecord:
    """The record of its JSON object.

    Raises:
        ValueError: wrong fields.
    """
    return _compaction_adapter().validate_python(data)


def event_schema() -> JsonObject:
    """The JSON Schema of the event union."""
    return cast("JsonObject", _event_adapter().json_schema(mode="serialization"))


@lru_cache(maxsize=128)
def _adapter(kind: Hashable) -> TypeAdapter[object]:
    return TypeAdapter(cast("type[object]", kind))


@lru_cache(maxsize=1)
def _event_adapter() -> TypeAdapter[RuntimeEvent]:
    return TypeAdapter(Annotated[RuntimeEvent, Field(discriminator="kind")])


@lru_cache(maxsize=1)
def _verdict_adapter() -> TypeAdapter[Verdict]:
    return TypeAdapter(Verdict)


@lru_cache(maxsize=1)
def _compaction_adapter() -> TypeAdapter[CompactionRecord]:
    return TypeAdapter(CompactionRecord)


@lru_cache(maxsize=1)
def _message_adapter() -> TypeAdapter[Message]:
    return TypeAdapter(Annotated[Message, Field(discriminator="role")])
