"""Results that are too long for a model: previewed, kept, and read back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.core.events import ToolResult
from runtime.core.json import JsonObject, JsonValue, dumps, json_safe, loads_object, table_of
from runtime.core.messages import ToolCall
from runtime.paths import Home
from runtime.redact import MASK, Redactor
from runtime.tools.definition import AnyTool, Meta, ToolContext, ToolDefinition, ToolOutcome
from runtime.tools.offload import OFFLOAD_OVER, PAGE, ResultStore
from runtime.workspace import Workspace
from tests.support.desks import TestTexts, open_desk
from tests.support.executors import a_call, bench
from tests.support.tools import EchoArgs
from tests.support.turns import of


@dataclass(frozen=True, slots=True, kw_only=True)
class Long:
    """A tool that answers with what a test gives it."""

    data: JsonObject
    paged: bool = False
    decisive: tuple[str, ...] = ()

    async def run(self, _context: ToolContext, _args: EchoArgs) -> ToolOutcome:
        return ToolOutcome(data=self.data, summary="long", meta=Meta(source="here"))

    def definition(self) -> AnyTool:
        return ToolDefinition(name="long", args=EchoArgs, run=self.run, paged=self.paged, decisive=self.decisive)


@pytest.fixture
async def desk(home: Home) -> AsyncIterator[Workspace]:
    async with open_desk(home) as opened:
        yield opened


def rows(count: int) -> list[JsonValue]:
    return [{"symbol": f"{number:06d}.SZ", "name": f"股票{number}", "score": number} for number in range(count)]


async def result_of(desk: Workspace, tool: Long) -> tuple[ToolResult, JsonObject]:
    """The event of a call, and what the model reads."""
    table = bench(desk, tool.definition())
    (result,) = await table.run(a_call("long"))
    return of(table.events, ToolResult)[0], loads_object(result.message().content)


async def test_a_short_result_reaches_the_model_as_it_is(desk: Workspace) -> None:
    event, read = await result_of(desk, Long(data={"matches": rows(3)}))
    assert event.offloaded_ref is None
    assert read == event.result
    assert not desk.base.home.tool_results.exists()


async def test_a_long_result_is_previewed_and_says_what_it_leaves_out(desk: Workspace) -> None:
    event, read = await result_of(desk, Long(data={"total": 900, "matches": rows(900), "appendix": "x" * 3000}))
    assert len(dumps(read)) < OFFLOAD_OVER / 2
    assert read["result_ref"] == event.offloaded_ref
    assert read["ok"] is True
    assert table_of(read["meta"])["source"] == "here"
    kept = table_of(read["data"])["matches"]
    assert isinstance(kept, list)
    assert table_of(read["omitted"])["matches"] == 900 - len(kept)
    assert str(event.offloaded_ref) in str(read["note"])
    assert table_of(event.result["data"])["matches"] == rows(900)  # the person sees the whole


async def test_fields_that_the_tool_names_are_kept_before_all_others(desk: Workspace) -> None:
    plenty: JsonObject = {f"field{number}": "y" * 250 for number in range(60)}
    _, read = await result_of(desk, Long(data=plenty | {"regime": "谨慎"}, decisive=("regime",)))
    assert table_of(read["data"])["regime"] == "谨慎"


async def test_pages_are_never_offloaded(desk: Workspace) -> None:
    event, read = await result_of(desk, Long(data={"content": "字" * 9_500}, paged=True))
    assert event.offloaded_ref is None
    assert table_of(read["data"])["content"] == "字" * 9_500


async def test_the_model_reads_the_rest_back_page_by_page(desk: Workspace) -> None:
    event, _ = await result_of(desk, Long(data={"matches": rows(900)}))
    text = ""
    for number in range(1, 100):
        page = await read_back(desk, {"result_ref": event.offloaded_ref, "page": number})
        text += str(page["content"])
        if number == page["pages"]:
            break
    assert loads_object(text) == {"matches": rows(900)}


async def test_the_model_finds_one_entry_of_a_long_result(desk: Workspace) -> None:
    event, _ = await result_of(desk, Long(data={"matches": rows(900)}))
    page = await read_back(desk, {"result_ref": event.offloaded_ref, "query": "000777.SZ"})
    assert page["matches"] == [rows(900)[777]]


async def test_what_is_kept_holds_no_secret_and_is_private(desk: Workspace) -> None:
    event, _ = await result_of(desk, Long(data={"notes": "key sk-abcdefgh12345678 " * 500}))
    (path,) = desk.base.home.tool_results.rglob("*.json")
    assert "sk-abcdefgh" not in path.read_text("utf-8")
    assert MASK in path.read_text("utf-8")
    assert path.stat().st_mode & 0o077 == 0
    assert event.offloaded_ref is not None


@pytest.mark.parametrize(
    "reference",
    ["result://c1/../../desk_0123456789ab", "result://c1/nothing_0123456789ab", "archive://c1/x", "/etc/passwd"],
)
async def test_a_reference_leads_nowhere_but_to_kept_results(desk: Workspace, reference: str) -> None:
    tool = desk.registry.get("query_history")
    assert tool is not None
    (result,) = await bench(desk, tool).run(ToolCall(id="1", name="query_history", args={"result_ref": reference}))
    assert result.error is not None
    assert result.error.code == "no_result"


async def test_a_disk_that_takes_nothing_costs_no_result(desk: Workspace) -> None:
    desk.base.home.tool_results.write_text("in the way", "utf-8")
    event, read = await result_of(desk, Long(data={"matches": rows(900)}))
    assert event.offloaded_ref is None
    assert table_of(read["data"])["matches"] == rows(900)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=400),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=12), inner, max_size=12),
    max_leaves=60,
)


@settings(max_examples=60, deadline=None)
@given(data=st.dictionaries(st.text(max_size=12), values, max_size=20))
def test_a_preview_of_anything_is_bounded_json(tmp_path_factory: pytest.TempPathFactory, data: JsonObject) -> None:
    store = ResultStore(Home(root=tmp_path_factory.mktemp("home")), Redactor(), TestTexts())
    kept = store.keep(Long(data={}).definition(), {"ok": True, "data": json_safe(data), "error": None, "meta": {}}, "c")
    assert kept is not None
    preview = loads_object(dumps(kept.preview))
    assert len(dumps(preview["data"])) <= PAGE
    page = store.page(kept.reference, 1)
    assert page.pages >= 1


async def read_back(desk: Workspace, args: JsonObject) -> JsonObject:
    """What `query_history` gives the model."""
    tool = desk.registry.get("query_history")
    assert tool is not None
    (result,) = await bench(desk, tool).run(ToolCall(id="1", name="query_history", args=args))
    assert result.error is None, result.error
    return table_of(loads_object(result.message().content)["data"])
