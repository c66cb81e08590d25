"""Tool calls put together from their deltas.

Servers disagree about how a delta says which call it belongs to: by `index` (missing, always 0, from 1, with holes), by `id` (missing, ""
or null after the first), or only by its place in the list. Content decides: an id that differs opens a new call, and so does a name that
comes after complete arguments.
"""

from __future__ import annotations

from dataclasses import dataclass

from runtime.core.json import JsonObject, JsonValue, dumps
from runtime.providers.wire.arguments import is_complete
from runtime.providers.wire.call_ids import new_call_id


@dataclass(frozen=True, slots=True, kw_only=True)
class RawCall:
    """A call with its arguments as the server wrote them."""

    id: str
    name: str
    arguments: str | JsonObject


@dataclass(slots=True)
class _Open:
    """A call that still grows."""

    id: str = ""
    name: str = ""
    text: str = ""
    value: JsonObject | None = None

    @property
    def has_arguments(self) -> bool:
        return self.value is not None or is_complete(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Delta:
    index: int | None
    position: int | None
    id: str
    name: str
    arguments: JsonValue


class CallAccumulator:
    """Collects the deltas of all calls of one answer."""

    def __init__(self) -> None:
        self._calls: list[_Open] = []
        self._by_index: dict[int, _Open] = {}
        self._by_position: dict[int, _Open] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    def feed(self, items: list[JsonValue]) -> None:
        """Take in the `tool_calls` of one chunk."""
        deltas = [item for item in items if isinstance(item, dict)]
        for position, item in enumerate(deltas):
            self._add(_delta(item, position if len(deltas) > 1 else None))

    def finished(self) -> tuple[RawCall, ...]:
        """The calls in order, each with an id of its own."""
        result: list[RawCall] = []
        used: set[str] = set()
        for call in self._calls:
            if not (call.name or call.text.strip() or call.value):
                continue
            call_id = call.id if call.id and call.id not in used else new_call_id()
            used.add(call_id)
            result.append(
                RawCall(id=call_id, name=call.name, arguments=call.text if call.value is None else call.value)
            )
        return tuple(result)

    def _add(self, delta: _Delta) -> None:
        call = self._find(delta)
        if call is None:
            call = _Open()
            self._calls.append(call)
        if delta.index is not None:
            self._by_index[delta.index] = call
        elif delta.position is not None:
            self._by_position[delta.position] = call
        call.id = call.id or delta.id
        if not call.name:
            call.name = delta.name
        elif delta.name and delta.name != call.name and not call.text:
            call.name += delta.name  # a name in pieces; a repeated name is the same name
        _extend(call, delta.arguments)

    def _find(self, delta: _Delta) -> _Open | None:
        """The call that a delta continues; None = it opens a new one."""
        candidate = self._candidate(delta)
        renamed = candidate is not None and bool(candidate.name) and candidate.has_arguments and bool(delta.name)
        if delta.id:
            if candidate is not None and (candidate.id == delta.id or (not candidate.id and not renamed)):
                return candidate
            same = next((call for call in self._calls if call.id == delta.id), None)
            return same if delta.index is None or not delta.name else None
        if candidate is not None and renamed and (delta.arguments or delta.name != candidate.name):
            return None
        return candidate

    def _candidate(self, delta: _Delta) -> _Open | None:
        if delta.index is not None:
            return self._by_index.get(delta.index)
        if delta.position is not None:
            return self._by_position.get(delta.position)
        return self._calls[-1] if self._calls else None


def _delta(item: JsonObject, position: int | None) -> _Delta:
    function = item.get("function")
    function = function if isinstance(function, dict) else {}
    index, call_id, name = item.get("index"), item.get("id"), function.get("name")
    return _Delta(
        index=index if isinstance(index, int) and not isinstance(index, bool) else None,
        position=position,
        id=str(call_id) if isinstance(call_id, str | int) else "",
        name=name if isinstance(name, str) else "",
        arguments=function.get("arguments"),
    )


def _extend(call: _Open, arguments: JsonValue) -> None:
    match arguments:
        case None:
            pass
        case str():
            call.text += arguments
        case dict():
            call.value = {**(call.value or {}), **arguments}
        case _:
            call.text += dumps(arguments)
