"""The sample market that ships with the program: invented stocks whose last day is their own today.

Ids end in `.SIM`; no real stock is ever answered from here. Files are read when first asked for, once for each `SampleMarket`.
Built by `packaging/build_sample_market.py`.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from runtime.core.symbols import AssetKind, Instrument
from runtime.errors import InternalError
from runtime.market.bars import Bars, Days, day
from runtime.paths import resource

SOURCE: Final = "样本市场"
TICKS_A_YUAN: Final = 100
SHARES_A_LOT: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Store:
    """The arrays of the file: `days` (d,), `ticks` (stocks, d, 4) as open, high, low, close, 0 where suspended, and the like."""

    days: Days
    ticks: NDArray[np.int64]
    lots: NDArray[np.int64]
    amount: NDArray[np.int64]


class SampleMarket:
    """The bundled instruments and their daily bars.

    Args:
        folder: where `instruments.csv` and `bars.npz` are, for tests; None means the bundled ones.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or resource("sample_market")

    def instruments(self) -> tuple[Instrument, ...]:
        """All instruments in the order of the file; the index comes last."""
        return tuple(instrument for instrument, _ in self._rows.values())

    def industry(self, symbol: str) -> str | None:
        """The industry of a stock, None for the index and for ids that are not from here."""
        row = self._rows.get(symbol)
        return row[1] or None if row else None

    def bars(self, symbol: str) -> Bars | None:
        """All bars of an id, None when it is not from here."""
        if symbol not in self._rows:
            return None
        at = list(self._rows).index(symbol)
        store = self._store
        traded = store.ticks[at, :, 0] > 0
        prices = store.ticks[at, traded] / TICKS_A_YUAN
        return Bars(
            symbol=symbol,
            dates=store.days[traded],
            open=prices[:, 0],
            high=prices[:, 1],
            low=prices[:, 2],
            close=prices[:, 3],
            volume=store.lots[at, traded] * float(SHARES_A_LOT),
            amount=store.amount[at, traded].astype(np.float64),
            adjust="qfq",
            source=SOURCE,
        )

    @property
    def as_of(self) -> date:
        """The last day of the sample market, which is its today."""
        return day(self._store.days[-1])

    @cached_property
    def _rows(self) -> dict[str, tuple[Instrument, str]]:
        rows: dict[str, tuple[Instrument, str]] = {}
        with self._open("instruments.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                kind = cast("AssetKind", row["kind"])
                instrument = Instrument(symbol=row["symbol"], name=row["name"], kind=kind)
                rows[instrument.symbol] = (instrument, row["industry"])
        return rows

    @cached_property
    def _store(self) -> _Store:
        with np.load(self._open("bars.npz"), allow_pickle=False) as file:
            return _Store(
                days=file["days"].astype("datetime64[D]"),
                ticks=file["ticks"].astype(np.int64),
                lots=file["lots"].astype(np.int64),
                amount=file["amount"].astype(np.int64),
            )

    def _open(self, name: str) -> Path:
        path = self._folder / name
        if not path.is_file():
            raise InternalError("market.sample_missing", path=str(path))
        return path
