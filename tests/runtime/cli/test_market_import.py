"""`wyckoff market import`: a person's own files, the good ones whole and the broken ones not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.terminal import Ended, Terminal

HEADING = "symbol,date,open,high,low,close,volume"
GOOD = ("600519,2026-06-29,10,11,9,10.5,1000", "600519,2026-06-30,10.5,11,10,10.8,1200")
BROKEN = {
    "a bad date": ("600519,2026-13-40,10,11,9,10.5,1000", "日期不对"),
    "high below low": ("600519,2026-06-25,10,9,11,10.5,1000", "最高价低于最低价"),
    "a price that is no number": ("600519,2026-06-24,ten,11,9,10.5,1000", "开盘价不是数字"),
    "a duplicate row": (GOOD[1], "同一天重复"),
    "a day to come": ("600519,2026-07-02,10,11,9,10.5,1000", "日期在今天之后"),
    "a symbol that is none": ("贵州茅台酒,2026-06-23,10,11,9,10.5,1000", "代码不对"),
}
# name of the file: its text, the options, what is said about it
UNUSABLE: dict[str, tuple[str | None, tuple[str, ...], str]] = {
    "columns.csv": ("symbol,date,open\n600519,2026-06-30,1\n", ("--adj", "qfq"), "缺少列：high, low, close, volume"),
    "unadjusted.csv": (f"{HEADING}\n{GOOD[0]}\n", (), "--adj raw"),
    "bars.xlsx": ("x", ("--adj", "qfq"), "不是 CSV 或 Parquet"),
    "empty.csv": ("", ("--adj", "qfq"), "没有日线"),
    "broken.parquet": ("x", ("--adj", "qfq"), "读不出来"),
    "nowhere.csv": (None, ("--adj", "qfq"), "找不到文件 nowhere.csv"),
}


def file(terminal: Terminal, name: str, rows: Sequence[str], *, heading: str = HEADING, encoding: str = "utf-8") -> str:
    (terminal.folder / name).write_text("\n".join([heading, *rows]) + "\n", encoding=encoding)
    return name


def load(terminal: Terminal, name: str, *args: str) -> Ended:
    return terminal.run("market", "import", name, *args)


def bars(terminal: Terminal) -> object:
    return terminal.run("market", "status", "--json").data["bars"]


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> tuple[Terminal, Ended, Ended]:
    """A file with one row of each fault between good ones: refused, then imported without the bad rows."""
    folder = tmp_path_factory.mktemp("broken")
    terminal = Terminal(home=folder / "home", folder=folder)
    name = file(terminal, "broken.csv", [*GOOD, *(row for row, _ in BROKEN.values())])
    return terminal, load(terminal, name, "--adj", "qfq"), load(terminal, name, "--adj", "qfq", "--skip-bad")


@pytest.mark.parametrize("fault", BROKEN)
def test_a_bad_row_is_named_with_its_number_and_reason(refused: tuple[Terminal, Ended, Ended], fault: str) -> None:
    row, reason = BROKEN[fault]
    number = len(GOOD) + 2 + list(BROKEN).index(fault)  # the heading is row 1
    lines = [line for line in refused[1].err.splitlines() if line.startswith(f"第 {number} 行 {row.split(',')[0]}")]
    assert [reason in line for line in lines] == [True]


def test_a_file_with_bad_rows_is_not_imported_at_all(refused: tuple[Terminal, Ended, Ended]) -> None:
    _, ended, _ = refused
    assert ended.code == 1
    assert "什么都没有导入" in ended.err
    assert "--skip-bad" in ended.err
    assert ended.out == ""


def test_skip_bad_imports_the_rest(refused: tuple[Terminal, Ended, Ended]) -> None:
    terminal, _, ended = refused
    assert ended.code == 0
    assert f"跳过 {len(BROKEN)} 行" in ended.out
    assert bars(terminal) == len(GOOD)


def test_no_line_of_a_report_is_blank_or_ends_in_a_blank(refused: tuple[Terminal, Ended, Ended]) -> None:
    for ended in refused[1:]:
        assert all(line and line == line.rstrip() for line in ended.err.splitlines()), ended.err


def test_only_the_first_twenty_bad_rows_are_shown(terminal: Terminal) -> None:
    name = file(terminal, "many.csv", [f"600519,2026-99-{day:02},1,1,1,1,1" for day in range(30)])
    ended = load(terminal, name, "--adj", "raw", "--json")
    data = ended.json["data"]
    assert isinstance(data, dict)
    assert isinstance(data["bad"], list)
    assert (ended.code, len(data["bad"]), data["bad_rows"]) == (1, 20, 30)
    assert "30 处问题" in ended.message


@pytest.fixture(scope="module")
def unusable(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """What the command says of files that cannot be used at all."""
    folder = tmp_path_factory.mktemp("unusable")
    terminal = Terminal(home=folder / "home", folder=folder)
    for name, (text, _, _) in UNUSABLE.items():
        if text is not None:
            (folder / name).write_text(text, "utf-8")
    commands = [("market", "import", name, *args) for name, (_, args, _) in UNUSABLE.items()]
    return dict(zip(UNUSABLE, terminal.together(*commands), strict=True))


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_file_that_cannot_be_used_says_what_to_do(unusable: dict[str, Ended], name: str) -> None:
    ended = unusable[name]
    assert UNUSABLE[name][2] in ended.err
    assert (ended.code, ended.out) == (1, "")


def test_an_adjustment_that_is_none_is_wrong_use(terminal: Terminal) -> None:
    ended = terminal.run("market", "import", "nowhere.csv", "--adj", "best")
    assert (ended.code, "qfq（前复权）" in ended.err) == (2, True)


def test_a_gbk_file_with_chinese_headings_is_read_and_analysed(terminal: Terminal) -> None:
    heading = "股票代码,交易日期,开盘价,最高价,最低价,收盘价,成交量,成交额,复权方式"
    rows = ["600519,2026/6/29,10,11,9,10.5,1000,10500,前复权", "600519,20260630,10.5,11,10,10.8,1200,12960,前复权"]
    name = file(terminal, "gbk.csv", rows, heading=heading, encoding="gbk")
    assert load(terminal, name).code == 0
    analysed = terminal.run("analyze", "贵州茅台", "--json")
    assert analysed.data["as_of"] == "2026-06-30"
    meta = analysed.json["meta"]
    assert isinstance(meta, dict)
    assert (meta["source"], meta["adjust"], meta["sample"]) == ("导入 gbk.csv", "qfq", False)


def test_a_parquet_file_is_read(terminal: Terminal, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {
        "ts_code": ["600519.SH", "600519.SH"],
        "trade_date": ["20260629", "20260630"],
        **{name: [10.0, 11.0] for name in ("open", "high", "low", "close", "vol")},
    }
    pq.write_table(pa.table(columns), tmp_path / "bars.parquet")
    ended = load(terminal, "bars.parquet", "--adj", "hfq", "--json")
    assert (ended.data["rows"], ended.data["last"]) == (2, "2026-06-30")


def test_adjusted_prices_on_another_base_are_not_mixed_with_stored_ones(terminal: Terminal) -> None:
    old = ["600519,2026-06-26,9,11,9,10.2,900", *GOOD]
    new = ["600519,2026-06-30,21,22,20,21.6,1200", "600519,2026-07-01,21,22,20,21.9,1100"]
    load(terminal, file(terminal, "old.csv", old), "--adj", "qfq")
    name = file(terminal, "new.csv", new)
    ended = load(terminal, name, "--adj", "qfq")
    assert ended.code == 1
    assert "600519.SH qfq" in ended.err
    assert "--replace" in ended.err
    assert bars(terminal) == len(old)
    assert load(terminal, name, "--adj", "qfq", "--replace").code == 0
    assert bars(terminal) == len(new)


def test_the_sample_market_pinned_refuses_a_real_stock_even_with_bars(terminal: Terminal) -> None:
    load(terminal, file(terminal, "bars.csv", GOOD), "--adj", "qfq")
    (terminal.home / "desk.toml").write_text('[settings]\nmarket = "sample"\n', "utf-8")
    asked, analysed = terminal.together(("ask", "贵州茅台怎么样", "--json"), ("analyze", "贵州茅台"))
    assert "固定使用样本市场" in str(asked.events[-1]["text"])
    assert "10.8" not in asked.out
    assert not [event for event in asked.events if event["kind"] == "verdict"]
    assert (analysed.code, "固定使用样本市场" in analysed.err) == (1, True)
