"""Background work that a test can watch, hold and let fail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from runtime.background.manager import Again, Report, TaskManager, TaskOrder, TaskOutcome
from runtime.core.background import TaskEvent
from runtime.core.json import JsonObject
from runtime.paths import Home
from runtime.storage.background_tasks import BackgroundTaskStore
from runtime.workspace import Workspace
from tests.support.desks import TestTexts, open_desk


@dataclass(slots=True)
class HeldWork:
    """Work that goes on when a test says so."""

    name: str = "work"
    error: Exception | None = None
    started: asyncio.Event = field(default_factory=asyncio.Event)
    proceed: asyncio.Event = field(default_factory=asyncio.Event)
    undone: bool = False

    async def __call__(self, report: Report) -> TaskOutcome:
        report("读取", self.name, 0.25)
        self.started.set()
        try:
            await self.proceed.wait()
        except asyncio.CancelledError:
            self.undone = True
            raise
        if self.error is not None:
            raise self.error
        return TaskOutcome(summary=f"{self.name} done", data={"name": self.name})

    def order(self, conversation_id: str | None = None) -> TaskOrder:
        return TaskOrder(
            kind="held", title=self.name, args={"name": self.name}, work=self, conversation_id=conversation_id
        )


@dataclass(slots=True, kw_only=True)
class TaskBench:
    """A manager on a desk's storage, and what it told."""

    desk: Workspace
    manager: TaskManager
    events: list[TaskEvent] = field(default_factory=list)

    def states(self, task_id: str) -> list[str]:
        """The states of a task in their order, each once."""
        return list(dict.fromkeys(event.state for event in self.events if event.task_id == task_id))


def a_manager(desk: Workspace, kinds: Mapping[str, Again] | None = None) -> TaskManager:
    """A manager of a process of its own on the same home."""
    store = BackgroundTaskStore(desk.stores.database, desk.base.clock)
    return TaskManager(store, desk.base.home, desk.base.clock, TestTexts(), (kinds or {}).get)


@asynccontextmanager
async def task_bench(home: Home, kinds: Mapping[str, Again] | None = None) -> AsyncIterator[TaskBench]:
    """A manager that is closed at the end."""
    async with open_desk(home) as desk:
        bench = TaskBench(desk=desk, manager=a_manager(desk, kinds))
        bench.manager.watch(bench.events.append)
        try:
            yield bench
        finally:
            await bench.manager.aclose()


def again_with(works: list[HeldWork]) -> Again:
    """A kind whose reruns are recorded."""

    async def again(args: JsonObject) -> HeldWork:
        work = HeldWork(name=str(args["name"]))
        works.append(work)
        return work

    return again
