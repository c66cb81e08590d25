"""Importing a person's file: whole or not at all, every bad row named, no price repaired."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from runtime.errors import UserError
from runtime.market.importer import ImportCancelled, ImportOptions, ImportReport, Progress, import_file
from runtime.market.store import BarStore
from runtime.storage.engine import Database
from tests.support.bars import HEADING, REAL, csv_file, rows_of, series
from tests.support.desks import NOW

RAW = ImportOptions(adjust="raw")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """A store and a way to import into it."""

    store: BarStore
    folder: Path

    def take(
        self,
        path: Path,
        options: ImportOptions = RAW,
        *,
        progress: Progress = lambda _stage, _fraction: None,
        cancel: threading.Event | None = None,
    ) -> ImportReport:
        return import_file(
            self.store._database, self.store, path, options, now=NOW, source="文件", progress=progress, cancel=cancel
        )

    def csv(self, *lines: str, heading: str = HEADING) -> Path:
        return csv_file(self.folder / "bars.csv", *lines, heading=heading)


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    database = Database(tmp_path / "market.db")
    yield Shelf(store=BarStore(database), folder=tmp_path)
    database.close()


async def test_a_good_file_is_taken_whole(shelf: Shelf) -> None:
    report = shelf.take(shelf.csv(*rows_of(series()), *rows_of(series("000001.SZ"))))
    found = await shelf.store.read(REAL)
    assert (report.imported, report.rows, report.symbols, report.series, report.bad) == (True, 6, 2, 2, ())
    assert (report.first, report.last) == (date(2025, 12, 1), date(2025, 12, 3))
    assert found is not None
    assert found.close.tolist() == [10, 11, 12]
    assert found.source == "文件"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("xyz,2025-12-01,1,1,1,1,1,", "market.bad_symbol"),
        ("608101.SIM,2025-12-01,1,1,1,1,1,", "market.bad_symbol"),  # nobody adds to the sample market
        ("600519,2025-13-01,1,1,1,1,1,", "market.bad_date"),
        ("600519,2026-07-02,1,1,1,1,1,", "market.future_date"),
        ("600519,2025-12-01,x,1,1,1,1,", "market.bad_open"),
        ("600519,2025-12-01,1,,1,1,1,", "market.bad_high"),
        ("600519,2025-12-01,1,1,0,1,1,", "market.not_positive"),
        ("600519,2025-12-01,1,1,1,inf,1,", "market.bad_close"),
        ("600519,2025-12-01,1,1,1,1,-1,", "market.negative_volume"),
        ("600519,2025-12-01,1,1,1,1,1,-1", "market.negative_amount"),
        ("600519,2025-12-01,1,1,1,1,inf,", "market.bad_volume"),
        ("600519,2025-12-01,1,1,1,1,1,inf", "market.bad_amount"),
        ("600519,2025-12-01,1,1,2,1,1,", "market.high_below_low"),
        ("600519,2025-12-01,3,2,1,1,1,", "market.high_not_highest"),
        ("600519,2025-12-01,2,3,2,1,1,", "market.low_not_lowest"),
        ("600519.SH,2025-12-03,12,12,12,12,1,", "market.duplicate_row"),
    ],
)
async def test_one_bad_row_refuses_the_file_with_its_number_and_reason(shelf: Shelf, line: str, reason: str) -> None:
    path = shelf.csv(*rows_of(series()), line)
    report = shelf.take(path)
    assert not report.imported
    assert [(bad.row, bad.reason_key) for bad in report.bad] == [(5, reason)]
    assert await shelf.store.read(REAL) is None
    left_out = shelf.take(path, ImportOptions(adjust="raw", skip_bad=True))
    assert (left_out.imported, left_out.rows) == (True, 3)


async def test_a_file_of_bad_rows_only_imports_nothing_and_says_so(shelf: Shelf) -> None:
    report = shelf.take(shelf.csv("xyz,2025-12-01,1,1,1,1,1,"), ImportOptions(adjust="raw", skip_bad=True))
    assert (report.imported, report.rows) == (False, 0)
    assert await shelf.store.symbols() == ()


async def test_two_spellings_of_one_stock_are_one_series(shelf: Shelf) -> None:
    report = shelf.take(shelf.csv("sh600519,20251201,1,1,1,1,1,", "600519.XSHG,2025/12/2,2,2,2,2,1,"))
    found = await shelf.store.read(REAL)
    assert report.series == 1
    assert found is not None
    assert found.close.tolist() == [1, 2]


async def test_the_same_day_in_two_spellings_is_a_duplicate(shelf: Shelf) -> None:
    report = shelf.take(shelf.csv("sh600519,2025-12-01,1,1,1,1,1,", "600519.SH,2025-12-01,2,2,2,2,1,"))
    assert [bad.reason_key for bad in report.bad] == ["market.duplicate_row"]
    assert not report.imported


async def test_a_cancel_in_the_middle_of_the_write_leaves_nothing(shelf: Shelf) -> None:
    cancel = threading.Event()

    def stop_after_the_first(stage: str, fraction: float) -> None:
        if stage == "write" and fraction > 0:
            cancel.set()

    path = shelf.csv(*rows_of(series()), *rows_of(series("000001.SZ")))
    with pytest.raises(ImportCancelled):
        shelf.take(path, progress=stop_after_the_first, cancel=cancel)
    assert await shelf.store.symbols() == ()


async def test_another_base_is_a_conflict_for_the_whole_file_unless_it_replaces(shelf: Shelf) -> None:
    qfq = ImportOptions(adjust="qfq")
    shelf.take(shelf.csv(*rows_of(series())), qfq)
    path = shelf.csv(*rows_of(series("000001.SZ")), *rows_of(series(first=date(2025, 12, 3), closes=(6.0, 7.0))))
    report = shelf.take(path, qfq)
    assert (report.imported, report.conflicts) == (False, (f"{REAL} qfq",))
    assert await shelf.store.symbols() == (REAL,)
    assert shelf.take(path, ImportOptions(adjust="qfq", replace=True)).imported
    found = await shelf.store.read(REAL)
    assert found is not None
    assert found.close.tolist() == [6, 7]


@pytest.mark.parametrize(
    ("heading", "options", "key"),
    [
        (HEADING, ImportOptions(), "market.adjust_needed"),
        (HEADING + ",adj", RAW, "market.adjust_twice"),
        (HEADING.replace("close,", ""), RAW, "market.missing_columns"),
    ],
)
def test_a_file_that_cannot_be_understood_is_refused(
    shelf: Shelf, heading: str, options: ImportOptions, key: str
) -> None:
    with pytest.raises(UserError) as refused:
        shelf.take(shelf.csv("600519,2025-12-01,1,1,1,1,1,,raw", heading=heading), options)
    assert refused.value.key == key


def test_chinese_headings_and_encodings_are_understood(shelf: Shelf) -> None:
    path = shelf.folder / "export.csv"
    path.write_bytes(
        '股票代码,日期,开盘,最高,最低,收盘,成交量,复权\n600519,2025-12-01,1,1,1,1,"1,000",前复权\n'.encode("gb18030")
    )
    report = shelf.take(path, ImportOptions())
    assert (report.imported, report.rows) == (True, 1)


@pytest.mark.parametrize("name", ["missing.csv", "bars.xlsx", "broken.parquet", "empty.csv"])
def test_what_is_no_table_is_refused_in_words(shelf: Shelf, name: str) -> None:
    path = shelf.folder / name
    if name != "missing.csv":
        path.write_bytes(b"" if name == "empty.csv" else b"no table")
    with pytest.raises(UserError):
        shelf.take(path)


async def test_prices_of_single_precision_come_without_invented_digits(shelf: Shelf) -> None:
    prices = [10.1, 1688.88, 0.07]
    columns = {name: pa.array(prices, pa.float32()) for name in ("open", "high", "low", "close")}
    table = pa.table(
        {
            "symbol": ["600519.SH"] * 3,
            "date": pa.array([date(2025, 12, day) for day in (1, 2, 3)], pa.date32()),
            **columns,
            "volume": pa.array([100, 200, 300], pa.int64()),
        }
    )
    path = shelf.folder / "bars.parquet"
    pq.write_table(table, path)
    shelf.take(path)
    found = await shelf.store.read(REAL)
    assert found is not None
    assert found.close.tolist() == prices
    assert np.isnan(found.amount).all()
    assert found.volume.tolist() == [100, 200, 300]
