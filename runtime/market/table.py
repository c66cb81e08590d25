"""A file of daily bars as columns: CSV or Parquet, with the headings that people's files have.

Reads only; what the rows mean is checked in `checks`. Parquet needs pyarrow, which is an extra.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from runtime.errors import UserError
from runtime.market.bars import Floats

if TYPE_CHECKING:
    import pyarrow as pa

HEADINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "symbol": ("symbol", "code", "ts_code", "stock_code", "代码", "股票代码", "证券代码"),
    "date": ("date", "trade_date", "日期", "交易日期", "时间"),
    "open": ("open", "开盘", "开盘价"),
    "high": ("high", "最高", "最高价"),
    "low": ("low", "最低", "最低价"),
    "close": ("close", "收盘", "收盘价"),
    "volume": ("volume", "vol", "成交量"),
    "amount": ("amount", "成交额", "成交金额"),
    "adj": ("adj", "adjust", "adjustment", "复权", "复权方式"),
}
REQUIRED: Final = ("symbol", "date", "open", "high", "low", "close", "volume")
NUMBERS: Final = ("open", "high", "low", "close", "volume", "amount")
PARQUET_COMMAND: Final = 'python -m pip install "wyckoff-desk[parquet]"'


@dataclass(frozen=True, slots=True, kw_only=True)
class BarTable:
    """The rows of a file, n of them.

    Attributes:
        symbol: code of each symbol, an index into `symbols`.
        symbols: the distinct texts of the symbol column.
        adj: code of each adjustment, an index into `adjustments`.
        adjustments: the distinct texts of the adjustment column; empty when the file has none.
        date: datetime64[D], NaT where the text is no date.
        numbers: the numeric columns, NaN where empty or no number.
        bad_numbers: for each numeric column, where a text was no number.
        date_texts: the texts of the date column, to name a bad one; empty where the file has real dates.
        first_row: number of the first row in the file, as a person counts (the heading is row 1).
    """

    symbol: np.ndarray[tuple[int], np.dtype[np.int64]]
    symbols: tuple[str, ...]
    adj: np.ndarray[tuple[int], np.dtype[np.int64]]
    adjustments: tuple[str, ...]
    date: np.ndarray[tuple[int], np.dtype[np.datetime64]]
    numbers: Mapping[str, Floats]
    bad_numbers: Mapping[str, np.ndarray[tuple[int], np.dtype[np.bool_]]]
    date_texts: tuple[str, ...] = ()
    first_row: int = 2

    def __len__(self) -> int:
        return len(self.date)


def read_table(path: Path) -> BarTable:
    """The table of a file.

    Raises:
        UserError: no such file, not a table, columns missing, or pyarrow missing for Parquet.
    """
    if not path.is_file():
        raise UserError("market.no_file", path=str(path))
    if path.suffix.lower() in (".parquet", ".pq"):
        return _read_parquet(path)
    if path.suffix.lower() in (".csv", ".txt", ".tsv"):
        return _read_csv(path)
    raise UserError("market.unknown_file_type", path=str(path))


def _columns(names: Sequence[str], path: Path) -> dict[str, int]:
    """Which column is what, by heading."""
    plain = [name.strip().lower() for name in names]
    found = {
        field: next(plain.index(heading) for heading in headings if heading in plain)
        for field, headings in HEADINGS.items()
        if any(heading in plain for heading in headings)
    }
    missing = [field for field in REQUIRED if field not in found]
    if missing:
        raise UserError(
            "market.missing_columns", path=str(path), missing=", ".join(missing), found=", ".join(names) or "—"
        )
    return found


def _read_csv(path: Path) -> BarTable:
    raw = path.read_bytes()
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            text = raw.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    else:
        raise UserError("market.unreadable_file", path=str(path), detail="utf-8, gb18030")
    lines = text.splitlines()
    if not lines:
        raise UserError("market.empty_file", path=str(path))
    delimiter = "\t" if lines[0].count("\t") > lines[0].count(",") else ","
    rows = csv.reader(lines, delimiter=delimiter)
    columns = _columns(next(rows), path)
    width = max(columns.values()) + 1
    cells = [row + [""] * (width - len(row)) if len(row) < width else row for row in rows if row]
    picked = {field: [row[index].strip() for row in cells] for field, index in columns.items()}
    return _table_of_texts(picked)


def _table_of_texts(columns: Mapping[str, list[str]]) -> BarTable:
    count = len(columns["date"])
    numbers: dict[str, Floats] = {}
    bad: dict[str, np.ndarray[tuple[int], np.dtype[np.bool_]]] = {}
    for field in NUMBERS:
        texts = columns.get(field)
        values = np.full(count, np.nan)
        wrong = np.zeros(count, dtype=bool)
        for row, text in enumerate(texts or ()):
            if text:
                try:
                    values[row] = float(text.replace(",", ""))
                except ValueError:
                    wrong[row] = True
        numbers[field], bad[field] = values, wrong
    symbols, symbol = np.unique(np.array(columns["symbol"], dtype=str), return_inverse=True)
    adjustments, adj = _adjustment_codes(columns.get("adj"), count)
    return BarTable(
        symbol=symbol,
        symbols=tuple(str(text) for text in symbols),
        adj=adj,
        adjustments=adjustments,
        date=_dates(columns["date"]),
        numbers=numbers,
        bad_numbers=bad,
        date_texts=tuple(columns["date"]),
    )


def _adjustment_codes(
    texts: list[str] | None, count: int
) -> tuple[tuple[str, ...], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    if texts is None:
        return (), np.zeros(count, dtype=np.int64)
    distinct, codes = np.unique(np.array(texts, dtype=str), return_inverse=True)
    return tuple(str(text) for text in distinct), codes


def _dates(texts: list[str]) -> np.ndarray[tuple[int], np.dtype[np.datetime64]]:
    """Dates from `2026-06-30`, `2026/6/30`, `20260630`, with or without a time; NaT where it is none."""
    known: dict[str, np.datetime64] = {}
    for text in set(texts):
        known[text] = _date(text)
    return np.array([known[text] for text in texts], dtype="datetime64[D]")


def _date(text: str) -> np.datetime64:
    part = re.split("[ T]", text, maxsplit=1)[0].replace("/", "-").replace(".", "-")
    if part.isdigit() and len(part) == 8:
        part = f"{part[:4]}-{part[4:6]}-{part[6:]}"
    elif part.count("-") == 2:
        year, month, day_of_month = part.split("-")
        part = f"{year}-{month:0>2}-{day_of_month:0>2}"
    try:
        return np.datetime64(part, "D") if len(part) == 10 else np.datetime64("NaT")
    except ValueError:
        return np.datetime64("NaT")


def _read_parquet(path: Path) -> BarTable:
    try:
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq
    except ImportError:
        raise UserError("market.parquet_missing", command=PARQUET_COMMAND) from None
    try:
        names = list(pq.read_schema(path).names)
        columns = _columns(names, path)
        table = pq.read_table(path, columns=[names[index] for index in columns.values()])
    except (pa.ArrowException, OSError) as problem:
        raise UserError("market.unreadable_file", path=str(path), detail=str(problem)) from None

    def column(field: str) -> pa.ChunkedArray:
        return table[names[columns[field]]].combine_chunks()

    def coded(field: str) -> tuple[tuple[str, ...], np.ndarray[tuple[int], np.dtype[np.int64]]]:
        values = pc.cast(column(field), pa.string()).fill_null("").dictionary_encode()
        return tuple(values.dictionary.to_pylist()), values.indices.to_numpy().astype(np.int64)

    days = _parquet_days(column("date"))
    symbols, symbol = coded("symbol")
    adjustments, adj = coded("adj") if "adj" in columns else ((), np.zeros(len(days), dtype=np.int64))
    absent = np.full(len(days), np.nan)
    numbers = {field: _parquet_numbers(column(field)) if field in columns else absent for field in NUMBERS}
    clean = np.zeros(len(days), dtype=bool)
    return BarTable(
        symbol=symbol,
        symbols=symbols,
        adj=adj,
        adjustments=adjustments,
        date=days,
        numbers=numbers,
        bad_numbers=dict.fromkeys(NUMBERS, clean),
        first_row=1,
    )


def _parquet_days(column: pa.ChunkedArray) -> np.ndarray[tuple[int], np.dtype[np.datetime64]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_integer(kind) or pa.types.is_dictionary(kind):
        return _dates([text or "" for text in pc.cast(column, pa.string()).to_pylist()])
    whole = pc.cast(column, pa.date32(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(whole, dtype="datetime64[D]")


def _parquet_numbers(column: pa.ChunkedArray) -> Floats:
    import pyarrow as pa
    import pyarrow.compute as pc

    wide: Floats = pc.cast(column, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return _shortest(wide) if pa.types.is_float32(column.type) else wide


def _shortest(values: Floats) -> Floats:
    """Numbers that were kept with 24 bits, without the digits that those bits do not hold (10.1 instead of 10.10000038)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        digits = np.clip(6 - np.floor(np.log10(np.abs(values))), 0, 4)
    result = values.copy()
    for places in range(5):
        chosen = digits == places
        result[chosen] = np.round(values[chosen], places)
    return result
