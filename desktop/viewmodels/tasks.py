"""What the window works on: every turn of this session with its stage, from its start to its end; the newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from PySide6.QtCore import QObject, Signal

from runtime.clock import Clock
from runtime.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    Cancelled,
    Done,
    Failed,
    QuestionAnswered,
    QuestionAsked,
    RuntimeEvent,
    ToolResult,
    ToolStart,
    TurnStart,
)
from runtime.texts import Texts

TaskState: TypeAlias = Literal["running", "waiting", "done", "stopped", "failed"]
KEPT: Final = 20  # ended tasks beyond these are forgotten
ACTIVE: Final = ("running", "waiting")


@dataclass(slots=True, kw_only=True, eq=False)
class Task:
    """A turn at work, or at its end.

    Attributes:
        id: of the turn.
        conversation: where its answer is.
        title: what was asked.
        stage: what it does now, or how it ended, in words.
        started: on the clock that only goes forward, in seconds.
        took: seconds from start to end; None while it runs.
    """

    id: str
    conversation: str
    title: str
    stage: str
    started: float
    state: TaskState = "running"
    took: float | None = None


class TasksModel(QObject):
    """The tasks of a session, grown from the events of its turns.

    Args:
        texts: names of the stages.
        clock: measures.
    """

    changed = Signal()

    def __init__(self, texts: Texts, clock: Clock) -> None:
        super().__init__()
        self._texts = texts
        self._clock = clock
        self._tasks: dict[str, Task] = {}

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks, the newest first."""
        return tuple(reversed(self._tasks.values()))

    @property
    def active(self) -> int:
        """How many are not at their end."""
        return sum(task.state in ACTIVE for task in self._tasks.values())

    def seconds(self, task: Task) -> float:
        """How long a task took, or has taken so far."""
        return self._clock.monotonic() - task.started if task.took is None else task.took

    def clear_ended(self) -> None:
        """Forget what is at its end; the answers stay in their conversations."""
        self._tasks = {key: task for key, task in self._tasks.items() if task.state in ACTIVE}
        self.changed.emit()

    def see(self, event: RuntimeEvent, conversation: str) -> None:
        """Follow an event of a turn."""
        if isinstance(event, TurnStart):
            self._tasks[event.turn_id] = Task(
                id=event.turn_id,
                conversation=conversation,
                title=event.text,
                stage=self._texts("tasks.thinking"),
                started=self._clock.monotonic(),
            )
            self._forget_old()
        task = self._tasks.get(event.turn_id)
        if task is not None and self._advance(task, event):
            self.changed.emit()

    def _advance(self, task: Task, event: RuntimeEvent) -> bool:
        match event:
            case TurnStart():
                return True
            case ToolStart(display_name=name):
                task.stage = name
            case ToolResult() | ApprovalResolved() | QuestionAnswered():
                task.state, task.stage = "running", self._texts("tasks.thinking")
            case ApprovalRequested() | QuestionAsked():
                task.state, task.stage = "waiting", self._texts("tasks.waiting")
            case Done():
                self._end(task, "done")
            case Cancelled():
                self._end(task, "stopped")
            case Failed():
                self._end(task, "failed")
            case _:
                return False
        return True

    def _end(self, task: Task, state: TaskState) -> None:
        task.took = self._clock.monotonic() - task.started
        task.state, task.stage = state, self._texts(f"tasks.{state}")

    def _forget_old(self) -> None:
        ended = [key for key, task in self._tasks.items() if task.state not in ACTIVE]
        for key in ended[: max(0, len(ended) - KEPT)]:
            del self._tasks[key]
