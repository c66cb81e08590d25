"""Approvals at a terminal: what is shown, what each key does, and that nothing is the default."""

from __future__ import annotations

import sys

import pytest

from runtime.core.json import JsonObject, loads_object
from tests.support.person import Person
from tests.support.terminal import BUY, Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

PREPARED = 2  # entries of the prepared ledger
PROMPT = "n 拒绝 ›"


def written(desk: Terminal) -> list[object]:
    """The shares of the buys beyond the prepared entries."""
    return [row["shares"] for row in desk.ledger()[PREPARED:]]


def log(desk: Terminal) -> list[JsonObject]:
    return desk.rows("SELECT * FROM approval_log ORDER BY id")


def change_shares(person: Person, shares: str) -> None:
    """Answer the questions for each argument: another number of shares, the rest as it is."""
    person.types("e")
    for name in ("side", "symbol", "shares", "price"):
        person.sees(f"{name} [")
        person.sees("›")
        person.types(shares if name == "shares" else "")


def test_the_preview_shows_position_and_cash_before_and_after_with_fees(desk: Terminal) -> None:
    with desk.person("ask", BUY) as person:
        shown = person.sees(PROMPT)
    for text in (
        "买入 云溪股份（608101.SIM）1000 股，价格 7.70 元",
        "1,000 → 2,000",
        "7.10 → 7.40",
        "7,750.00 → 15,500.00",
        "现金 200,000.00 → 192,294.92 元",
        "费用 5.08 元（佣金 5.00，印花税 0.00，过户费 0.08）",
        "风险：低",
    ):
        assert text in shown


def test_y_allows_once(desk: Terminal) -> None:
    with desk.person("ask", BUY) as person:
        person.sees(PROMPT)
        person.types("y")
        assert person.ends() == 0
        assert "已允许（你）" in person.screen
        assert "已登记" in person.screen
    assert written(desk) == [1000]
    [entry] = log(desk)
    assert (entry["choice"], entry["decided_by"]) == ("allow", "person")
    assert desk.rows("SELECT * FROM approval_rule") == []


def test_a_allows_this_stock_for_this_conversation_and_no_other(desk: Terminal) -> None:
    with desk.person("ask", BUY, "--conversation", "one") as person:
        person.sees(PROMPT)
        person.types("a")
        assert person.ends() == 0
    [rule] = desk.rows("SELECT * FROM approval_rule")
    assert (rule["conversation_id"], rule["tool"], rule["effect"]) == ("one", "record_trade_fill", "allow")
    with desk.person("ask", BUY, "--conversation", "one") as person:
        assert person.ends() == 0
        assert PROMPT not in person.screen
    assert written(desk) == [1000, 1000]
    with desk.person("ask", BUY, "--conversation", "two") as person:
        person.sees(PROMPT)
    assert written(desk) == [1000, 1000]


def test_always_is_not_offered_for_a_sale(desk: Terminal) -> None:
    with desk.person("ask", "卖出 100 股 云溪股份 价格 7.7 元") as person:
        shown = person.sees(PROMPT)
        assert "a 本对话始终允许" not in shown
        person.types("a")
        person.sees("没有默认选项")
    assert written(desk) == []


def test_e_changes_the_shares_and_shows_the_preview_again_before_anything_is_written(desk: Terminal) -> None:
    with desk.person("ask", BUY) as person:
        person.sees(PROMPT)
        change_shares(person, "500")
        shown = person.sees(PROMPT)
        assert "1,000 → 1,500" in shown
        assert "200,000.00 → 196,144.96 元" in shown
        assert written(desk) == []
        person.types("y")
        assert person.ends() == 0
    assert written(desk) == [500]
    [entry] = log(desk)
    before, after = loads_object(str(entry["args_before"])), loads_object(str(entry["args_after"]))
    assert entry["choice"] == "modify"
    assert (before["shares"], after["shares"]) == (1000, 500)
    assert before["symbol"] == after["symbol"] == "608101.SIM"


def test_a_change_that_cannot_be_is_refused_with_its_reason_and_changes_nothing(desk: Terminal) -> None:
    with desk.person("ask", BUY) as person:
        person.sees(PROMPT)
        change_shares(person, "150")
        assert "150 股不符合" in person.sees(PROMPT)
        person.types("y")
        assert person.ends() == 0
    assert written(desk) == [1000]


def test_n_denies_with_a_reason(desk: Terminal) -> None:
    with desk.person("ask", BUY) as person:
        person.sees(PROMPT)
        person.types("n")
        person.sees("理由")
        person.types("太贵了")
        assert person.ends() == 0
        assert "太贵了" in person.screen
    assert written(desk) == []
    [entry] = log(desk)
    assert (entry["choice"], entry["reason"]) == ("deny", "太贵了")


def test_an_empty_line_asks_again(desk: Terminal) -> None:
    with desk.person("ask", BUY) as person:
        person.sees(PROMPT)
        person.types("")
        person.sees("没有默认选项")
        person.sees(PROMPT)
        assert written(desk) == []
        assert log(desk) == []


def test_the_end_of_input_is_no_answer(desk: Terminal) -> None:
    with desk.person("ask", BUY) as person:
        person.sees(PROMPT)
        person.presses_control("d")
        assert person.ends() == 0
        assert "没有得到回答" in person.screen
    assert written(desk) == []
    assert [entry["choice"] for entry in log(desk)] == ["unanswered"]


def test_closing_the_terminal_writes_nothing(desk: Terminal) -> None:
    with desk.person("ask", BUY, "--conversation", "c") as person:
        person.sees(PROMPT)
        person.closes_the_terminal()
    assert written(desk) == []
    again = desk.run("ask", "你好", "--conversation", "c")
    assert again.code == 0
    assert written(desk) == []


def test_a_portfolio_command_asks_and_only_yes_writes(desk: Terminal) -> None:
    with desk.person("portfolio", "set-cash", "5") as person:
        person.sees("写入吗")
        person.types("")
        assert person.ends() == 1
    assert written(desk) == []
    with desk.person("portfolio", "set-cash", "5") as person:
        person.sees("写入吗")
        person.types("y")
        assert person.ends() == 0
    assert [row["cash"] for row in desk.ledger()[PREPARED:]] == ["5.00"]


def test_a_chat_runs_several_turns_and_ends_with_exit(desk: Terminal) -> None:
    with desk.person("chat", "--conversation", "talk") as person:
        person.sees("› ")
        person.types("我的持仓怎么样")
        assert "608101.SIM" in person.sees("轮工具")
        person.sees("› ")
        person.types("/exit")
        assert person.ends() == 0
    assert len(desk.rows("SELECT * FROM message WHERE conversation_id = 'talk' AND role = 'user'")) == 1
