"""Compactions as they are stored."""

from __future__ import annotations

from sqlalchemy import text

from runtime.core.compaction import CompactionRecord
from runtime.core.messages import UserMessage
from runtime.paths import Home
from tests.support.desks import open_desk

RECORD = CompactionRecord(
    covered=3,
    summary="摘要",
    constraints=("只做右侧。",),
    stocks=("云溪股份 608101.SIM",),
    archives=("archive://c1/x",),
)


async def test_a_record_comes_back_and_a_broken_one_hides_no_other(home: Home) -> None:
    async with open_desk(home) as desk:
        store, compactions = desk.stores.conversations, desk.stores.compactions
        await store.open("c1", "题")
        first = await store.append("c1", None, "t1", UserMessage(text="一"))
        second = await store.append("c1", first.id, "t2", UserMessage(text="二"))
        await compactions.add("c1", first.id, RECORD, before=9, after=4)
        await compactions.add("c1", second.id, RECORD, before=9, after=4)
        await desk.stores.database.run(
            lambda connection: connection.execute(text("UPDATE compaction SET body = '{' WHERE id = 1")).rowcount
        )
        found = await compactions.of("c1")
        assert await compactions.of("c2") == ()
    assert [(item.message_id, item.record) for item in found] == [(second.id, RECORD)]
