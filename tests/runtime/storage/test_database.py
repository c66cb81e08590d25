"""The database under load and under attack: an append-only ledger, busy writers, readers beside a long write."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

import pytest
from sqlalchemy import Connection, func, insert, select, text, update
from sqlalchemy.exc import IntegrityError, StatementError

from runtime.clock import FixedClock
from runtime.core.messages import Usage, UserMessage
from runtime.paths import Home
from runtime.storage.conversations import ConversationStore
from runtime.storage.engine import Database
from runtime.storage.migrate import open_database
from runtime.storage.schema import conversation, ledger, usage
from runtime.storage.turn_lock import turn_lock
from runtime.storage.usage import UsageStore
from tests.support.desks import NOW

CASH_ROW = {
    "batch_id": "b",
    "kind": "cash_set",
    "day": NOW.date(),
    "recorded_at": NOW,
    "cash": Decimal("10.10"),
    "origin": "t",
}
ENTRIES = 30


@pytest.fixture
def database(home: Home) -> Iterator[Database]:
    opened = open_database(home)
    yield opened
    opened.close()


async def test_the_ledger_can_only_grow(database: Database) -> None:
    await database.run(lambda connection: connection.execute(insert(ledger).values(**CASH_ROW)))
    for statement in (update(ledger).values(cash=Decimal(0)), ledger.delete()):
        with pytest.raises(IntegrityError, match="append-only"):
            await database.run(lambda connection, s=statement: connection.execute(s))  # type: ignore[misc]
    assert await database.run(lambda connection: connection.execute(select(ledger.c.cash)).scalar_one()) == Decimal(
        "10.10"
    )


async def test_work_that_breaks_is_rolled_back_as_a_whole(database: Database) -> None:
    def work(connection: Connection) -> None:
        connection.execute(insert(ledger).values(**CASH_ROW))
        raise KeyError

    with pytest.raises(KeyError):
        await database.run(work)
    assert await database.run(lambda connection: connection.execute(select(func.count(ledger.c.id))).scalar_one()) == 0


async def test_a_cancelled_caller_does_not_tear_its_transaction(database: Database) -> None:
    inside, proceed = threading.Event(), threading.Event()

    def work(connection: Connection) -> None:
        connection.execute(insert(ledger).values(**CASH_ROW))
        inside.set()
        assert proceed.wait(10)
        connection.execute(insert(ledger).values(**CASH_ROW))

    caller = asyncio.create_task(database.run(work))
    await asyncio.to_thread(inside.wait, 10)
    caller.cancel()
    await asyncio.wait({caller})
    proceed.set()
    assert await database.run(lambda connection: connection.execute(select(func.count(ledger.c.id))).scalar_one()) == 2


WRITER = """
import sys
from datetime import date, datetime, timezone
from pathlib import Path
from sqlalchemy import insert
from runtime.storage.engine import Database
from runtime.storage.schema import ledger
database = Database(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    row = {"batch_id": sys.argv[3], "kind": "cash_set", "day": date(2026, 6, 30), "origin": "t", "note": str(number)}
    row["recorded_at"] = datetime.now(timezone.utc)
    database.transaction(lambda connection: connection.execute(insert(ledger).values(**row)))
database.close()
"""


def test_two_processes_and_two_threads_that_write_lose_nothing(database: Database) -> None:
    command = [sys.executable, "-c", WRITER, str(database.path), str(ENTRIES)]
    others = [subprocess.Popen([*command, f"p{number}"]) for number in range(2)]

    def write(name: str) -> None:
        for number in range(ENTRIES):
            row = CASH_ROW | {"batch_id": name, "note": str(number)}
            database.transaction(lambda connection, row=row: connection.execute(insert(ledger).values(**row)))  # type: ignore[misc]

    threads = [threading.Thread(target=write, args=(f"t{number}",)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [other.wait(60) for other in others] == [0, 0]
    rows = database.transaction(lambda c: c.execute(select(ledger.c.batch_id, ledger.c.note)).all())
    assert len(set(rows)) == len(rows) == 4 * ENTRIES


def test_reading_does_not_wait_for_a_long_write_of_another_process(home: Home, database: Database) -> None:
    other = Database(home.database)
    with other.engine.begin() as writing:
        writing.execute(insert(ledger).values(**CASH_ROW))
        count = database.reading(lambda connection: connection.execute(select(func.count(ledger.c.id))).scalar_one())
        assert count == 0
    other.close()
    assert database.reading(lambda connection: connection.execute(select(func.count(ledger.c.id))).scalar_one()) == 1


def test_connections_are_in_wal_mode_with_foreign_keys(database: Database) -> None:
    def pragma(name: str) -> object:
        return database.transaction(lambda connection: connection.execute(text(f"PRAGMA {name}")).scalar())

    assert (pragma("journal_mode"), pragma("foreign_keys"), pragma("busy_timeout")) == ("wal", 1, 5000)


async def test_a_naive_time_and_an_orphan_are_refused(database: Database) -> None:
    row = {"id": "c", "title": "", "created_at": datetime(2026, 1, 1), "updated_at": NOW}  # noqa: DTZ001
    with pytest.raises(StatementError, match="naive"):
        await database.run(lambda connection: connection.execute(insert(conversation).values(**row)))
    with pytest.raises(IntegrityError):
        await ConversationStore(database, FixedClock(NOW)).append("nobody", None, "t", UserMessage(text="x"))


async def test_usage_is_summed_by_day_and_model(database: Database) -> None:
    await ConversationStore(database, FixedClock(NOW)).open("c", "x")
    store = UsageStore(database, FixedClock(NOW))
    for model, cost in (("a", 0.5), ("a", None), ("b", None)):
        await store.add(
            conversation_id="c", turn_id="t", model=model, purpose="chat", usage=Usage(input=10, output=1, cost=cost)
        )
    old = FixedClock(NOW.replace(month=1))
    await UsageStore(database, old).add(
        conversation_id="c", turn_id="t", model="a", purpose="chat", usage=Usage(input=99)
    )
    rows = await store.summary(7)
    assert [(row.model, row.calls, row.usage.input, row.usage.cost) for row in rows] == [
        ("a", 2, 20, 0.5),
        ("b", 1, 10, None),
    ]
    assert await database.run(lambda connection: connection.execute(select(func.count(usage.c.id))).scalar_one()) == 4


async def test_titles_come_from_the_first_text_and_deleted_ones_are_out_of_sight(database: Database) -> None:
    store = ConversationStore(database, FixedClock(NOW))
    opened = await store.open("c", "  第一行\n第二行 " + "长" * 60)
    again = await store.open("c", "别的")
    assert opened.title == again.title
    assert opened.title.startswith("第一行 第二行")
    assert len(opened.title) == 30
    await store.open(None, "另一个")
    assert await store.count() == len(await store.recent()) == 2


def test_a_turn_lock_is_free_again_after_its_turn_and_after_an_error(home: Home) -> None:
    home.ensure()
    with pytest.raises(KeyError), turn_lock(home, "../c/1"):
        raise KeyError
    with turn_lock(home, "../c/1"), turn_lock(home, "c2"):
        assert all(path.parent == home.root / "locks" for path in home.root.rglob("turn-*"))
