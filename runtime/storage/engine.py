"""One SQLite database behind one executor thread.

A synchronous SQLAlchemy engine; coroutines hand their work to the executor and never wait on the disk themselves. Always: WAL, foreign
keys on, a busy time-out for the other process on the same home, one writer at a time, each unit of work one transaction.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DatabaseError, IntegrityError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from runtime.errors import StorageError, UserError

T = TypeVar("T")

_READ_ONLY: Final = "wyckoff_read_only"  # execution option of a connection
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

        Raises:
            StorageError: the file is busy for too long, or the disk does not do its part.
            UserError: the file is no database, or is damaged.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self.transaction, work)

    def transaction(self, work: Callable[[Connection], T]) -> T:
        """The same on the calling thread, for code without a loop."""
        with self._plain_errors(), self.engine.begin() as connection:
            return work(connection)

    def reading(self, work: Callable[[Connection], T]) -> T:
        """Run work that only reads, on the calling thread: it waits for no writer and sees the last committed state."""
        connect = self.engine.connect
        with self._plain_errors(), connect() as connection, connection.execution_options(**{_READ_ONLY: True}).begin():
            return work(connection)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """The same on the executor."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, self.reading, work)

    @contextmanager
    def _plain_errors(self) -> Iterator[None]:
        """What the driver raises, as the errors of this program; a broken constraint is a bug and stays what it is."""
        try:
            yield
        except IntegrityError:
            raise
        except OperationalError as problem:
            raise StorageError("storage.failed", path=str(self.path), detail=str(problem.orig)) from problem
        except DatabaseError as problem:
            raise UserError("storage.damaged_database", path=str(self.path)) from problem

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
        read_only = connection.get_execution_options().get(_READ_ONLY, False)
        connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")

    return engine
