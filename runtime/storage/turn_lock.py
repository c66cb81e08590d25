"""One running turn for each conversation, across windows, terminals and crashes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from runtime.errors import UserError
from runtime.paths import Home
from runtime.storage.locks import try_lock


@contextmanager
def turn_lock(home: Home, conversation_id: str) -> Iterator[None]:
    """Hold the conversation while a turn runs.

    Raises:
        UserError: another turn is running in it, here or in another process.
    """
    lock = try_lock(home, f"turn-{hashlib.sha256(conversation_id.encode()).hexdigest()[:24]}")
    if lock is None:
        raise UserError("agent.conversation_busy")
    try:
        yield
    finally:
        lock.release()
