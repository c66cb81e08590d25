"""From the runtime's stream to the view-models: events in order, text joined, about thirty times a second.

A token is no signal: deltas wait for the next beat and arrive as one; everything else takes what waits along and goes at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer

from runtime.core.events import RuntimeEvent, TextDelta, ThinkingDelta

BEAT_MS: Final = 33


class EventPump(QObject):
    """Joins deltas of one turn.

    Args:
        deliver: takes the events.
    """

    def __init__(self, deliver: Callable[[RuntimeEvent], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._deliver = deliver
        self._waiting: list[RuntimeEvent] = []
        self._timer = QTimer(self)
        self._timer.setInterval(BEAT_MS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.flush)

    def push(self, event: RuntimeEvent) -> None:
        """An event of the turn."""
        last = self._waiting[-1] if self._waiting else None
        joined = _joined(last, event)
        if joined is None:
            self._waiting.append(event)
        else:
            self._waiting[-1] = joined
        if not isinstance(event, TextDelta | ThinkingDelta):
            self.flush()
        elif not self._timer.isActive():
            self._timer.start()

    def flush(self) -> None:
        """Deliver what waits."""
        self._timer.stop()
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            self._deliver(event)


def _joined(last: RuntimeEvent | None, event: RuntimeEvent) -> RuntimeEvent | None:
    """Two deltas of one kind as one; None where they stay apart."""
    if isinstance(last, TextDelta) and isinstance(event, TextDelta):
        return replace(last, text=last.text + event.text)
    if isinstance(last, ThinkingDelta) and isinstance(event, ThinkingDelta):
        return replace(last, text=last.text + event.text)
    return None
