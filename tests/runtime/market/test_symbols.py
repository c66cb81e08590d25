"""What people type becomes instruments: codes in every notation, names, pinyin; amounts do not, and doubt is said."""

from __future__ import annotations

import pytest

from runtime.core.symbols import Instrument
from runtime.market.sample import SampleMarket
from runtime.market.symbols import InstrumentDirectory


@pytest.fixture(scope="module")
def directory() -> InstrumentDirectory:
    return InstrumentDirectory(SampleMarket().instruments())


def symbols(directory: InstrumentDirectory, text: str) -> list[str]:
    return [item.symbol for item in directory.resolve(text).instruments]


@pytest.mark.parametrize(
    "text",
    [
        "600519", "600519.SH", "600519.sh", "sh600519", "SH.600519", "600519.SS", "６００５１９", "６００５１９．ＳＨ", "看看600519吧",
        "600519怎么样", "What about 600519.", "（600519）", "贵州茅台", "贵州茅台(600519)", "gzmt", "GZMT", "guizhoumaotai", "茅台600519.",
    ],
)  # fmt: skip
def test_one_stock_has_many_spellings(directory: InstrumentDirectory, text: str) -> None:
    assert symbols(directory, text) == ["600519.SH"]


@pytest.mark.parametrize(
    "text",
    [
        "600000元", "600000 元", "600000股", "600000 股", "600000块钱", "60万", "600000.5", "1600000", "600,000", "￥600000", "¥ 600000",
        "$600000", "600000 RMB", "600000人民币", "20260630", "2026-06-30", "123456", "RSI600000x",
    ],
)  # fmt: skip
def test_amounts_and_dates_are_no_codes(directory: InstrumentDirectory, text: str) -> None:
    found = directory.resolve(text)
    assert found.instruments == ()
    assert found.unknown == ()


@pytest.mark.parametrize("word", ["MACD", "KDJ", "MA20", "TTM", "CPO", "ROE", "AI", "spring", "SOS", "ETF", "buy"])
def test_words_of_charts_are_no_pinyin(directory: InstrumentDirectory, word: str) -> None:
    assert symbols(directory, f"{word} 是什么") == []


@pytest.mark.parametrize("text", ["608999.SIM 怎么样", "609998 怎么样", "sh609999"])
def test_codes_that_nobody_has_are_said_to_be_unknown(directory: InstrumentDirectory, text: str) -> None:
    found = directory.resolve(text)
    assert found.instruments == ()
    assert len(found.unknown) == 1


def test_an_index_beside_its_code_is_the_index_and_the_code_alone_is_the_stock(directory: InstrumentDirectory) -> None:
    assert symbols(directory, "000001 上证指数") == ["000001.SH"]
    assert symbols(directory, "上证指数（000001）") == ["000001.SH"]
    assert symbols(directory, "000001") == ["000001.SZ"]
    assert symbols(directory, "平安银行 000001") == ["000001.SZ"]
    assert symbols(directory, "000001.SH 和 000001.SZ") == ["000001.SH", "000001.SZ"]


def test_several_stocks_come_in_the_order_of_the_text_and_each_once(directory: InstrumentDirectory) -> None:
    assert symbols(directory, "比较 000858、贵州茅台 和 云溪股份，还有 600519") == [
        "000858.SZ",
        "600519.SH",
        "608101.SIM",
    ]


def test_what_several_answer_to_is_asked_and_not_guessed(directory: InstrumentDirectory) -> None:
    twins = (Instrument(symbol="600901.SIM", name="双子股份"), Instrument(symbol="600902.SIM", name="双子股份"))
    own = InstrumentDirectory(twins)
    found = own.resolve("双子股份怎么样")
    assert found.instruments == ()
    assert [item.symbol for item in found.ambiguities[0].candidates] == ["600901.SIM", "600902.SIM"]
    decided = own.resolve("双子股份 600902.SIM 怎么样")
    assert [item.symbol for item in decided.instruments] == ["600902.SIM"]
    assert decided.ambiguities == ()


def test_the_longest_name_wins(directory: InstrumentDirectory) -> None:
    own = InstrumentDirectory(
        (Instrument(symbol="600903.SIM", name="青溪"), Instrument(symbol="600904.SIM", name="青溪重工"))
    )
    assert symbols(own, "青溪重工") == ["600904.SIM"]
    assert symbols(own, "青溪重工和青溪") == ["600904.SIM", "600903.SIM"]


def test_search_puts_the_exact_match_first_and_keeps_to_its_limit(directory: InstrumentDirectory) -> None:
    assert directory.search("600519")[0].symbol == "600519.SH"
    assert directory.search("gzmt")[0].symbol == "600519.SH"
    assert directory.search("茅台")[0].symbol == "600519.SH"
    assert len(directory.search("银行", 3)) == 3
    assert directory.search("  ") == ()
    assert directory.search("没有这种东西") == ()


@pytest.mark.parametrize("text", ["", " ", "？", "大盘怎么样", "我有100股", "今天买什么"])
def test_a_text_that_names_nothing_resolves_to_nothing(directory: InstrumentDirectory, text: str) -> None:
    found = directory.resolve(text)
    assert (found.instruments, found.ambiguities, found.unknown) == ((), (), ())
