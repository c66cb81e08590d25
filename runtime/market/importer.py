"""Bring a person's file of daily bars into the store: whole, or not at all.

Runs on a worker thread. Everything is checked before anything is written; the write is one transaction, so a cancel or a crash leaves the
store as it was.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Final

import numpy as np
from sqlalchemy import Connection

from runtime.errors import UserError
from runtime.market.bars import Adjust, Bars
from runtime.market.checks import BadRow, Checked, Mask, check
from runtime.market.store import BarStore, merged
from runtime.market.table import NUMBERS, BarTable, read_table
from runtime.storage.engine import Database

SHOWN_BAD_ROWS: Final = 20
Progress = Callable[[str, float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How to import.

    Attributes:
        adjust: the adjustment of a file without such a column; with one, it must not be given.
        skip_bad: leave bad rows out instead of refusing the file.
        replace: let the file's series take the place of stored ones whose base differs.
    """

    adjust: Adjust | None = None
    skip_bad: bool = False
    replace: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What was imported, or why nothing was.

    Attributes:
        imported: whether the store changed.
        rows: bars that were taken.
        symbols: how many instruments.
        series: how many series (symbol and adjustment).
        first: day of the oldest bar; None when nothing was taken.
        last: day of the newest bar.
        bad: rows that cannot be taken, all of them.
        conflicts: series whose adjusted prices do not fit the stored ones.
        seconds: how long it took.
    """

    imported: bool
    rows: int
    symbols: int
    series: int
    first: date | None
    last: date | None
    bad: tuple[BadRow, ...]
    conflicts: tuple[str, ...]
    seconds: float


class ImportCancelled(Exception):  # noqa: N818 - it is no error: the person stopped it
    """The import was stopped; nothing was changed."""


def import_file(
    database: Database,
    store: BarStore,
    path: Path,
    options: ImportOptions,
    *,
    now: datetime,
    source: str,
    progress: Progress = lambda _stage, _fraction: None,
    cancel: threading.Event | None = None,
) -> ImportReport:
    """Import one file.

    Args:
        database: the open `market.db` of the store.
        store: where the bars go.
        path: CSV or Parquet.
        options: how.
        now: dates the import; later bars are refused.
        source: name of the source that the bars will carry.
        progress: told the stage (`read`, `check`, `write`) and its fraction.
        cancel: set it to stop.

    Raises:
        UserError: the file as a whole cannot be used.
        ImportCancelled: `cancel` was set; nothing was changed.
    """
    started = time.monotonic()
    table, checked = _checked_table(path, options, now, progress, cancel)
    if checked.bad and not options.skip_bad:
        return _refused(checked.bad, (), started)
    write = _Write(store, options, now, progress, cancel)
    groups = _groups(table, checked)
    try:
        database.transaction(lambda connection: write(connection, _series(table, checked, groups, source), len(groups)))
    except _Conflict:
        return _refused(checked.bad, tuple(write.conflicts), started)
    return ImportReport(
        imported=write.series > 0,
        rows=int(checked.good.sum()),
        symbols=len(write.symbols),
        series=write.series,
        first=write.first,
        last=write.last,
        bad=checked.bad,
        conflicts=(),
        seconds=time.monotonic() - started,
    )


def _checked_table(
    path: Path, options: ImportOptions, now: datetime, progress: Progress, cancel: threading.Event | None
) -> tuple[BarTable, Checked]:
    """Read and check a file; what is wrong with it as a whole is an error."""
    progress("read", 0.0)
    table = read_table(path)
    if not len(table):
        raise UserError("market.empty_file", path=str(path))
    if not table.adjustments and options.adjust is None:
        raise UserError("market.adjust_needed", path=str(path))
    if table.adjustments and options.adjust is not None:
        raise UserError("market.adjust_twice", path=str(path))
    _stop_if(cancel)
    progress("check", 0.0)
    return table, check(table, adjust=options.adjust, today=now.date())


class _Conflict(Exception):  # noqa: N818 - rolls the transaction back, nothing else
    pass


class _Write:
    """Writes the series of a file in one transaction, and adds up what it wrote."""

    def __init__(
        self,
        store: BarStore,
        options: ImportOptions,
        now: datetime,
        progress: Progress,
        cancel: threading.Event | None,
    ) -> None:
        self._store = store
        self._options = options
        self._now = now
        self._progress = progress
        self._cancel = cancel
        self.symbols: set[str] = set()
        self.series = 0
        self.first: date | None = None
        self.last: date | None = None
        self.conflicts: list[str] = []

    def __call__(self, connection: Connection, series: Iterator[Bars], count: int) -> None:
        """Write every series; a conflict takes all of it back, after the others were looked at too."""
        for done, bars in enumerate(series, start=1):
            _stop_if(self._cancel)
            joined = self._joined(connection, bars)
            if joined is None:
                self.conflicts.append(f"{bars.symbol} {bars.adjust}")
            elif not self.conflicts:
                self._store.replace(connection, joined, self._now)
                self._add(bars)
            self._progress("write", done / count)
        if self.conflicts:
            raise _Conflict

    def _joined(self, connection: Connection, bars: Bars) -> Bars | None:
        """The series with what is stored already; None when their bases differ."""
        stored = next(self._store.existing(connection, [(bars.symbol, bars.adjust)]), None)
        return bars if stored is None or self._options.replace else merged(stored, bars)

    def _add(self, bars: Bars) -> None:
        self.symbols.add(bars.symbol)
        self.series += 1
        self.first = bars.first_date if self.first is None else min(self.first, bars.first_date)
        self.last = bars.as_of if self.last is None else max(self.last, bars.as_of)


def _refused(bad: tuple[BadRow, ...], conflicts: tuple[str, ...], started: float) -> ImportReport:
    return ImportReport(
        imported=False,
        rows=0,
        symbols=0,
        series=0,
        first=None,
        last=None,
        bad=bad,
        conflicts=conflicts,
        seconds=time.monotonic() - started,
    )


def _stop_if(cancel: threading.Event | None) -> None:
    if cancel is not None and cancel.is_set():
        raise ImportCancelled


def _groups(table: BarTable, checked: Checked) -> list[Mask]:
    """The row numbers of each series, in order of their days."""
    index = np.flatnonzero(checked.good)
    if not len(index):
        return []
    # Different spellings of one symbol, or of one adjustment, are one series.
    symbols = np.unique(np.array(checked.symbols), return_inverse=True)[1][table.symbol[index]]
    adjusts = np.unique(np.array([text or "" for text in checked.adjustments]), return_inverse=True)[1][
        table.adj[index]
    ]
    order = np.lexsort((table.date[index], adjusts, symbols))
    key = symbols[order] * 16 + adjusts[order]
    borders = np.flatnonzero(np.diff(key)) + 1
    return np.split(index[order], borders)


def _series(table: BarTable, checked: Checked, groups: list[Mask], source: str) -> Iterator[Bars]:
    for rows in groups:
        adjust = checked.adjustments[table.adj[rows[0]]]
        if adjust is None:
            raise ValueError("a checked row has an adjustment")
        columns = {name: np.ascontiguousarray(table.numbers[name][rows]) for name in NUMBERS}
        yield Bars(
            symbol=checked.symbols[table.symbol[rows[0]]],
            dates=table.date[rows],
            adjust=adjust,
            source=source,
            **columns,
        )
