"""The archive of compacted messages: what is written comes back, secrets do not, damage is told and hides nothing else."""

from __future__ import annotations

import os
import stat
from datetime import timedelta

import pytest

from runtime.clock import FixedClock
from runtime.core.compaction import CompactionRecord
from runtime.core.messages import Message
from runtime.errors import StorageError, UserError
from runtime.memory.archive import ContextArchive
from runtime.paths import Home
from runtime.redact import MASK, Redactor
from tests.support.desks import NOW
from tests.support.long_talks import answered, result, said

TALK: tuple[Message, ...] = (
    said("云溪股份止损必须设在 12.30。看 reports/review.md"),
    answered("先读图。", ("a", "analyze_stock")),
    result("a", {"ok": True, "data": {"symbol": "608101.SIM", "close": 12.9}}),
    answered("等待。"),
)
RECORD = CompactionRecord(
    covered=4, summary="谈了云溪股份。", stocks=("云溪股份 608101.SIM",), files=("reports/review.md",)
)


@pytest.fixture
def archive(home: Home) -> ContextArchive:
    return archive_at(home)


def archive_at(home: Home, later: int = 0) -> ContextArchive:
    return ContextArchive(home, FixedClock(NOW + timedelta(seconds=later)), Redactor())


def test_what_is_written_comes_back_as_it_was(archive: ContextArchive) -> None:
    reference = archive.write("c1", TALK, RECORD)
    restored = archive.restore(reference)
    assert restored.messages == TALK
    assert (restored.meta.count, restored.meta.stocks, restored.damaged) == (4, RECORD.stocks, 0)
    assert reference.startswith("archive://c1/ctx_20260701200000_")


def test_only_the_person_can_read_it(home: Home, archive: ContextArchive) -> None:
    archive.write("c1", TALK, RECORD)
    folder = home.context_archive / "c1"
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0
    assert sorted(path.suffix for path in folder.iterdir()) == [".json", ".jsonl"]  # nothing half-written is left


def test_secrets_are_taken_out(home: Home) -> None:
    redactor = Redactor()
    redactor.learn("very-secret-value")
    archive = ContextArchive(home, FixedClock(NOW), redactor)
    talk = (
        said("我的密码 very-secret-value"),
        result("a", {"ok": True, "data": {"api_key": "abc", "note": "sk-1234567890abcdef"}}),
    )
    reference = archive.write("c1", talk, CompactionRecord(covered=2, summary="key very-secret-value"))
    written = "".join(path.read_text("utf-8") for path in (home.context_archive / "c1").iterdir())
    assert not [secret for secret in ("very-secret-value", "sk-1234567890abcdef", '"abc"') if secret in written]
    assert MASK in written
    assert len(archive.restore(reference).messages) == 2


@pytest.mark.parametrize(
    "query", ["云溪股份", "608101.SIM", "reports/review.md", "止损必须设在", "608101", "止损 云溪", "ANALYZE_STOCK"]
)
def test_words_codes_and_files_find_it(archive: ContextArchive, query: str) -> None:
    archive.write("c1", TALK, RECORD)
    archive.write("c2", (said("别的事情"),), CompactionRecord(covered=1))
    assert [hit.meta.reference.split("/")[2] for hit in archive.search(query).hits] == ["c1"]


def test_a_query_that_nothing_holds_finds_nothing(archive: ContextArchive) -> None:
    archive.write("c1", TALK, RECORD)
    assert archive.search("完全无关的内容").hits == ()


def test_an_empty_query_lists_all_the_newest_first(home: Home) -> None:
    references = [archive_at(home, later).write("c1", (said(f"第 {later} 段"),), RECORD) for later in range(3)]
    assert [hit.meta.reference for hit in archive_at(home).search("").hits] == references[::-1]


def test_archives_of_a_conversation_form_a_chain(home: Home) -> None:
    first = archive_at(home).write("c1", TALK, RECORD)
    second = archive_at(home, 9).write("c1", (said("后来"),), CompactionRecord(covered=5, archives=(first,)))
    assert archive_at(home).restore(second).meta.previous == first


@pytest.mark.parametrize(
    "reference",
    [
        "archive://../../etc/ctx_20260701200000_0123456789ab",
        "archive://c1/../c2/ctx_20260701200000_0123456789ab",
        "archive://c1/ctx_20260701200000_0123456789ab.json",
        "archive://c1/passwd",
        "/etc/passwd",
        "file:///etc/passwd",
        "archive://c1/ctx_20260701200000_0123456789ab\n/etc",
        "",
    ],
)
def test_a_reference_can_name_nothing_else(archive: ContextArchive, reference: str) -> None:
    archive.write("c1", TALK, RECORD)
    with pytest.raises(UserError) as refused:
        archive.restore(reference)
    assert refused.value.key == "storage.bad_archive_ref"


def test_a_missing_archive_is_named(archive: ContextArchive) -> None:
    with pytest.raises(UserError) as refused:
        archive.restore("archive://c1/ctx_20260701200000_0123456789ab")
    assert refused.value.key == "storage.no_archive"


@pytest.mark.parametrize("conversation", ["../../outside", "a/b", "", "对话", "x" * 300, "C:\\windows", "."])
def test_any_id_of_a_conversation_has_a_folder_inside(home: Home, archive: ContextArchive, conversation: str) -> None:
    reference = archive.write(conversation, TALK, RECORD)
    assert archive.restore(reference).messages == TALK
    folders = [path for path in home.context_archive.iterdir() if path.is_dir()]
    assert len(folders) == 1
    assert archive.search("云溪股份", conversation).hits
    assert [path for path in home.root.parent.iterdir() if path != home.root] == []


def test_a_damaged_line_costs_that_line(home: Home, archive: ContextArchive) -> None:
    reference = archive.write("c1", TALK, RECORD)
    path = next((home.context_archive / "c1").glob("*.jsonl"))
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([lines[0], b'{"index":1,"message"\xff', *lines[2:]]))
    restored = archive.restore(reference)
    assert restored.messages == (TALK[0], *TALK[2:])
    assert restored.damaged == 1


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b'{"created_at":"yesterday","message_count":1}'])
def test_a_damaged_description_is_told_and_hides_no_other(home: Home, content: bytes) -> None:
    broken = archive_at(home).write("c1", TALK, RECORD)
    archive_at(home, 5).write("c1", TALK, RECORD)
    path = home.context_archive / "c1" / f"{broken.rpartition('/')[2]}.json"
    path.write_bytes(content)
    found = archive_at(home).search("云溪股份")
    assert len(found.hits) == 1
    assert found.damaged == (f"c1/{path.name}",)
    with pytest.raises(UserError) as refused:
        archive_at(home).restore(broken)
    assert refused.value.key == "storage.damaged_archive"


def test_messages_that_are_gone_are_told(home: Home, archive: ContextArchive) -> None:
    reference = archive.write("c1", TALK, RECORD)
    next((home.context_archive / "c1").glob("*.jsonl")).unlink()
    assert archive.search("云溪股份").damaged
    with pytest.raises(UserError):
        archive.restore(reference)


def test_a_disk_that_takes_nothing_is_a_storage_error(home: Home, archive: ContextArchive) -> None:
    home.ensure()
    home.context_archive.write_text("in the way", "utf-8")
    with pytest.raises(StorageError):
        archive.write("c1", TALK, RECORD)


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_link_that_leads_out_is_not_followed(home: Home, archive: ContextArchive) -> None:
    outside = home.root.parent / "outside"
    archive.write("c1", TALK, RECORD)
    (home.context_archive / "c1").rename(outside)
    (home.context_archive / "c1").symlink_to(outside)
    name = next(outside.glob("*.json")).stem
    with pytest.raises(UserError):
        archive.restore(f"archive://c1/{name}")
