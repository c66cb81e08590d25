"""Events and messages survive the way to JSON and back; each kind is known by one name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from types import UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import TypeAliasType

from runtime.clock import SHANGHAI
from runtime.core import events, work_events
from runtime.core.codec import event_from_json, event_schema, message_from_json, to_json
from runtime.core.event_base import Event
from runtime.core.events import Done, RuntimeEvent, Terminal, TurnStart
from runtime.core.json import JsonValue, dumps, loads_object
from runtime.core.messages import (
    AssistantMessage,
    Message,
    TextPart,
    ThinkingPart,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)

KINDS = cast("tuple[type[RuntimeEvent], ...]", get_args(RuntimeEvent))
SIMPLE: dict[object, Callable[[], object]] = {
    str: lambda: "文字 \"'\n",
    int: lambda: 7,
    float: lambda: 1.25,
    bool: lambda: True,
    Decimal: lambda: Decimal("12.3400"),
    datetime: lambda: datetime(2026, 6, 30, 15, 0, 1, tzinfo=SHANGHAI),
    date: lambda: date(2026, 6, 30),
}


def sample(annotation: Any) -> object:  # noqa: ANN401 - any type that a field has
    """A value of any type that events are made of; optional values are there."""
    if annotation in SIMPLE:
        return SIMPLE[annotation]()
    if isinstance(annotation, TypeAliasType):
        return {"a": [1, "b", None, {"c": 1.5}]}
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return args[-1]
    if origin is tuple:
        return (sample(args[0]), sample(args[0]))
    if origin is dict:
        return {"key": sample(args[1])}
    if origin in (Union, UnionType):
        return sample(next(item for item in args if item is not type(None)))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return list(annotation)[-1]
    assert dataclasses.is_dataclass(annotation), annotation
    hints = get_type_hints(annotation)
    return cast("type[Any]", annotation)(
        **{item.name: sample(hints[item.name]) for item in dataclasses.fields(annotation)}
    )


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_event_survives_the_way_to_json_and_back(kind: type[RuntimeEvent]) -> None:
    event = cast("RuntimeEvent", sample(kind))
    assert event_from_json(loads_object(dumps(to_json(event)))) == event


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_event_can_be_without_what_is_optional(kind: type[RuntimeEvent]) -> None:
    hints = get_type_hints(kind)
    needed = {
        item.name: sample(hints[item.name])
        for item in dataclasses.fields(kind)
        if item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING
    }
    event: RuntimeEvent = cast("Callable[..., RuntimeEvent]", kind)(**needed)
    assert event_from_json(to_json(event)) == event


def test_every_kind_has_a_name_of_its_own() -> None:
    names = [get_args(get_type_hints(kind)["kind"])[0] for kind in KINDS]
    assert len(set(names)) == len(names)
    assert all(name == name.lower() for name in names)
    for kind, name in zip(KINDS, names, strict=True):
        assert cast("RuntimeEvent", sample(kind)).kind == name


def test_no_event_is_left_out_of_the_union() -> None:
    modules = (events, work_events)
    classes = [item for module in modules for item in vars(module).values() if isinstance(item, type)]
    defined = {item for item in classes if issubclass(item, Event)} - {Event}
    assert set(KINDS) == defined
    assert set(get_args(Terminal)) <= set(KINDS)


def test_the_schema_names_every_kind() -> None:
    text = dumps(event_schema())
    assert all(f'"{get_args(get_type_hints(kind)["kind"])[0]}"' in text for kind in KINDS)


@pytest.mark.parametrize("data", [{"kind": "nonsense"}, {"kind": "text_delta"}, {"text": "x"}])
def test_what_is_no_event_is_refused(data: dict[str, JsonValue]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        event_from_json(data)


def test_a_number_that_is_none_becomes_null() -> None:
    event = Done(text="t", streamed=True, usage=Usage(), elapsed=1.0, rounds=0, grounding={"x": float("nan")})
    assert to_json(event)["grounding"] == {"x": None}


def test_times_keep_their_zone_and_money_its_digits() -> None:
    event = TurnStart(text="t", conversation_id="c", ts=datetime(2026, 6, 30, 15, 0, tzinfo=SHANGHAI))
    assert to_json(event)["ts"] == "2026-06-30T15:00:00+08:00"
    request = sample(events.ApprovalRequested)
    preview = cast("events.ApprovalRequested", request).request.preview
    assert preview is not None
    assert to_json(preview)["cash_before"] == "12.3400"


_text = st.text(max_size=20)
_args = st.dictionaries(_text, st.one_of(st.none(), st.booleans(), st.integers(-9, 9), _text), max_size=3)
_part = st.one_of(
    st.builds(TextPart, text=_text, signature=st.none() | _text),
    st.builds(ThinkingPart, text=_text, signature=st.none() | _text, redacted=st.none() | _text, provider=_text),
    st.builds(ToolCall, id=_text, name=_text, args=_args),
    st.builds(ToolCall, id=_text, name=_text, parse_error=_text),
)
_message: st.SearchStrategy[Message] = st.one_of(
    st.builds(UserMessage, text=_text, context=_text),
    st.builds(AssistantMessage, parts=st.lists(_part, max_size=4).map(tuple), model=_text),
    st.builds(ToolMessage, call_id=_text, name=_text, content=_text, ok=st.booleans()),
)


@given(_message)
def test_every_message_survives_the_way_to_json_and_back(message: Message) -> None:
    assert message_from_json(loads_object(dumps(to_json(message)))) == message


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(ValueError, match="validation error"):
        message_from_json({"role": "system", "text": "x"})
