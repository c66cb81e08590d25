"""The window's tests: one application, a fresh qasync loop for each test, nothing left running at its end."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Awaitable, Callable, Iterator

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_API", "pyside6")
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")

import pytest
from PySide6.QtWidgets import QApplication

from desktop.loop import loop_factory

Run = Callable[[Awaitable[None]], None]


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    """The name of the application under test."""
    return ["wyckoff-test"]


@pytest.fixture
def on_loop(qapp: QApplication) -> Iterator[Run]:
    """Runs a coroutine on the window's loop and fails when it leaves tasks behind."""
    qapp.setQuitOnLastWindowClosed(False)

    async def checked(work: Awaitable[None]) -> None:
        await work
        left = {task for task in asyncio.all_tasks() if task is not asyncio.current_task() and not task.done()}
        names = sorted(task.get_name() for task in left)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        assert not names, f"tasks left running: {names}"

    with asyncio.Runner(loop_factory=loop_factory(qapp)) as runner:
        yield lambda work: runner.run(checked(work))
    gc.collect()  # a closed loop still holds timers: it goes in this thread, not in whichever the collector happens to run
