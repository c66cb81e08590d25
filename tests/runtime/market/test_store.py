"""Bars on disk: years apart, limits, adjustments never mixed, and what may be joined."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from runtime.market.bars import Bars
from runtime.market.store import BarStore, chunk, merged
from runtime.storage.engine import Database
from tests.support.bars import REAL, series
from tests.support.desks import NOW


@pytest.fixture
def store(tmp_path: Path) -> Iterator[BarStore]:
    database = Database(tmp_path / "market.db")
    yield BarStore(database)
    database.close()


def save(store: BarStore, *many: Bars) -> None:
    for bars in many:
        store._database.transaction(lambda connection, bars=bars: store.replace(connection, bars, NOW))  # type: ignore[misc]


def same(left: Bars | None, right: Bars) -> bool:
    return left is not None and all(
        np.array_equal(getattr(left, name), getattr(right, name), equal_nan=name != "dates")
        for name in ("dates", "open", "high", "low", "close", "volume", "amount")
    )


async def test_a_series_over_several_years_comes_back_as_it_was(store: BarStore) -> None:
    bars = series(first=date(2023, 12, 20), closes=np.linspace(5, 9, 600).tolist())
    save(store, bars)
    found = await store.read(REAL)
    assert same(found, bars)
    assert found is not None
    assert (found.symbol, found.adjust, found.source) == (REAL, "raw", "测试")
    years = store._database.reading(lambda c: c.execute(select(chunk.c.year).order_by(chunk.c.year)).scalars().all())
    assert years == [2023, 2024, 2025, 2026]


@pytest.mark.parametrize("limit", [1, 2, 10, 11, 600, 9999])
async def test_a_limit_gives_the_newest_bars_also_across_years(store: BarStore, limit: int) -> None:
    bars = series(first=date(2023, 12, 20), closes=np.linspace(5, 9, 600).tolist())
    save(store, bars)
    assert same(await store.read(REAL, limit=limit), bars.tail(limit))


async def test_adjustments_are_apart_and_the_best_for_analysis_comes_first(store: BarStore) -> None:
    raw = series(adjust="raw", closes=(10.0, 11.0))
    qfq = series(adjust="qfq", closes=(5.0, 5.5))
    hfq = series(adjust="hfq", closes=(100.0, 110.0))
    save(store, hfq)
    assert await store.read(REAL) is None  # hfq prices are nobody's quotes: only when asked for
    assert same(await store.read(REAL, "hfq"), hfq)
    save(store, raw)
    assert same(await store.read(REAL), raw)
    save(store, qfq)
    assert same(await store.read(REAL), qfq)
    assert same(await store.read(REAL, "raw"), raw)
    assert await store.count() == {"raw": 2, "qfq": 2, "hfq": 2}
    assert await store.symbols() == (REAL,)


async def test_what_is_not_there_is_none(store: BarStore) -> None:
    assert await store.read(REAL) is None
    save(store, series(adjust="qfq"))
    assert await store.read(REAL, "raw") is None
    assert await store.tails(["000001.SZ"], 2) == ()


async def test_replacing_leaves_no_old_year_behind(store: BarStore) -> None:
    save(store, series(first=date(2020, 1, 1), closes=[1.0] * 500))
    new = series(first=date(2025, 1, 1), closes=[2.0, 3.0])
    save(store, new)
    assert same(await store.read(REAL), new)
    assert [info.rows for info in await store.infos()] == [2]


def test_a_second_store_opens_while_an_import_writes(store: BarStore) -> None:
    save(store, series())
    other = Database(store._database.path)
    with store._database.engine.begin() as writing:
        store.replace(writing, series(closes=(1.0,)), NOW)
        assert BarStore(other).stored_symbols is not None
    other.close()


async def test_bars_can_be_read_while_an_import_writes(store: BarStore) -> None:
    save(store, series())
    with store._database.engine.begin() as writing:
        store.replace(writing, series(closes=(1.0,)), NOW)
        assert same(await store.read(REAL), series())


def test_a_newer_file_goes_on_where_the_stored_bars_end() -> None:
    joined = merged(series(first=date(2025, 12, 1)), series(first=date(2025, 12, 4), closes=(13.0, 14.0)))
    assert joined is not None
    assert joined.close.tolist() == [10, 11, 12, 13, 14]
    assert (np.diff(joined.dates.astype(int)) > 0).all()


def test_raw_prices_may_be_corrected_and_filled_in_between() -> None:
    stored = series(closes=(10.0, 11.0, 12.0))
    joined = merged(stored, series(first=date(2025, 12, 2), closes=(11.5,)))
    assert joined is not None
    assert joined.close.tolist() == [10, 11.5, 12]


def test_adjusted_series_join_only_where_they_agree() -> None:
    stored = series(adjust="qfq", closes=(10.0, 11.0, 12.0))
    agreeing = series(adjust="qfq", first=date(2025, 12, 3), closes=(12.0, 13.0))
    assert merged(stored, agreeing) is not None
    other_base = series(adjust="qfq", first=date(2025, 12, 3), closes=(11.0, 12.0))
    assert merged(stored, other_base) is None
    apart = series(adjust="qfq", first=date(2025, 12, 8), closes=(13.0,))
    assert merged(stored, apart) is None  # no common day: nobody knows whether the base is the same


def test_an_adjusted_series_that_covers_the_stored_one_takes_its_place() -> None:
    stored = series(adjust="qfq", closes=(10.0, 11.0, 12.0))
    whole = series(adjust="qfq", closes=(9.0, 9.9, 10.8, 11.0))
    assert merged(stored, whole) is whole


@given(st.lists(st.booleans(), min_size=2, max_size=30), st.integers(0, 29))
def test_joining_raw_bars_keeps_every_day_once_and_the_new_ones_win(kept: list[bool], start: int) -> None:
    whole = series(closes=[10.0 + n for n in range(40)])
    stored = whole.cut(0, 30)
    index = [n + start for n, keep in enumerate(kept) if keep and n + start < 40] or [0]
    new = series(closes=[99.0 + n for n in range(40)])
    picked = Bars(
        symbol=REAL, adjust="raw", source="neu",
        **{name: getattr(new, name)[index] for name in ("dates", "open", "high", "low", "close", "volume", "amount")},
    )  # fmt: skip
    joined = merged(stored, picked)
    assert joined is not None
    by_day = dict(zip(stored.dates.tolist(), stored.close.tolist(), strict=True))
    by_day |= dict(zip(picked.dates.tolist(), picked.close.tolist(), strict=True))
    assert dict(zip(joined.dates.tolist(), joined.close.tolist(), strict=True)) == by_day
    assert joined.dates.tolist() == sorted(by_day)
