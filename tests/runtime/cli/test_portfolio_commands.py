"""`wyckoff portfolio …`: every write is previewed, only a confirmed one happens, and what cannot be says why."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from runtime.core.json import JsonObject
from tests.support.terminal import Ended, Terminal

PREPARED = 2  # entries of the prepared ledger
STOCK = "云溪股份"

WRITES = {
    "set-cash": ("set-cash", "5000"),
    "add": ("add", "栖岚重工", "--shares", "200", "--cost", "10", "--date", "2026-06-01"),
    "update": ("update", STOCK, "--shares", "1200"),
    "fill": ("fill", "buy", STOCK, "100", "--price", "7.7"),
    "stop": ("stop", STOCK, "6.5"),
    "remove": ("remove", STOCK),
    "undo": ("undo",),
}
BLOCKED = {
    "cash short": (("fill", "buy", STOCK, "100000", "--price", "7.7"), "现金不够"),
    "T+1": (("fill", "sell", STOCK, "1000", "--price", "7.7", "--date", "2026-06-01"), "T+1"),
    "lots": (("fill", "buy", STOCK, "150", "--price", "7.7"), "按 100 股递增"),
}
WRONG = {
    "unknown side": (("fill", "borrow", STOCK, "100"), "buy 或 sell"),
    "no number": (("set-cash", "many"), "不是数字"),
    "no date": (("fill", "buy", STOCK, "100", "--price", "7", "--date", "soon"), "不是日期"),
    "not held": (("stop", "600519", "1500"), "持仓里没有"),
    "ambiguous": (("remove", "兴业"), "兴业银行 601166.SH"),
}


def error(ended: Ended) -> JsonObject:
    value = ended.json["error"]
    assert isinstance(value, dict)
    return value


@pytest.fixture(scope="module")
def still(prepared_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """A prepared home that the tests of this module leave as it is."""
    folder = tmp_path_factory.mktemp("still")
    shutil.copytree(prepared_home, folder / "home")
    return Terminal(home=folder / "home", folder=folder)


@pytest.fixture(scope="module")
def refused(still: Terminal) -> dict[str, Ended]:
    """The answers to everything that reads, or must not be written."""
    args = {name: (*words, "--json") for name, words in WRITES.items()}
    args |= {name: (*words, "--yes", "--json") for name, (words, _) in (BLOCKED | WRONG).items()}
    args |= {"in words": ("fill", "buy", STOCK, "100000", "--price", "7.7", "--yes")}
    args |= {"show": ("show",), "show as JSON": ("show", "--json"), "diagnosis": ("diagnose", "--json")}
    ended = still.together(*(("portfolio", *words) for words in args.values()))
    return dict(zip(args, ended, strict=True))


@pytest.mark.parametrize("name", WRITES)
def test_without_yes_a_write_is_previewed_and_not_done(refused: dict[str, Ended], still: Terminal, name: str) -> None:
    ended = refused[name]
    assert ended.code == 1
    assert set(ended.json) == {"ok", "data", "error", "meta"}
    assert error(ended)["code"] == "not_confirmed"
    assert "--yes" in ended.message
    assert isinstance(ended.json["data"], dict)
    assert ended.json["data"]["headline"]
    assert len(still.ledger()) == PREPARED


@pytest.mark.parametrize(("name", "reason"), [(name, reason) for name, (_, reason) in BLOCKED.items()])
def test_an_order_that_cannot_be_says_why(refused: dict[str, Ended], name: str, reason: str) -> None:
    ended = refused[name]
    assert (ended.code, error(ended)["code"]) == (1, "not_possible")
    assert reason in ended.message


@pytest.mark.parametrize(("name", "reason"), [(name, reason) for name, (_, reason) in WRONG.items()])
def test_a_wrong_argument_says_what_is_wrong(refused: dict[str, Ended], name: str, reason: str) -> None:
    ended = refused[name]
    assert ended.code == 1
    assert reason in ended.message


def test_a_refused_order_in_words_shows_the_preview_and_the_reason(refused: dict[str, Ended], still: Terminal) -> None:
    ended = refused["in words"]
    assert ended.code == 1
    assert "1,000 → 101,000" in ended.out
    assert "持仓未改动：现金不够：连费用需要 770,200.20 元，现有 200,000.00 元" in ended.err
    assert len(still.ledger()) == PREPARED


def test_a_pipe_is_nobody_who_confirms(still: Terminal) -> None:
    ended = still.run("portfolio", "set-cash", "5000", stdin="y\n")
    assert ended.code == 1
    assert "没有写入" in ended.err
    assert len(still.ledger()) == PREPARED


def test_the_portfolio_shows_its_figures(refused: dict[str, Ended]) -> None:
    text, program = refused["show"], refused["show as JSON"]
    assert "云溪股份 608101.SIM" in text.out
    assert "总资产 207,750.00 元" in text.out
    assert (program.data["free_cash"], program.data["total_equity"]) == (200_000.0, 207_750.0)


def test_diagnosis_judges_each_holding(refused: dict[str, Ended]) -> None:
    positions = refused["diagnosis"].data["positions"]
    assert isinstance(positions, list)
    assert isinstance(positions[0], dict)
    assert positions[0]["health"] in ("healthy", "watch", "danger")
    assert positions[0]["chart_stop"] == 5.83


def test_a_confirmed_fill_moves_shares_cash_and_fees(desk: Terminal) -> None:
    data = desk.run("portfolio", "fill", "buy", STOCK, "1000", "--price", "7.7", "--yes", "--json").data
    preview = data["preview"]
    assert isinstance(preview, dict)
    assert (preview["cash_before"], preview["cash_after"]) == ("200000.00", "192294.92")
    assert preview["fees"] == {"commission": "5.00", "stamp_duty": "0.00", "transfer_fee": "0.08"}
    shown = desk.run("portfolio", "show", "--json").data
    [position] = shown["positions"] if isinstance(shown["positions"], list) else []
    assert isinstance(position, dict)
    assert (position["shares"], position["sellable_today"], shown["free_cash"]) == (2000, 1000, 192_294.92)


def test_undo_restores_what_was_before_and_the_ledger_keeps_both(desk: Terminal, refused: dict[str, Ended]) -> None:
    assert desk.run("portfolio", "remove", STOCK, "--yes").code == 0
    assert desk.run("portfolio", "undo", "--yes").code == 0
    shown, ledger = desk.together(("portfolio", "show", "--json"), ("portfolio", "ledger", "--json"))
    before, after, listed = refused["show as JSON"].data, shown.data, ledger.json["data"]
    assert before["version"] != after["version"]
    assert after | {"version": before["version"]} == before
    assert isinstance(listed, list)
    undone = [line["undone"] for line in listed if isinstance(line, dict)]
    assert undone == [False, True, False, False]


def test_a_stop_can_be_set_and_cleared(desk: Terminal) -> None:
    desk.run("portfolio", "stop", STOCK, "6.5", "--yes")
    desk.run("portfolio", "stop", STOCK, "none", "--yes")
    assert [row["stop_loss"] for row in desk.ledger()[PREPARED:]] == ["6.5000", None]


def test_an_empty_ledger_has_nothing_to_undo(terminal: Terminal) -> None:
    ended = terminal.run("portfolio", "undo", "--yes")
    assert ended.code == 1
    assert "没有可撤销的" in ended.err
    assert "账本还是空的" in terminal.run("portfolio", "ledger").out
