"""Background tasks on disk: what was asked, how it stands, how it ended, and whether its conversation has been told.

Always: a task is stored before it begins; how far it is, is kept in memory only, its state changes are kept here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import Row, insert, literal_column, select, update

from runtime.clock import Clock
from runtime.core.background import ACTIVE, BackgroundTask, TaskState
from runtime.core.json import JsonObject
from runtime.storage.engine import Database
from runtime.storage.schema import background_task as tasks


class BackgroundTaskStore:
    """Reads and writes tasks.

    Args:
        database: where they live.
        clock: dates them.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, task: BackgroundTask, owner: str) -> None:
        """Store a new task; `owner` names the lock of the process that runs it."""
        statement = insert(tasks).values(
            id=task.id,
            kind=task.kind,
            title=task.title,
            args=task.args,
            conversation_id=task.conversation_id,
            state=task.state,
            owner=owner,
            created_at=task.created_at,
            summary="",
            told=task.conversation_id is None,
        )
        await self._database.run(lambda connection: connection.execute(statement).rowcount)

    async def begin(self, task_id: str) -> None:
        """A queued task runs now."""
        await self._set(task_id, state="running", started_at=self._clock.now())

    async def end(self, task_id: str, state: TaskState, summary: str, result: JsonObject | None = None) -> None:
        """A task is over."""
        await self._set(task_id, state=state, ended_at=self._clock.now(), summary=summary, result=result)

    async def get(self, task_id: str) -> BackgroundTask | None:
        """A task by its id."""
        statement = select(tasks).where(tasks.c.id == task_id)
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else _task(row)

    async def recent(self, limit: int = 50, conversation_id: str | None = None) -> tuple[BackgroundTask, ...]:
        """The newest tasks first; with a conversation only its own. Dismissed ones are left out."""
        statement = select(tasks).where(~tasks.c.dismissed)
        if conversation_id is not None:
            statement = statement.where(tasks.c.conversation_id == conversation_id)
        return await self._found(statement.order_by(literal_column("rowid").desc()).limit(limit))

    async def to_tell(self, conversation_id: str) -> tuple[BackgroundTask, ...]:
        """Tasks of a conversation that are over, and that it has not been told of yet; the oldest first."""
        statement = select(tasks).where(
            tasks.c.conversation_id == conversation_id, ~tasks.c.told, tasks.c.state.not_in(ACTIVE)
        )
        return await self._found(statement.order_by(tasks.c.ended_at))

    async def mark_told(self, task_ids: Sequence[str]) -> None:
        """The conversation knows of these."""
        statement = update(tasks).where(tasks.c.id.in_(task_ids)).values(told=True)
        await self._database.run(lambda connection: connection.execute(statement).rowcount)

    async def dismiss_ended(self) -> None:
        """Let what is over no longer be listed; what its conversation was not told of, it still will be."""
        statement = update(tasks).where(tasks.c.state.not_in(ACTIVE)).values(dismissed=True)
        await self._database.run(lambda connection: connection.execute(statement).rowcount)

    async def owners(self) -> tuple[str, ...]:
        """The processes that tasks without an end belong to."""
        statement = select(tasks.c.owner).where(tasks.c.state.in_(ACTIVE)).distinct()
        return await self._database.read(lambda connection: tuple(row[0] for row in connection.execute(statement)))

    async def interrupt(self, owner: str, summary: str) -> None:
        """What a process that is gone had begun will not end any more."""
        statement = (
            update(tasks)
            .where(tasks.c.owner == owner, tasks.c.state.in_(ACTIVE))
            .values(state="interrupted", ended_at=self._clock.now(), summary=summary)
        )
        await self._database.run(lambda connection: connection.execute(statement).rowcount)

    async def _found(self, statement: Any) -> tuple[BackgroundTask, ...]:  # noqa: ANN401 - a select of SQLAlchemy
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(_task(row) for row in rows)

    async def _set(self, task_id: str, **values: object) -> None:
        statement = update(tasks).where(tasks.c.id == task_id).values(**values)
        await self._database.run(lambda connection: connection.execute(statement).rowcount)


def _task(row: Row[Any]) -> BackgroundTask:
    return BackgroundTask(
        id=row.id,
        kind=row.kind,
        title=row.title,
        args=cast("JsonObject", row.args),
        conversation_id=row.conversation_id,
        state=cast("TaskState", row.state),
        created_at=row.created_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        summary=row.summary,
        result=cast("JsonObject | None", row.result),
    )
