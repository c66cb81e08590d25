"""Runs background tasks: at most two at once, the others in the order in which they came.

Always: a task ends in exactly one of done, failed, cancelled, interrupted, and its end is stored before anybody is told. A task that is
alive when the program goes is interrupted, now or at the next start; its conversation learns of it, and it can be run again. This is the
border at which an unforeseen error of a task becomes its end.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from filelock import BaseFileLock

from runtime.clock import Clock
from runtime.core.background import BackgroundTask, TaskEvent, TaskState
from runtime.core.ids import new_id
from runtime.core.json import JsonObject, json_safe
from runtime.core.tasks import to_the_end
from runtime.errors import InternalError, StorageError, UserError, WyckoffError
from runtime.paths import Home
from runtime.storage.background_tasks import BackgroundTaskStore
from runtime.storage.locks import try_lock
from runtime.texts import Texts

MOST_AT_ONCE: Final = 2  # design 2
Report: TypeAlias = Callable[[str, str, float | None], None]  # stage, detail, fraction 0..1 or None

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOutcome:
    """How a task ended well: a line for the person, data for the model."""

    summary: str
    data: JsonObject


Work: TypeAlias = Callable[[Report], Awaitable[TaskOutcome]]
Again: TypeAlias = Callable[[JsonObject], Awaitable[Work]]  # from stored arguments to the work; raises UserError


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOrder:
    """What is to be done.

    Attributes:
        kind: by which it can be run again.
        title: for the person.
        args: by which it can be run again.
        work: does it, and reports how far it is; when it is cancelled it leaves nothing half done.
        conversation_id: where its end is reported.
    """

    kind: str
    title: str
    args: JsonObject
    work: Work
    conversation_id: str | None = None


class TaskManager:
    """The tasks of this process, and the record of all.

    Args:
        store: keeps them.
        home: where the lock of this process is.
        clock: dates them.
        texts: how a task ended, in words.
        kinds: how tasks are run again, by their kind.
    """

    def __init__(
        self, store: BackgroundTaskStore, home: Home, clock: Clock, texts: Texts, kinds: Callable[[str], Again | None]
    ) -> None:
        self._store = store
        self._home = home
        self._clock = clock
        self._texts = texts
        self._kinds = kinds
        self._owner = new_id()
        self._lock: BaseFileLock | None = None
        self._alive: dict[str, BackgroundTask] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._places: asyncio.Semaphore | None = None
        self._closing = False
        self._listeners: list[Callable[[TaskEvent], None]] = []

    def watch(self, listener: Callable[[TaskEvent], None]) -> Callable[[], None]:
        """Be told of every change, on the loop; returns what ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @property
    def active(self) -> int:
        """How many tasks of this process are not at their end."""
        return len(self._alive)

    async def recover(self) -> None:
        """Let what processes left behind that are gone become `interrupted`."""
        for owner in await self._store.owners():
            if owner == self._owner:
                continue
            lock = await asyncio.to_thread(try_lock, self._home, f"tasks-{owner}")
            if lock is not None:
                await self._store.interrupt(owner, self._texts("background.interrupted"))
                lock.release()

    async def submit(self, order: TaskOrder) -> BackgroundTask:
        """Queue a task; it begins when there is a place for it."""
        if self._closing:
            raise InternalError("errors.internal")
        if self._lock is None:
            self._lock = await asyncio.to_thread(try_lock, self._home, f"tasks-{self._owner}")
        task = BackgroundTask(
            id=new_id(),
            kind=order.kind,
            title=order.title,
            args=order.args,
            conversation_id=order.conversation_id,
            state="queued",
            created_at=self._clock.now(),
        )
        await self._store.add(task, self._owner)
        self._alive[task.id] = task
        self._tell(task)
        self._running[task.id] = asyncio.create_task(self._drive(task.id, order.work), name=f"background-{task.id}")
        await asyncio.sleep(0)  # it has begun to wait for its place: from here on a stop reaches it
        return task

    def cancel(self, task_id: str) -> bool:
        """Stop a task of this process; returns whether there was one."""
        running = self._running.get(task_id)
        return running is not None and running.cancel()

    async def rerun(self, task_id: str) -> BackgroundTask:
        """Do once more what a task did, as a new task.

        Raises:
            UserError: there is no such task, or it can no longer be done.
        """
        task = await self.get(task_id)
        again = None if task is None else self._kinds(task.kind)
        if task is None or again is None:
            raise UserError("background.no_such_task", task=task_id)
        work = await again(task.args)
        return await self.submit(
            TaskOrder(kind=task.kind, title=task.title, args=task.args, work=work, conversation_id=task.conversation_id)
        )

    async def get(self, task_id: str) -> BackgroundTask | None:
        """A task as it stands now."""
        return self._alive.get(task_id) or await self._store.get(task_id)

    async def recent(self, limit: int = 50, conversation_id: str | None = None) -> tuple[BackgroundTask, ...]:
        """The newest tasks of all processes first, those of this one with how far they are."""
        stored = await self._store.recent(limit, conversation_id)
        return tuple(self._alive.get(task.id, task) for task in stored)

    async def ended(self, task_id: str) -> BackgroundTask:
        """Wait for the end of a task of this process.

        Raises:
            UserError: there is no such task.
        """
        running = self._running.get(task_id)
        if running is not None:
            await asyncio.wait({running})
        task = await self._store.get(task_id)
        if task is None:
            raise UserError("background.no_such_task", task=task_id)
        return task

    async def aclose(self) -> None:
        """Interrupt what is alive, and wait until it has ended."""
        self._closing = True
        running = tuple(self._running.values())
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)
        for task_id in tuple(self._alive):  # stopped before its first step
            await self._end(task_id, "interrupted", self._texts("background.interrupted"))
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    async def _drive(self, task_id: str, work: Work) -> None:
        """One task from its place in the queue to its end."""
        try:
            if self._places is None:
                self._places = asyncio.Semaphore(MOST_AT_ONCE)
            async with self._places:
                await self._store.begin(task_id)
                self._change(task_id, state="running", started_at=self._clock.now())
                outcome = await work(lambda *report: self._report(task_id, *report))
            ending = self._end(task_id, "done", outcome.summary, json_safe(outcome.data))
        except asyncio.CancelledError:
            state: TaskState = "interrupted" if self._closing else "cancelled"
            ending = self._end(task_id, state, self._texts(f"background.{state}"))
        except WyckoffError as error:
            ending = self._end(task_id, "failed", self._texts.error(error))
        except Exception:  # the border of a background task: a bug ends it in words, and is in the log
            logger.exception("background task %s broke", task_id)
            ending = self._end(task_id, "failed", self._texts("errors.internal"))
        try:
            await to_the_end(ending)
        finally:
            self._running.pop(task_id, None)

    def _report(self, task_id: str, stage: str, detail: str, progress: float | None) -> None:
        """How far a task is."""
        self._change(task_id, stage=stage, detail=detail, progress=progress)

    def _change(self, task_id: str, **changes: object) -> None:
        task = self._alive.get(task_id)
        if task is not None:
            self._alive[task_id] = task = replace(task, **changes)  # type: ignore[arg-type]
            self._tell(task)

    async def _end(self, task_id: str, state: TaskState, summary: str, result: object = None) -> None:
        data = result if isinstance(result, dict) else None
        try:
            await self._store.end(task_id, state, summary, data)
        except StorageError:  # at the next start it is interrupted
            logger.exception("the end of background task %s could not be stored", task_id)
        finally:
            task = self._alive.pop(task_id)
            self._tell(replace(task, state=state, stage="", detail="", progress=None, result=data))

    def _tell(self, task: BackgroundTask) -> None:
        event = TaskEvent(
            task_id=task.id,
            state=task.state,
            stage=task.stage,
            detail=task.detail,
            progress=task.progress,
            result_ref=None if task.result is None else f"task://{task.id}",
        )
        for listener in tuple(self._listeners):
            listener(event)
