"""`wyckoff ask`: one question on the sample market, for a program and for a person."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.terminal import Ended, Terminal, the_one_terminal

QUESTION = "云溪股份现在适合买吗？"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The same question as NDJSON and as text, and the engine's own reading."""

    program: Ended
    person: Ended
    engine: Ended


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Answered:
    folder = tmp_path_factory.mktemp("ask")
    terminal = Terminal(home=folder / "home", folder=folder)
    program, person, engine = terminal.together(
        ("ask", QUESTION, "--json"), ("ask", QUESTION), ("analyze", "云溪股份", "--json")
    )
    return Answered(program=program, person=person, engine=engine)


def test_the_stream_is_numbered_without_gaps_and_ends_with_its_only_terminal_event(answered: Answered) -> None:
    events = answered.program.events
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert the_one_terminal(events)["kind"] == "done"
    assert answered.program.code == 0
    assert answered.program.err == ""


def test_the_answer_rests_on_results_of_tools(answered: Answered) -> None:
    results = [event for event in answered.program.events if event["kind"] == "tool_result" and event["ok"]]
    assert len(results) >= 2
    assert {"analyze_stock", "get_market_overview"} <= {str(event["name"]) for event in results}


def test_the_verdict_has_exactly_the_levels_of_the_engine(answered: Answered) -> None:
    [verdict] = [event["verdict"] for event in answered.program.events if event["kind"] == "verdict"]
    assert isinstance(verdict, dict)
    levels = verdict["levels"]
    reading = answered.engine.data
    assert isinstance(levels, dict)
    assert isinstance(reading["stop"], dict)
    assert isinstance(reading["phase"], dict)
    assert levels["stop"] == reading["stop"]["price"]
    assert levels["invalidation"] == reading["phase"]["invalidation_price"]
    assert levels["stop"] is not None
    assert levels["invalidation"] is not None


def test_the_verdict_names_events_of_the_engine_with_their_days(answered: Answered) -> None:
    [verdict] = [event["verdict"] for event in answered.program.events if event["kind"] == "verdict"]
    events = answered.engine.data["events"]
    assert isinstance(verdict, dict)
    assert isinstance(events, list)
    known = {f"{event['kind']} {event['date']}" for event in events if isinstance(event, dict)}
    assert isinstance(verdict["evidence"], list)
    assert verdict["evidence"]
    assert set(verdict["evidence"]) <= known


def test_nothing_in_the_answer_is_without_ground(answered: Answered) -> None:
    grounding = answered.program.events[-1]["grounding"]
    assert isinstance(grounding, dict)
    assert int(str(grounding["checked"])) > 10
    assert grounding["unmatched"] == []


def test_deltas_join_to_the_text_of_the_last_event(answered: Answered) -> None:
    deltas = [str(event["text"]) for event in answered.program.events if event["kind"] == "text_delta"]
    assert len(deltas) > 10
    assert "".join(deltas) == answered.program.events[-1]["text"]


def test_a_person_gets_the_answer_on_standard_output_and_everything_else_on_standard_error(answered: Answered) -> None:
    assert answered.person.code == 0
    assert answered.person.out == f"{answered.program.events[-1]['text']}\n"
    for aside in ("▸ 个股分析 608101.SIM", "✓ 云溪股份", "◆ 云溪股份：等待 · 止损", "轮工具"):
        assert aside in answered.person.err
        assert aside not in answered.person.out


def test_the_engine_reports_where_its_figures_come_from(answered: Answered) -> None:
    meta = answered.engine.json["meta"]
    assert isinstance(meta, dict)
    assert (meta["name"], meta["as_of"], meta["sample"]) == ("云溪股份", "2026-06-30", True)
    assert {"symbol", "range", "phase", "events", "levels", "stop", "as_of"} <= set(answered.engine.data)


def test_a_follow_up_to_nothing_is_about_no_stock(terminal: Terminal) -> None:
    follow_up = terminal.run("ask", "那止损放哪里？", "--conversation", "other", "--json")
    assert follow_up.events[0]["symbols"] == []
    assert follow_up.code == 0


def test_wrong_use_is_exit_code_2_with_a_reason(terminal: Terminal) -> None:
    for ended in terminal.together(("ask", "", "--json"), ("ask", "云溪股份", "--approve", "perhaps"), ("ask",)):
        assert ended.code == 2
        assert ended.err.strip()
        assert ended.out == ""


def test_an_ambiguous_name_lists_its_candidates_and_runs_no_tool(terminal: Terminal) -> None:
    ended = terminal.run("ask", "兴业怎么样", "--json")
    text = str(the_one_terminal(ended.events)["text"])
    for candidate in ("兴业银行 601166.SH", "兴业证券 601377.SH"):
        assert candidate in text
    assert not [event for event in ended.events if event["kind"] == "tool_start"]


def test_an_unknown_code_is_named_as_unknown(terminal: Terminal) -> None:
    ended = terminal.run("ask", "688999怎么样")
    assert "不认识代码 688999" in ended.out


def test_a_real_stock_without_bars_says_how_to_import_them(terminal: Terminal) -> None:
    asked, analyzed = terminal.together(("ask", "贵州茅台怎么样"), ("analyze", "600519", "--json"))
    assert "wyckoff market import" in asked.out
    assert "5.83" not in asked.out
    assert analyzed.code == 1
    assert "wyckoff market import" in analyzed.message


def test_an_unknown_name_in_analyze_is_exit_code_1(terminal: Terminal) -> None:
    ended = terminal.run("analyze", "不存在股份")
    assert ended.code == 1
    assert "不认识“不存在股份”" in ended.err
    assert ended.out == ""


def test_the_home_of_the_option_wins_over_the_environment(terminal: Terminal, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    ended = terminal.run("--home", str(elsewhere), "ask", "大盘怎么样")
    assert ended.code == 0
    assert {"desk.db", "scratchpad", "locks"} <= {path.name for path in elsewhere.iterdir()}
    assert not terminal.home.exists()
