"""`query_history`: what was said and found before, in all conversations and in the archive."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from runtime.core.compaction import CompactionRecord
from runtime.core.json import JsonObject, JsonValue
from runtime.core.messages import Message
from runtime.core.symbols import Resolution
from runtime.errors import ModelFacingError, UserError
from runtime.paths import Home
from runtime.tools.definition import ToolContext, ToolOutcome
from runtime.tools.history import PAGE_CHARACTERS, HistoryArgs
from runtime.workspace import Workspace
from tests.support.desks import open_desk
from tests.support.long_talks import answered, result, said


@pytest_asyncio.fixture
async def desk(home: Home) -> AsyncIterator[Workspace]:
    async with open_desk(home) as desk:
        await store(desk, "c1", "t1", said("云溪股份止损必须设在 12.30。"), answered("记下了。"))
        await store(
            desk, "c2", "t2", said("平湖科技怎么看"), result("a", {"ok": True, "data": {"symbol": "608102.SIM"}})
        )
        yield desk


async def store(desk: Workspace, conversation: str, turn: str, *messages: Message) -> None:
    opened = await desk.stores.conversations.open(conversation, "标题 " + conversation)
    parent = opened.head_id
    for message in messages:
        parent = (await desk.stores.conversations.append(conversation, parent, turn, message)).id


async def query(desk: Workspace, *, turn: str = "now", **args: object) -> ToolOutcome:
    tool = desk.registry.get("query_history")
    assert tool is not None
    assert tool.run is not None
    assert tool.read_only
    assert tool.concurrency_safe

    async def ask(_question: str, _options: tuple[str, ...]) -> str | None:
        return None

    context = ToolContext(
        conversation_id="c1", turn_id=turn, call_id="x", resolution=Resolution(), ask=ask, report=lambda *_: None
    )
    return await tool.run(context, HistoryArgs.model_validate(args))


def rows(value: JsonValue) -> list[JsonObject]:
    assert isinstance(value, list)
    return [row for row in value if isinstance(row, dict)]


async def test_words_are_found_with_their_conversation(desk: Workspace) -> None:
    outcome = await query(desk, query="止损 云溪股份")
    (row,) = rows(outcome.data["matches"])
    assert (row["conversation_id"], row["title"], row["role"]) == ("c1", "标题 c1", "user")
    assert "12.30" in str(row["excerpt"])
    assert row["time"] == "2026-07-01 20:00"
    assert outcome.meta.source == "conversations"
    assert str(outcome.meta.as_of) == "2026-07-01"


@pytest.mark.parametrize("words", ["608102.sim", "608102"])
async def test_tool_results_are_found_too(desk: Workspace, words: str) -> None:
    assert [row["role"] for row in rows((await query(desk, query=words)).data["matches"])] == ["tool"]


async def test_nothing_found_is_empty_and_no_error(desk: Workspace) -> None:
    outcome = await query(desk, query="从没说过的词")
    assert outcome.data["matches"] == []
    assert outcome.data["total"] == 0
    assert outcome.meta.as_of is None


async def test_the_running_turn_does_not_find_itself(desk: Workspace) -> None:
    assert (await query(desk, turn="t1", query="止损")).data["matches"] == []


async def test_signs_of_patterns_are_plain_characters(desk: Workspace) -> None:
    await store(desk, "c3", "t3", said("涨了 100% 的 a_b"))
    assert (await query(desk, query="100%")).data["total"] == 1
    assert (await query(desk, query="a_b")).data["total"] == 1
    assert (await query(desk, query="axb")).data["total"] == 0


async def test_deleted_conversations_are_out_of_sight(desk: Workspace) -> None:
    await desk.stores.conversations.delete("c1")
    assert (await query(desk, query="止损 云溪股份")).data["matches"] == []


async def test_pages_go_on(desk: Workspace) -> None:
    await store(desk, "c3", "t3", *(said(f"缩量回踩 {at}") for at in range(7)))
    pages = [rows((await query(desk, query="缩量回踩", limit=3, page=page)).data["matches"]) for page in (1, 2, 3, 4)]
    assert [len(page) for page in pages] == [3, 3, 1, 0]
    assert len({str(row["excerpt"]) for page in pages for row in page}) == 7


@pytest.mark.parametrize("source", ["recommendation", "signal", "memory"])
async def test_other_sources_are_refused_in_words(desk: Workspace, source: str) -> None:
    with pytest.raises(ModelFacingError) as refused:
        await query(desk, source=source, query="x")
    assert refused.value.code == "not_supported"
    assert source in desk.texts.error(refused.value)


async def test_a_search_without_words_is_refused(desk: Workspace) -> None:
    with pytest.raises(ModelFacingError):
        await query(desk, query="  。。 ")


async def test_the_archive_is_searched_and_restored_page_by_page(desk: Workspace) -> None:
    talk = (said("云溪股份必须止损。"), answered("长" * 15_000), result("a", {"ok": True}), said("最后一句"))
    reference = desk.stores.archive.write("c1", talk, CompactionRecord(covered=4, summary="谈了云溪股份"))
    found = await query(desk, source="archive", query="云溪股份")
    (row,) = rows(found.data["matches"])
    assert row["archive_ref"] == reference
    assert found.meta.source == "archive"
    first = await query(desk, source="archive", archive_ref=reference)
    count = first.data["pages"]
    assert isinstance(count, int)
    pieces = [
        piece
        for page in range(1, count + 1)
        for piece in rows((await query(desk, archive_ref=reference, page=page)).data["messages"])
    ]
    assert count == 3
    assert "".join(str(piece["text"]) for piece in pieces if piece["index"] == 1) == "长" * 15_000
    assert [piece["index"] for piece in pieces if piece["index"] != 1] == [0, 2, 3]
    assert sum(len(str(piece["text"])) for piece in rows(first.data["messages"])) <= PAGE_CHARACTERS


async def test_a_wrong_reference_is_an_error_that_says_so(desk: Workspace) -> None:
    with pytest.raises(UserError) as refused:
        await query(desk, archive_ref="archive://c1/../../desk.db")
    assert refused.value.key == "storage.bad_archive_ref"


async def test_damage_is_told_in_the_result(desk: Workspace) -> None:
    reference = desk.stores.archive.write("c1", (said("云溪股份"),), CompactionRecord(covered=1))
    path = desk.base.home.context_archive / "c1" / f"{reference.rpartition('/')[2]}.json"
    path.write_text("{", "utf-8")
    outcome = await query(desk, source="archive", query="云溪股份")
    assert outcome.data["damaged"] == [f"c1/{path.name}"]
    assert outcome.meta.partial
