"""One SQLite database behind one executor thread.

A synchronous SQLAlchemy engine; coroutines hand their work to the executor and never wait on the disk themselves. Always: WAL, foreign
keys on, a busy time-out for the other process on the same home, one writer at a time, each unit of work one transaction.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

T = TypeVar("T")

BUSY_TIMEOUT_MS: Final = 5_000  # window and terminal share one home; transactions are short


class Database:
    """An open database.

    Args:
        path: the file; its folder exists.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.engine = _engine(path)
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"db-{path.stem}")

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run one transaction on the executor; it commits when `work` returns and rolls back when it raises.

        A cancelled caller does not interrupt the transaction: it completes or rolls back as a whole.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self.transaction, work)

    def transaction(self, work: Callable[[Connection], T]) -> T:
        """The same on the calling thread, for code without a loop."""
        with self.engine.begin() as connection:
            return work(connection)

    def close(self) -> None:
        """Finish what was handed over, then close the file."""
        self._executor.shutdown(wait=True)
        self.engine.dispose()


def _engine(path: Path) -> Engine:
    engine = create_engine(
        f"sqlite:///{path}", connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False}
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        connection.isolation_level = None  # we begin transactions ourselves, see below
        cursor = connection.cursor()
        for pragma in (
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "foreign_keys=ON",
            f"busy_timeout={BUSY_TIMEOUT_MS}",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # IMMEDIATE: two processes cannot both read, then both try to write and fail half-way.
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine
