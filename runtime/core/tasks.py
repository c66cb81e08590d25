"""Work that is finished once it was begun, however often the one who waits for it is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def to_the_end(work: Coroutine[Any, Any, T] | asyncio.Future[T]) -> T:
    """Run `work` to its end; a cancel that came meanwhile is delivered afterwards, its result is then dropped.

    `asyncio.shield` alone protects from one cancel only: a second one leaves the work running with nobody waiting for it.

    Raises:
        asyncio.CancelledError: the caller was cancelled, and `work` has ended.
    """
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    if cancelled and task.exception() is None:
        raise asyncio.CancelledError
    return task.result()


def being_cancelled() -> bool:
    """Whether somebody cancelled the running task; else a cancellation comes from inside what it runs."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
