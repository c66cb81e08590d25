"""What must hold of every row of a person's file. A row that fails is named with its reason; prices are never repaired."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, TypeAlias

import numpy as np

from runtime.market.bars import Adjust
from runtime.market.table import BarTable

Mask: TypeAlias = np.ndarray[tuple[int], np.dtype[np.bool_]]

ADJUSTMENTS: Final[Mapping[str, Adjust]] = {
    "none": "raw",
    "raw": "raw",
    "不复权": "raw",
    "除权": "raw",
    "qfq": "qfq",
    "forward": "qfq",
    "前复权": "qfq",
    "hfq": "hfq",
    "backward": "hfq",
    "后复权": "hfq",
}
_SYMBOL: Final = re.compile(r"^(?:(SH|SZ|BJ)\.?(\d{6})|(\d{6})\.(SH|SS|SZ|BJ|XSHG|XSHE)|(\d{6}))$")
_SAME_EXCHANGE: Final = {"SS": "SH", "XSHG": "SH", "XSHE": "SZ"}
_BY_PREFIX: Final = (
    ("60", "SH"),
    ("68", "SH"),
    ("90", "SH"),
    ("51", "SH"),
    ("56", "SH"),
    ("58", "SH"),
    ("00", "SZ"),
    ("30", "SZ"),
    ("20", "SZ"),
    ("15", "SZ"),
    ("39", "SZ"),
    ("92", "BJ"),
    ("8", "BJ"),
    ("4", "BJ"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRow:
    """A row that cannot be imported: its number as a person counts, and the key and fields of the reason."""

    row: int
    symbol: str
    reason_key: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The outcome for a table: which rows are good, every reason, and ids and adjustments by code."""

    good: Mask
    bad: tuple[BadRow, ...]
    symbols: tuple[str, ...]
    adjustments: tuple[Adjust | None, ...]


def canonical_symbol(text: str) -> str | None:
    """The exchange-qualified id of a code in any common notation; None when it is none."""
    match = _SYMBOL.match(text.strip().upper())
    if match is None:
        return None
    before, code1, code2, after, bare = match.groups()
    if bare is None:
        exchange = before or _SAME_EXCHANGE.get(after, after)
        return f"{code1 or code2}.{exchange}"
    return next((f"{bare}.{exchange}" for prefix, exchange in _BY_PREFIX if bare.startswith(prefix)), None)


def check(table: BarTable, *, adjust: Adjust | None, today: date) -> Checked:
    """Check every row.

    Args:
        table: the rows.
        adjust: the adjustment of files without such a column.
        today: bars after it are refused.
    """
    symbols = tuple(canonical_symbol(text) or "" for text in table.symbols)
    adjustments: tuple[Adjust | None, ...] = (
        tuple(ADJUSTMENTS.get(text.strip().lower()) for text in table.adjustments) if table.adjustments else (adjust,)
    )
    rows = _Rows(table)
    rows.fail(np.array([not symbol for symbol in symbols], dtype=bool)[table.symbol], "market.bad_symbol")
    rows.fail(np.array([item is None for item in adjustments], dtype=bool)[table.adj], "market.bad_adjust")
    rows.fail(np.isnat(table.date), "market.bad_date")
    rows.fail(table.date > np.datetime64(today, "D"), "market.future_date")
    _check_numbers(rows, table)
    rows.fail(_duplicates(table, rows.good, symbols, adjustments), "market.duplicate_row")
    return Checked(good=rows.good, bad=rows.bad(), symbols=symbols, adjustments=adjustments)


class _Rows:
    """Which rows are good so far, and the first reason against each of the others."""

    def __init__(self, table: BarTable) -> None:
        self._table = table
        self._found: list[tuple[int, str, str]] = []
        self.good = np.ones(len(table), dtype=bool)

    def fail(self, mask: Mask, key: str, column: str | None = None) -> None:
        """Note a reason against the rows of a mask; `column` is the number that is shown with it."""
        table = self._table
        for index in np.flatnonzero(mask & self.good):
            value = "" if column is None else f"{table.numbers[column][index]:g}"
            if key in ("market.bad_date", "market.future_date") and table.date_texts:
                value = table.date_texts[index]
            self._found.append((int(index), key, value))
        self.good[mask] = False

    def bad(self) -> tuple[BadRow, ...]:
        """The bad rows in the order of the file."""
        table = self._table
        return tuple(
            BadRow(row=index + table.first_row, symbol=table.symbols[table.symbol[index]], reason_key=key, value=value)
            for index, key, value in sorted(self._found)
        )


def _check_numbers(rows: _Rows, table: BarTable) -> None:
    numbers = table.numbers
    for column, mask in table.bad_numbers.items():
        rows.fail(mask, f"market.bad_{column}")
    for column in ("open", "high", "low", "close"):
        rows.fail(np.isnan(numbers[column]), f"market.bad_{column}")
        rows.fail(~(numbers[column] > 0), "market.not_positive", column)
        rows.fail(~np.isfinite(numbers[column]), f"market.bad_{column}")
    rows.fail(~np.isfinite(numbers["volume"]), "market.bad_volume")
    rows.fail(np.isinf(numbers["amount"]), "market.bad_amount")
    rows.fail(numbers["volume"] < 0, "market.negative_volume", "volume")
    rows.fail(numbers["amount"] < 0, "market.negative_amount", "amount")
    rows.fail(numbers["high"] < numbers["low"], "market.high_below_low", "high")
    slack = 1e-6 * numbers["high"]
    rows.fail(
        numbers["high"] + slack < np.maximum(numbers["open"], numbers["close"]), "market.high_not_highest", "high"
    )
    rows.fail(numbers["low"] - slack > np.minimum(numbers["open"], numbers["close"]), "market.low_not_lowest", "low")


def _duplicates(table: BarTable, good: Mask, symbols: tuple[str, ...], adjustments: tuple[Adjust | None, ...]) -> Mask:
    """The second and later rows of one symbol, adjustment and day, however they are spelled."""
    index = np.flatnonzero(good)
    symbol = np.unique(np.array(symbols), return_inverse=True)[1][table.symbol[index]]
    adjust = np.unique(np.array([text or "" for text in adjustments]), return_inverse=True)[1][table.adj[index]]
    day = table.date[index].astype("datetime64[D]").astype(np.int64)
    order = np.lexsort((index, day, adjust, symbol))
    ordered = index[order]
    same = (np.diff(day[order]) == 0) & (np.diff(adjust[order]) == 0) & (np.diff(symbol[order]) == 0)
    mask = np.zeros(len(table), dtype=bool)
    mask[ordered[1:][same]] = True
    return mask
