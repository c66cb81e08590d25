"""Every figure of an answer is looked for in what the tools returned and what the person said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.agent.guards.figures import figures_in
from runtime.agent.guards.grounding import Grounding, grounded, sources_of
from runtime.core.json import JsonObject
from runtime.paths import Home
from tests.support.desks import done, open_desk, run_turn
from tests.support.scripted import ScriptedProvider, call, calls, say

RESULT: JsonObject = {
    "symbol": "600519.SH",
    "close": 1688.88,
    "change_pct": -0.0123,
    "turnover": 4_567_000_000,
    "volume": 2_700_400,
    "stop": 1600.5,
    "as_of": "2026-06-30",
    "bars": [{"close": 1500.0 + day} for day in range(40)],
}


def checked(answer: str, *said: str) -> Grounding:
    return grounded(answer, sources_of([RESULT], said))


def missing(answer: str, *said: str) -> list[str]:
    return [figure.text for figure in checked(answer, *said).unmatched]


@pytest.mark.parametrize(
    "answer",
    [
        "收盘 1688.88 元",
        "收盘约 1,688.9 元",
        "收盘 1689 元",
        "跌 1.23%",
        "下跌 1.2 %，成交额 45.67 亿元",
        "成交额 456,700 万",
        "成交 27004 手，合 270.04 万股",
        "截至 2026-06-30",
        "6月30日收盘",
        "06-30 的收盘",
        "止损 1600.50",
        "十天前收在 1525 元",
    ],
)
def test_a_source_that_rounds_to_the_figure_grounds_it(answer: str) -> None:
    assert missing(answer) == []
    assert checked(answer).checked > 0


@pytest.mark.parametrize(
    ("answer", "figures"),
    [
        ("收盘 1699.10 元", ["1699.10 元"]),
        ("收盘 1688.9，目标 2000 元", ["2000 元"]),
        ("涨 12.3%", ["12.3%"]),
        ("6月29日", ["6月29日"]),
        ("2025-06-30", ["2025-06-30"]),
        ("成交额 46 亿", []),
        ("成交额 47 亿", ["47 亿"]),
    ],
)
def test_a_figure_without_a_source_is_marked(answer: str, figures: list[str]) -> None:
    assert missing(answer) == figures


def test_what_the_person_said_is_a_source() -> None:
    assert missing("你有 20 万元，成本 1500.5 元", "我有20万，成本1500.5") == []
    assert missing("你有 30 万元", "我有20万") == ["30 万元"]


@pytest.mark.parametrize("answer", ["离止损 88.38 元", "离止损 5.23%", "风险 5.2%", "收盘与止损之和 3289.38 元"])
def test_what_is_worked_out_from_two_sources_is_derived(answer: str) -> None:
    found = checked(answer)
    assert (found.unmatched, found.derived) == ((), 1)


@pytest.mark.parametrize(
    "answer",
    [
        "看 MA20 和 MA60，RSI14，T+1",
        "最近 20 日、3 个月、120 根日线",
        "2026 年第 3 季度，14:30",
        "1. 先看量\n2. 再看价\n（3）等",
        "贵州茅台 600519.SH 和 000858",
        "可以说“我持有 1000 股 成本 12.3”",
        "5 只股票，第 2 只",
    ],
)
def test_what_is_no_figure(answer: str) -> None:
    assert figures_in(answer) == ()


def test_spans_point_into_the_answer() -> None:
    answer = "收盘 1688.88 元，目标 2000 元。"
    [figure] = checked(answer).unmatched
    assert answer[figure.start : figure.end].strip() == figure.text == "2000 元"


@given(st.text(max_size=200))
def test_any_text_can_be_checked(text: str) -> None:
    found = checked(text, text)
    assert found.checked == found.matched + found.derived + len(found.unmatched)
    assert all(0 <= figure.start < figure.end <= len(text) for figure in found.unmatched)


async def test_the_answer_of_the_built_in_analyst_is_grounded(home: Home) -> None:
    async with open_desk(home) as desk:
        end = done(await run_turn(desk, "云溪股份现在适合买吗"))
    assert isinstance(end.grounding, dict)
    assert end.grounding["unmatched"] == []
    assert int(str(end.grounding["checked"])) > 10


async def test_an_invented_price_is_in_the_last_event(home: Home) -> None:
    provider = ScriptedProvider(calls(call("analyze_stock", {"symbol": "608101.SIM"})), say("它收在 99.99 元"))
    async with open_desk(home, provider) as desk:
        end = done(await run_turn(desk, "云溪股份走势"))
    assert isinstance(end.grounding, dict)
    assert end.grounding["unmatched"] == [{"span": [4, 11], "text": "99.99 元"}]


async def test_small_talk_is_not_checked(home: Home) -> None:
    async with open_desk(home, ScriptedProvider(say("一般止损放在 3% 到 8%"))) as desk:
        assert done(await run_turn(desk, "什么是止损")).grounding is None
