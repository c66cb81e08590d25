"""The stocks of a turn: what a question allows, and what a call for another one is answered."""

from __future__ import annotations

import pytest

from runtime.core.events import ToolFailed, ToolResult
from runtime.core.json import loads_object
from runtime.core.messages import ToolMessage
from runtime.core.symbols import Instrument
from runtime.paths import Home
from runtime.tools.scope import StockScope, scope_of
from runtime.workspace import Workspace
from tests.support.desks import open_desk, run_turn
from tests.support.scripted import ScriptedProvider, call, calls, say
from tests.support.turns import error_code, of

MOUTAI = Instrument(symbol="600519.SH", name="贵州茅台")
BEFORE = (MOUTAI,)


def scoped(desk: Workspace, text: str, before: tuple[Instrument, ...] = BEFORE) -> StockScope | None:
    named = desk.market.directory.resolve(text)
    if not named.instruments and before:
        named = type(named)(instruments=before, inherited=True)
    return scope_of(text, named, before)


@pytest.mark.parametrize(
    ("text", "mode", "expected", "allowed"),
    [
        ("如果不考虑 TTM 呢", "maintain", "600519.SH", {"600519.SH"}),
        ("看看 MA 怎么排列", "maintain", "600519.SH", {"600519.SH"}),
        ("看看 CPO 板块", "maintain", "600519.SH", {"600519.SH"}),
        ("分析 AI 概念", "maintain", "600519.SH", {"600519.SH"}),
        ("我有50000元，能买多少", "maintain", "600519.SH", {"600519.SH"}),
        ("换成五粮液看看", "switch", "000858.SZ", {"000858.SZ"}),
        ("换成 000858 看看，不考虑 600519", "switch", "000858.SZ", {"000858.SZ"}),
        ("比较 600519 和 000858", "compare", "600519.SH", {"600519.SH", "000858.SZ"}),
        ("和五粮液比呢", "compare", "600519.SH", {"600519.SH", "000858.SZ"}),
        ("贵州茅台现在呢", "maintain", "600519.SH", {"600519.SH"}),
    ],
)
async def test_modes(home: Home, text: str, mode: str, expected: str, allowed: set[str]) -> None:
    async with open_desk(home) as desk:
        scope = scoped(desk, text)
    assert scope is not None
    assert (scope.mode, scope.expected, set(scope.allowed)) == (mode, expected, allowed)


@pytest.mark.parametrize("text", ["那如果跌破 MA20 呢", "什么是弹簧", "我有50000元，能买多少"])
async def test_nothing_named_nothing_guarded(home: Home, text: str) -> None:
    async with open_desk(home) as desk:
        assert scoped(desk, text, ()) is None


async def turn(home: Home, question: str, *symbols: str) -> tuple[list[str | None], list[str]]:
    """Error codes of the calls in order, and what the model read of them."""
    asked = [call("analyze_stock", {"symbol": symbol}) for symbol in symbols]
    provider = ScriptedProvider(calls(*asked), say("好"), say("好"))
    async with open_desk(home, provider) as desk:
        events = await run_turn(desk, question)
    read = [message.content for message in provider.requests[1].messages if isinstance(message, ToolMessage)]
    assert len(of(events, ToolFailed)) + len(of(events, ToolResult)) == len(symbols)
    return [error_code(loads_object(content)) if not loads_object(content)["ok"] else None for content in read], read


async def test_a_call_for_another_stock_is_refused_with_what_is_allowed(home: Home) -> None:
    codes, read = await turn(home, "云溪股份怎么走", "云溪股份", "009102")
    assert codes == [None, "stock_scope_violation"]
    error = loads_object(read[1])["error"]
    assert isinstance(error, dict)
    assert error["retriable"] is False
    assert error["details"] == {
        "expected": "608101.SIM",
        "requested": "009102.SIM",
        "allowed": ["608101.SIM"],
        "retriable": False,
    }


@pytest.mark.parametrize("symbol", ["608101", "608101.SIM", "sim608101", "云溪股份", "云溪"])
async def test_every_way_to_write_the_stock_is_the_stock(home: Home, symbol: str) -> None:
    codes, _ = await turn(home, "云溪股份怎么走", symbol)
    assert "stock_scope_violation" not in codes


async def test_stocks_that_a_search_for_peers_found_are_inside(home: Home) -> None:
    provider = ScriptedProvider(
        calls(call("search_stock_by_name", {"keyword": "009102"})),
        calls(call("analyze_stock", {"symbol": "009102"})),
        say("好"),
        say("好"),
    )
    async with open_desk(home, provider) as desk:
        events = await run_turn(desk, "云溪股份的同行里哪些更强")
    assert of(events, ToolFailed) == []


async def test_what_was_read_is_not_read_twice_in_a_turn(home: Home) -> None:
    twice = [calls(call("analyze_stock", {"symbol": "云溪股份"})) for _ in range(2)]
    provider = ScriptedProvider(*twice, say("好"), say("好"))
    async with open_desk(home, provider) as desk:
        events = await run_turn(desk, "云溪股份怎么走")
    assert [event.cached for event in of(events, ToolResult)] == [False, True]
