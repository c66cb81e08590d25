"""The parts of compaction: budget, tail, anchors, shrinking, serialising, and what a record looks like to a model."""

from __future__ import annotations

from typing import cast

import pytest

from runtime.agent.compaction.anchors import anchored, demands, files_in, score
from runtime.agent.compaction.budget import ContextBudget, TokenMeter, reserve_tokens
from runtime.agent.compaction.rebuild import smaller, stand_ins
from runtime.agent.compaction.serialise import serialised
from runtime.agent.compaction.shrink import SHRUNK_LENGTH, shrunk
from runtime.agent.compaction.tail import aligned, tail_start
from runtime.core.compaction import CompactionRecord
from runtime.core.json import JsonObject, loads, loads_object
from runtime.core.messages import Message, ToolMessage, UserMessage
from runtime.core.symbols import Instrument, Resolution
from runtime.providers.base import ModelRequest
from runtime.texts import Texts
from tests.support.cases import Case, cases_of, needs_cases
from tests.support.long_talks import answered, nothing_named, observed, result, said

FILLER = "缩量回踩，等待放量确认。" * 30


@needs_cases
@pytest.mark.parametrize("case", cases_of("compaction.reserve"), ids=lambda case: case.id)
def test_reserve_threshold_and_recent_part_follow_the_observed_ones(case: Case) -> None:
    window = cast("int", case.input["context_window"])
    budget = ContextBudget(window=window)
    assert {"reserve": reserve_tokens(window), "threshold": budget.limit, "recent_keep": budget.recent} == case.expected


@pytest.mark.parametrize("window", [2_000, 8_000, 32_000, 64_000, 128_000, 200_000, 1_000_000])
@pytest.mark.parametrize("fixed", [0, 900, 6_000, 40_000])
def test_a_budget_counts_prompt_and_tools_and_always_leaves_room(window: int, fixed: int) -> None:
    budget = ContextBudget(window=window, fixed=fixed)
    assert 0 < budget.recent <= budget.limit // 2
    assert budget.limit <= budget.hard_limit
    if budget.limit > window // 8:
        assert budget.limit + fixed + reserve_tokens(window) == window


def tail_of_case(case: Case) -> int:
    given = case.input["messages"]
    if isinstance(given, str):
        messages: list[Message] = [
            said(f"m{at} " + "x" * 400) if at % 2 == 0 else answered(f"m{at} " + "x" * 400) for at in range(12)
        ]
    else:
        messages = observed(cast("list[JsonObject]", given))
    keep = cast("int", case.input["keep_recent_tokens"])
    return tail_start(messages, TokenMeter().sizes(messages, ""), keep=keep, limit=1e9)


@needs_cases
@pytest.mark.parametrize("case", cases_of("compaction.tail"), ids=lambda case: case.id)
def test_the_recent_part_begins_where_it_was_observed_to(case: Case) -> None:
    assert tail_of_case(case) == case.expected


@needs_cases
@pytest.mark.parametrize("case", cases_of("compaction.expand_tail"), ids=lambda case: case.id)
def test_a_result_brings_its_call_along(case: Case) -> None:
    messages = observed(cast("list[JsonObject]", case.input["messages"]))
    assert aligned(messages, cast("int", case.input["tail_start"])) == case.expected


def test_a_round_that_would_not_fit_goes_to_the_old_part_as_a_whole() -> None:
    messages: list[Message] = [said("问"), answered("", ("a", "t")), result("a", "大"), said("再问"), answered("好")]
    assert tail_start(messages, [1, 1, 90, 1, 1], keep=5, limit=50) == 3


def test_the_last_round_stays_however_large_it_is() -> None:
    messages: list[Message] = [said("问"), answered("好"), said("再问"), answered("", ("a", "t")), result("a", "大")]
    assert tail_start(messages, [1, 1, 1, 1, 900], keep=5, limit=50) == 3


@needs_cases
@pytest.mark.parametrize("case", cases_of("compaction.anchor_score"), ids=lambda case: case.id)
def test_weights_of_messages_follow_the_observed_ones(case: Case) -> None:
    message = observed([cast("JsonObject", case.input["message"])])[0]
    assert score(message, cast("int", case.input["index"]), cast("int", case.input["total"])) == case.expected


def test_an_error_weighs_more_than_a_result() -> None:
    assert score(result("a", "无", ok=False), 0, 1) > score(result("a", "无"), 0, 1)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "帮我看看云溪股份。止损放在 12.30，跌破必须走！仓位不要超过三成。",
            ["止损放在 12.30，跌破必须走！", "仓位不要超过三成。"],
        ),
        ("这只股票怎么样？", []),
        ("能不能买，要不要止损？", []),
        ("不要再推荐创业板，好吗？", ["不要再推荐创业板，好吗？"]),
        ("只看主板\n今天大盘如何", ["只看主板"]),
        ("Never buy above 15. What about the index?", ["Never buy above 15."]),
        ("好的", []),
    ],
)
def test_demands_are_found_and_questions_are_none(text: str, found: list[str]) -> None:
    assert list(demands(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("请看 reports/2026/review.md 和 plan.csv", ["reports/2026/review.md", "plan.csv"]),
        ("在 ~/work/回测/结果.csv 里", ["~/work/回测/结果.csv"]),
        (r"C:\Users\me\data.xlsx", [r"C:\Users\me\data.xlsx"]),
        ("见 https://example.cn/a/b.html", []),
        ("收盘 12.30，涨 3.5%", []),
    ],
)
def test_files_are_found_and_addresses_are_none(text: str, found: list[str]) -> None:
    assert list(files_in(text)) == found


def resolve(text: str) -> Resolution:
    known = (Instrument(symbol="608101.SIM", name="云溪股份"), Instrument(symbol="608102.SIM", name="平湖科技"))
    return Resolution(instruments=tuple(item for item in known if item.name in text or item.symbol in text))


def test_what_an_earlier_compaction_kept_is_carried_on() -> None:
    first = anchored(None, [said("云溪股份止损必须设在 12.30。看 a/plan.md")], resolve)
    second = anchored(first, [answered("读了 608102.SIM"), said("只做右侧。")], resolve)
    assert second.constraints == ("云溪股份止损必须设在 12.30。", "只做右侧。")
    assert second.stocks == ("云溪股份 608101.SIM", "平湖科技 608102.SIM")
    assert second.files == ("a/plan.md",)
    assert second.covered == 3


def test_the_question_is_kept_when_no_recent_message_asks_one() -> None:
    head = [said("平湖科技怎么看？")]
    assert anchored(None, head, resolve, [answered("", ("a", "t")), result("a", "x")]).question == "平湖科技怎么看？"
    assert anchored(None, head, resolve, [said("那大盘呢")]).question == ""


def test_codes_in_long_lists_of_a_tool_are_not_taken_for_talk() -> None:
    listed = result("a", {"matches": [{"symbol": f"{600000 + at}.SH"} for at in range(80)]})
    assert anchored(None, [said("筛选"), listed], nothing_named).stocks == ()


def analysis() -> JsonObject:
    bars = [{"date": f"2026-06-{day:02d}", "close": 12.3, "volume": 123_456_789, "amount": 1e9} for day in range(1, 31)]
    return {
        "ok": True,
        "data": {
            "symbol": "608101.SIM",
            "name": "云溪股份",
            "note": "长" * 900,
            "phase": {"phase": "C", "structure": "accumulation"},
            "last": {"date": "2026-06-30", "close": 12.3},
            "levels": [{"kind": "support", "price": 11.8}],
            "bars": cast("list[JsonObject]", bars),  # type: ignore[dict-item]
        },
        "error": None,
        "meta": {"source": "sample", "as_of": "2026-06-30", "stale": False},
    }


def test_a_shrunk_result_is_json_with_what_was_decided_on() -> None:
    message = result("a", analysis())
    before = message.content
    kept = loads_object(shrunk(message))
    assert len(shrunk(message)) <= SHRUNK_LENGTH
    assert {"symbol", "name", "phase", "levels", "source", "as_of", "ok"} <= set(kept)
    assert kept["phase"] == {"phase": "C", "structure": "accumulation"}
    assert message.content == before


def test_of_a_list_of_bars_the_newest_stay() -> None:
    kept = loads_object(shrunk(result("a", {"ok": True, "data": {"symbol": "608101.SIM", "bars": [
        {"date": f"2026-06-{day:02d}", "close": float(day)} for day in range(1, 31)
    ]}})))  # fmt: skip
    assert cast("list[JsonObject]", kept["bars"])[-1]["date"] == "2026-06-30"


@needs_cases
@pytest.mark.parametrize("case", cases_of("compaction.summarize_tool"), ids=lambda case: case.id)
def test_observed_results_keep_their_deciding_fields(case: Case) -> None:
    content = case.input["content"]
    if isinstance(content, str) and content.startswith("{"):
        kept = loads_object(shrunk(result("a", content)))
        expected = (
            loads_object(str(case.expected)) if isinstance(case.expected, str) else cast("JsonObject", case.expected)
        )
        assert {name: kept.get(name) for name in expected} == expected
    else:
        short = shrunk(result("a", "z" * 900))
        assert {"len": len(short), "tail": short[-1]} == case.expected


@needs_cases
@pytest.mark.parametrize("case", cases_of("compaction.serialize"), ids=lambda case: case.id)
def test_messages_are_told_line_by_line(case: Case) -> None:
    assert serialised(observed(cast("list[JsonObject]", case.input["messages"])), 10_000) == case.expected


@needs_cases
@pytest.mark.parametrize("case", cases_of("compaction.estimate_tokens"), ids=lambda case: case.id)
def test_no_messages_take_no_tokens(case: Case) -> None:
    messages = observed(cast("list[JsonObject]", case.input["messages"]))
    assert sum(TokenMeter().sizes(messages, "")) <= 5 * len(messages) == 5 * len(messages) + cast("int", case.expected)


def test_where_there_is_too_much_the_oldest_lines_are_left_out() -> None:
    text = serialised([said(f"第 {at} 条" + FILLER) for at in range(40)], 2_000)
    assert text.startswith("[…]")
    assert "第 39 条" in text
    assert "第 0 条" not in text


def test_a_record_is_told_as_data_and_not_as_words_of_the_person() -> None:
    record = CompactionRecord(covered=12, summary="摘要", constraints=("只做右侧。",), archives=("archive://c/ctx_1",))
    first, second = stand_ins(record, Texts())
    assert isinstance(first, UserMessage)
    assert first.text == ""
    for piece in ("不是用户说的话", "12", "摘要", "只做右侧。", "archive://c/ctx_1"):
        assert piece in first.context
    assert not isinstance(second, UserMessage | ToolMessage)


def test_a_record_gives_up_fragments_before_demands() -> None:
    record: CompactionRecord | None = CompactionRecord(covered=1, constraints=("a", "b"), fragments=("f",))
    seen = []
    while record is not None:
        seen.append((len(record.fragments), len(record.constraints)))
        record = smaller(record)
    assert seen == [(1, 2), (0, 2), (0, 1), (0, 0)]


def test_estimates_follow_what_the_server_counts_within_bounds() -> None:
    meter = TokenMeter()
    request = ModelRequest(system="", messages=(said(FILLER * 20),))
    estimated = meter.request(request, "m")
    plain = meter.factor("m")
    meter.learn("m", estimated, int(estimated * 1.3))
    assert meter.factor("m") == pytest.approx(plain * 1.3, rel=0.01)
    meter.learn("m", estimated, estimated * 50)
    assert meter.factor("m") == pytest.approx(plain * 2)
    meter.learn("m", estimated, 1)
    assert meter.factor("m") == pytest.approx(plain * 0.7)
    assert meter.factor("another") == plain


def test_small_requests_and_silent_servers_teach_nothing() -> None:
    meter = TokenMeter()
    meter.learn("m", 10, 900)
    meter.learn("m", 5_000, 0)
    assert meter.factor("m") == TokenMeter().factor("m")


def test_shrinking_leaves_no_cut_json_at_any_length() -> None:
    message = result("a", analysis())
    for length in range(40, 800, 37):
        loads(shrunk(message, length))
