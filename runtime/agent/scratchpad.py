"""The trace of each turn: one JSON Lines file, written as things happen, so that it survives the death of the process.

What a turn is about to do (a tool starts, a write was approved) is written before it is done. Every line is redacted.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TextIO

from runtime.core.codec import to_json
from runtime.core.events import RuntimeEvent, TextDelta, ThinkingDelta
from runtime.core.json import JsonObject, dumps, loads_object
from runtime.paths import Home
from runtime.redact import Redactor

logger = logging.getLogger(__name__)


class Scratchpad:
    """The trace of one turn.

    Args:
        home: where it is kept.
        turn_id: names the file, together with the time.
        started: when the turn began.
        redactor: removes secrets.
    """

    def __init__(self, home: Home, turn_id: str, started: datetime, redactor: Redactor) -> None:
        self.path = home.scratchpad / f"{started:%Y%m%d-%H%M%S}_{turn_id[:12]}.jsonl"
        self._redactor = redactor
        self._file: TextIO | None = None

    def record(self, event: RuntimeEvent) -> None:
        """Write an event; deltas are left out, their wholes come later. A full disk costs the trace, never the turn."""
        if isinstance(event, TextDelta | ThinkingDelta):
            return
        try:
            if self._file is None:
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._file = self.path.open("a", encoding="utf-8")
            self._file.write(dumps(self._redactor.object(to_json(event))) + "\n")
            self._file.flush()
        except (OSError, ValueError):
            logger.exception("the scratchpad could not be written")

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A recorded turn: its file and its first text."""

    path: Path
    turn_id: str
    conversation_id: str
    text: str


def traces(home: Home) -> Iterator[Trace]:
    """The recorded turns, the newest first."""
    for path in sorted(home.scratchpad.glob("*.jsonl"), reverse=True):
        first = next(read_trace(path), None)
        if first is not None and first.get("kind") == "turn_start":
            yield Trace(
                path=path,
                turn_id=str(first["turn_id"]),
                conversation_id=str(first["conversation_id"]),
                text=str(first["text"]),
            )


def read_trace(path: Path) -> Iterator[JsonObject]:
    """The events of a trace; a last line that was cut off by a crash is left out."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            try:
                yield loads_object(line)
            except ValueError:
                return
