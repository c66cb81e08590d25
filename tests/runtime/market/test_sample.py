"""The sample market: what it promises to a newcomer, and that its build can be repeated."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from runtime.errors import InternalError
from runtime.market.rules.boards import Board, board_of
from runtime.market.sample import SOURCE, SampleMarket
from runtime.paths import resource
from runtime.wyckoff.engine import analyze
from runtime.wyckoff.records import EventKind, Phase, Reading

LIMIT_PERCENT = {Board.MAIN: 10, Board.CHINEXT: 20, Board.STAR: 20, Board.BSE: 30}
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def market() -> SampleMarket:
    return SampleMarket()


@pytest.fixture(scope="module")
def readings(market: SampleMarket) -> dict[str, Reading]:
    found: dict[str, Reading] = {}
    for instrument in market.instruments():
        bars = market.bars(instrument.symbol)
        assert bars is not None
        ratio = None if instrument.kind == "index" else LIMIT_PERCENT[board_of(instrument.symbol)] / 100
        found[instrument.symbol] = analyze(bars, limit_ratio=ratio)
    return found


def symbol_of(market: SampleMarket, name: str) -> str:
    return next(instrument.symbol for instrument in market.instruments() if instrument.name == name)


def test_there_are_sixty_stocks_on_every_board_and_one_index(market: SampleMarket) -> None:
    kinds = Counter(instrument.kind for instrument in market.instruments())
    assert kinds == {"stock": 60, "index": 1}
    stocks = [instrument for instrument in market.instruments() if instrument.kind == "stock"]
    assert {board_of(stock.symbol) for stock in stocks} == set(LIMIT_PERCENT)
    assert all(instrument.is_sample for instrument in market.instruments())
    assert len({instrument.name for instrument in stocks}) == 60
    assert len({market.industry(stock.symbol) for stock in stocks}) >= 10


def test_the_index_has_no_industry_and_unknown_ids_have_nothing(market: SampleMarket) -> None:
    assert market.industry(symbol_of(market, "样本综合指数")) is None
    assert market.industry("600519.SH") is None
    assert market.bars("600519.SH") is None


def test_bars_end_on_the_markets_own_today(market: SampleMarket) -> None:
    assert market.as_of == date(2026, 6, 30)
    for instrument in market.instruments():
        bars = market.bars(instrument.symbol)
        assert bars is not None
        assert bars.as_of == market.as_of
        assert bars.adjust == "qfq"
        assert bars.source == SOURCE
        assert len(bars) <= 500
        weekdays = (bars.dates.astype(np.int64) + 3) % 7
        assert (weekdays < 5).all()


def test_bars_are_sane_whole_ticks_and_whole_lots(market: SampleMarket) -> None:
    for instrument in market.instruments():
        bars = market.bars(instrument.symbol)
        assert bars is not None
        assert (bars.low <= np.minimum(bars.open, bars.close)).all()
        assert (bars.high >= np.maximum(bars.open, bars.close)).all()
        assert (bars.low > 0).all()
        assert (bars.volume % 100 == 0).all()
        assert (bars.volume > 0).all()
        ticks = np.stack([bars.open, bars.high, bars.low, bars.close]) * 100
        np.testing.assert_allclose(ticks, np.round(ticks), atol=1e-6)
        if instrument.kind == "stock":
            average = bars.amount / bars.volume
            assert (average >= bars.low - 0.01).all()
            assert (average <= bars.high + 0.01).all()


def test_no_price_leaves_the_daily_limits_of_its_board(market: SampleMarket) -> None:
    for instrument in market.instruments():
        if instrument.kind == "index":
            continue
        bars = market.bars(instrument.symbol)
        assert bars is not None
        percent = LIMIT_PERCENT[board_of(instrument.symbol)]
        close = np.round(bars.close * 100).astype(np.int64)[:-1]
        assert (np.round(bars.high * 100)[1:] <= (close * (100 + percent) + 50) // 100).all()
        assert (np.round(bars.low * 100)[1:] >= (close * (100 - percent) + 50) // 100).all()


def test_yunxi_is_a_textbook_accumulation_at_its_last_point_of_support(
    market: SampleMarket, readings: dict[str, Reading]
) -> None:
    reading = readings[symbol_of(market, "云溪股份")]
    held = {event.kind for event in reading.events if event.invalidated_at is None}
    assert held >= {EventKind.SC, EventKind.AR, EventKind.ST, EventKind.SPRING, EventKind.TEST, EventKind.SOS}
    assert reading.phase.phase is Phase.D
    assert reading.range is not None
    assert reading.range.active
    bars = market.bars(reading.symbol)
    assert bars is not None
    broke = next(event for event in reading.events if event.kind is EventKind.SOS)
    assert bars.close[-1] < bars.high[broke.index :].max()
    assert bars.close[-1] > (reading.range.support + reading.range.resistance) / 2


def test_every_phase_of_both_structures_is_there(readings: dict[str, Reading]) -> None:
    seen = {
        (state.structure.is_accumulation, state.phase)
        for state in (reading.phase for reading in readings.values())
        if state.structure is not None
    }
    for side in (True, False):
        assert seen >= {(side, phase) for phase in Phase if phase is not Phase.NONE}
    assert {reading.trend for reading in readings.values()} == {"up", "down", "sideways"}


def test_one_stock_was_suspended_and_one_was_locked_at_its_limit(market: SampleMarket) -> None:
    gaps, locked = 0, 0
    for instrument in market.instruments():
        bars = market.bars(instrument.symbol)
        assert bars is not None
        gaps += len(bars) == 500 - 32
        one_price = (bars.high == bars.low)[1:]
        jumped = np.diff(bars.close) / bars.close[:-1] > 0.09
        locked += int((one_price & jumped).sum()) >= 5
    assert (gaps, locked) == (1, 1)


def test_no_id_or_name_is_that_of_a_listed_company(market: SampleMarket) -> None:
    table = resource("symbols", "a_shares.csv")
    if not table.is_file():
        pytest.skip("the table of listed companies is not built")
    with table.open(encoding="utf-8", newline="") as file:
        listed = {cell.partition(".")[0] for row in csv.reader(file) for cell in row}
    ours = {item.code for item in market.instruments()} | {item.name for item in market.instruments()}
    assert not ours & listed


def test_building_it_twice_gives_the_same_bytes_and_what_is_shipped(tmp_path: Path, market: SampleMarket) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        script = ROOT / "packaging" / "build_sample_market.py"
        subprocess.run([sys.executable, str(script), "--out", str(folder)], check=True, capture_output=True)
    for name in ("bars.npz", "instruments.csv"):
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
    built = SampleMarket(folders[0])
    assert built.instruments() == market.instruments()
    for instrument in market.instruments():
        ours, shipped = built.bars(instrument.symbol), market.bars(instrument.symbol)
        assert ours is not None
        assert shipped is not None
        np.testing.assert_array_equal(ours.dates, shipped.dates)
        # the last digit of an exponential differs between processors: a rounded price may move by a tick
        np.testing.assert_allclose(ours.close, shipped.close, atol=0.0101)


def test_the_files_are_small() -> None:
    assert sum(file.stat().st_size for file in resource("sample_market").iterdir()) < 1_500_000


def test_a_damaged_installation_says_so(tmp_path: Path) -> None:
    with pytest.raises(InternalError):
        SampleMarket(tmp_path).instruments()
