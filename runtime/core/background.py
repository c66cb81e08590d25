"""Background tasks as values: what surfaces show and storage keeps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from runtime.core.json import JsonObject

TaskState: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
ACTIVE: Final[tuple[TaskState, ...]] = ("queued", "running")


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundTask:
    """A task as it stands now.

    Attributes:
        id: of the task.
        kind: name of the tool behind it; a task is run again by its kind and arguments.
        title: what it does, for the person.
        args: the arguments of the tool.
        conversation_id: where its result is reported; None = a person started it outside of any.
        stage: what it does now, in words; empty before and after.
        detail: more about the stage.
        progress: 0..1; None where it is not known.
        summary: how it ended, in one line.
        result: its data; None while there is none.
    """

    id: str
    kind: str
    title: str
    args: JsonObject
    conversation_id: str | None
    state: TaskState
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    stage: str = ""
    detail: str = ""
    progress: float | None = None
    summary: str = ""
    result: JsonObject | None = None

    @property
    def active(self) -> bool:
        """Whether it is not at its end."""
        return self.state in ACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEvent:
    """A change of a task, outside of turns. `result_ref` names the result once there is one."""

    task_id: str
    state: TaskState
    stage: str = ""
    detail: str = ""
    progress: float | None = None
    result_ref: str | None = None
