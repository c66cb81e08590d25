"""Tool calls that a model writes as text: hidden while the answer streams, read when their block is complete.

A dialect is how one family of models marks such a block. Only the Hermes form is here; another form is one more entry of `DIALECTS`.
An unterminated block is neither shown nor run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from runtime.core.json import JsonObject, JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class TextCall:
    """A call read from text; the arguments are still as written."""

    name: str
    arguments: str | JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One way of writing calls.

    Attributes:
        opener: the mark before a block.
        closer: the mark after it.
        begins: what a block may begin with; anything else is ordinary text that only mentions the mark.
        read: the calls of a complete block.
    """

    opener: str
    closer: str
    begins: tuple[str, ...]
    read: Callable[[str], tuple[TextCall, ...]]


class CallHider:
    """Splits streamed text into what is shown and the calls that are written in it."""

    def __init__(self) -> None:
        self._held = ""
        self._inside: Dialect | None = None
        self._calls: list[TextCall] = []

    @property
    def calls(self) -> tuple[TextCall, ...]:
        """The complete calls so far."""
        return tuple(self._calls)

    def feed(self, text: str) -> str:
        """What can be shown now."""
        self._held += text
        shown = ""
        while True:
            progress = self._outside() if self._inside is None else self._within(self._inside)
            if progress is None:
                return shown
            shown += progress

    def flush(self) -> str:
        """What is left to show at the end; the rest of an unterminated block is dropped."""
        held, self._held = self._held, ""
        if self._inside is None:
            return held
        return self._inside.opener + held if not held.strip() else ""

    def _outside(self) -> str | None:
        """Show up to the next opener or its possible beginning; None when more text is needed."""
        if not self._held:
            return None
        found = [(self._held.find(dialect.opener), dialect) for dialect in DIALECTS]
        hits = [(at, dialect) for at, dialect in found if at >= 0]
        if hits:
            at, dialect = min(hits, key=lambda hit: hit[0])
            shown, self._held = self._held[:at], self._held[at + len(dialect.opener) :]
            self._inside = dialect
            return shown
        keep = max(held_back(self._held, dialect.opener) for dialect in DIALECTS)
        cut = len(self._held) - keep
        shown, self._held = self._held[:cut], self._held[cut:]
        return shown or None

    def _within(self, dialect: Dialect) -> str | None:
        """Read a block once it is complete; None when more text is needed."""
        body = self._held.lstrip()
        if not body or any(begin.startswith(body) for begin in dialect.begins):
            return None
        if not body.startswith(dialect.begins):
            self._inside = None
            return dialect.opener
        end = self._held.find(dialect.closer)
        if end < 0:
            return None
        self._calls += dialect.read(self._held[:end])
        self._held = self._held[end + len(dialect.closer) :]
        self._inside = None
        return ""


def held_back(text: str, mark: str) -> int:
    """How many characters at the end of the text may be the beginning of the mark."""
    return next((size for size in range(min(len(mark) - 1, len(text)), 0, -1) if text.endswith(mark[:size])), 0)


_HERMES_NAME: Final = re.compile(r'"name"\s*:\s*"([^"\\]+)"')


def _hermes(body: str) -> tuple[TextCall, ...]:
    """`{"name": …, "arguments": {…}}` in any order of keys, one or a list."""
    try:
        value: JsonValue = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        # The model must learn that its JSON is broken: the call stays, its arguments will not parse.
        name = _HERMES_NAME.search(body)
        return (TextCall(name=name[1], arguments=body.strip()),) if name else ()
    items = value if isinstance(value, list) else [value]
    calls = (_hermes_call(item) for item in items if isinstance(item, dict))
    return tuple(call for call in calls if call is not None)


def _hermes_call(item: JsonObject) -> TextCall | None:
    nested = item.get("function")
    if isinstance(nested, dict):
        item = nested
    name = item.get("name") or nested
    arguments = item.get("arguments", item.get("parameters"))
    if not isinstance(name, str):
        return None
    match arguments:
        case dict() | str():
            return TextCall(name=name, arguments=arguments)
        case None:
            return TextCall(name=name, arguments={})
        case _:
            return TextCall(name=name, arguments=json.dumps(arguments))


DIALECTS: Final = (Dialect(opener="<tool_call>", closer="</tool_call>", begins=("{", "["), read=_hermes),)
