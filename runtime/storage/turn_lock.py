"""One running turn for each conversation, across windows, terminals and crashes.

The lock is an operating-system lock on a file: it goes away with its process, so a killed turn never blocks the next one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from runtime.errors import UserError
from runtime.paths import Home


@contextmanager
def turn_lock(home: Home, conversation_id: str) -> Iterator[None]:
    """Hold the conversation while a turn runs.

    Raises:
        UserError: another turn is running in it, here or in another process.
    """
    folder = home.root / "locks"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = hashlib.sha256(conversation_id.encode()).hexdigest()[:24]
    lock = FileLock(folder / f"turn-{name}.lock", is_singleton=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise UserError("agent.conversation_busy") from None
    try:
        yield
    finally:
        lock.release()
