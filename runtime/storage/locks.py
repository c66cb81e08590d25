"""Operating-system locks on files: they go away with their process, so nothing that was killed blocks what comes after it."""

from __future__ import annotations

from filelock import FileLock, Timeout

from runtime.paths import Home


def try_lock(home: Home, name: str) -> FileLock | None:
    """Take a lock of a home; None = somebody holds it, here or in another process."""
    folder = home.root / "locks"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(folder / f"{name}.lock", is_singleton=False, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return None
    return lock
