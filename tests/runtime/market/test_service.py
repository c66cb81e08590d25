"""Prices for everything above: real ones from this machine, invented ones only for the sample market."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from runtime.clock import SHANGHAI, FixedClock
from runtime.errors import UserError
from runtime.market.bars import Bars
from runtime.market.calendar import TradingCalendar
from runtime.market.sample import SOURCE, SampleMarket
from runtime.market.service import MarketData, MarketMode
from runtime.market.store import BarStore
from runtime.market.symbols import InstrumentDirectory
from runtime.storage.engine import Database
from tests.support.bars import REAL, series
from tests.support.desks import SAMPLE_STOCK

MONDAY = date(2026, 6, 22)  # five sessions: 22 to 26 June
AFTER_FRIDAY = datetime(2026, 6, 26, 16, 0, tzinfo=SHANGHAI)


def market(
    folder: Path, *stored: Bars, mode: MarketMode = "auto", now: datetime = AFTER_FRIDAY
) -> tuple[MarketData, Database]:
    database = Database(folder / "market.db")
    store = BarStore(database)
    for bars in stored:
        database.transaction(lambda connection, bars=bars: store.replace(connection, bars, now))  # type: ignore[misc]
    sample = SampleMarket()
    directory = InstrumentDirectory(sample.instruments())
    data = MarketData(
        store=store,
        sample=sample,
        directory=directory,
        calendar=TradingCalendar(),
        clock=FixedClock(now),
        mode=mode,
        local_source="本机日线",
    )
    return data, database


async def test_a_real_stock_without_bars_is_never_answered_from_the_sample(tmp_path: Path) -> None:
    data, database = market(tmp_path)
    with pytest.raises(UserError) as refused:
        await data.daily(REAL)
    assert refused.value.key == "market.no_bars"
    assert await data.last_quotes([REAL]) == {}
    database.close()


async def test_the_pinned_sample_market_refuses_real_stocks_even_with_bars(tmp_path: Path) -> None:
    data, database = market(tmp_path, series(), mode="sample")
    with pytest.raises(UserError) as refused:
        await data.daily(REAL)
    assert refused.value.key == "market.sample_only"
    assert (await data.daily(SAMPLE_STOCK)).source == SOURCE
    assert set(await data.last_quotes([REAL, SAMPLE_STOCK])) == {SAMPLE_STOCK}
    assert (await data.overview()).sample
    database.close()


async def test_an_unknown_sample_id_has_no_bars(tmp_path: Path) -> None:
    data, database = market(tmp_path)
    with pytest.raises(UserError) as refused:
        await data.daily("699999.SIM")
    assert refused.value.key == "market.no_bars_sample"
    database.close()


async def test_bars_are_stale_when_a_newer_final_session_is_missing(tmp_path: Path) -> None:
    bars = series(first=MONDAY, closes=(1.0, 2.0, 3.0, 4.0, 5.0))
    moments = {
        AFTER_FRIDAY: False,
        AFTER_FRIDAY + timedelta(days=3, hours=-6): False,
        AFTER_FRIDAY + timedelta(days=3): True,
    }
    for moment, stale in moments.items():  # Friday evening, Monday morning, Monday evening
        data, database = market(tmp_path, bars, now=moment)
        assert data.is_stale(await data.daily(REAL)) is stale
        assert not data.is_stale(await data.daily(SAMPLE_STOCK))
        database.close()


async def test_quotes_are_prices_that_were_paid(tmp_path: Path) -> None:
    hfq = series(adjust="hfq", closes=(900.0, 990.0))
    qfq = series(adjust="qfq", closes=(8.0, 11.0))
    raw = series(closes=(10.0, 11.0))
    data, database = market(tmp_path, hfq)
    assert await data.last_quotes([REAL]) == {}  # 后复权 closes are nobody's price
    database.close()
    data, database = market(tmp_path, qfq)
    assert (await data.last_quotes([REAL]))[REAL].price == Decimal("11.00")
    database.close()
    data, database = market(tmp_path, raw)
    quote = (await data.last_quotes([REAL]))[REAL]
    assert (quote.price, quote.previous_close, quote.as_of) == (Decimal("11.00"), Decimal("10.00"), date(2025, 12, 2))
    database.close()


async def test_of_two_series_the_newer_one_has_the_last_price(tmp_path: Path) -> None:
    data, database = market(tmp_path, series(closes=(10.0, 11.0)), series(adjust="qfq", closes=(10.0, 11.0, 12.0)))
    assert (await data.last_quotes([REAL]))[REAL].price == Decimal("12.00")
    database.close()


async def test_the_overview_of_the_sample_market_says_that_it_is_one(tmp_path: Path) -> None:
    data, database = market(tmp_path)
    found = await data.overview()
    assert (found.sample, found.source, found.stale) == (True, SOURCE, False)
    assert found.as_of == date(2026, 6, 30)
    assert [line.instrument.kind for line in found.indices] == ["index"]
    assert found.breadth is not None
    breadth = found.breadth
    assert breadth.up + breadth.down + breadth.flat == breadth.sample_size == 60
    database.close()


async def test_the_overview_of_local_bars_counts_what_traded_on_the_newest_day(tmp_path: Path) -> None:
    rising = series(first=MONDAY, closes=(1.0, 2.0, 3.0))
    falling = series("000001.SZ", first=MONDAY, closes=(3.0, 2.0, 1.0))
    suspended = series("000002.SZ", first=MONDAY, closes=(3.0, 3.0))
    index = series("000001.SH", first=MONDAY, closes=(100.0, 100.0, 101.0))
    data, database = market(tmp_path, rising, falling, suspended, index)
    found = await data.overview()
    assert (found.sample, found.source, found.stale, found.as_of) == (False, "本机日线", True, date(2026, 6, 24))
    assert [(line.instrument.symbol, round(line.change_pct or 0, 6)) for line in found.indices] == [("000001.SH", 1.0)]
    assert found.indices[0].above_ma60_pct is None
    assert found.breadth is not None
    breadth = found.breadth
    assert (breadth.sample_size, breadth.up, breadth.down, breadth.flat) == (2, 1, 1, 0)
    assert (await data.overview("sample")).sample
    database.close()
