"""Daily bars on this machine: `market.db`, one row for each series and year, arrays as bytes.

Always: a series is one symbol with one adjustment; reading one touches only the years it needs. A write is one transaction: all of it or
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, cast

import numpy as np
from sqlalchemy import (
    Column,
    Connection,
    Date,
    Integer,
    LargeBinary,
    MetaData,
    Row,
    Table,
    Text,
    delete,
    func,
    insert,
    inspect,
    select,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from runtime.market.bars import Adjust, Bars
from runtime.storage.engine import Database
from runtime.storage.types import Moment

metadata = MetaData()

series = Table(
    "series",
    metadata,
    Column("symbol", Text, primary_key=True),
    Column("adjust", Text, primary_key=True),
    Column("source", Text, nullable=False),
    Column("first", Date, nullable=False),
    Column("last", Date, nullable=False),
    Column("rows", Integer, nullable=False),
    Column("imported_at", Moment, nullable=False),
)

chunk = Table(
    "chunk",
    metadata,
    Column("symbol", Text, primary_key=True),
    Column("adjust", Text, primary_key=True),
    Column("year", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

_RECORD: Final = np.dtype(
    [
        ("date", "<i4"),
        ("open", "<f8"),
        ("high", "<f8"),
        ("low", "<f8"),
        ("close", "<f8"),
        ("volume", "<f8"),
        ("amount", "<f8"),
    ]
)
_PRICES: Final = ("open", "high", "low", "close", "volume", "amount")
_PREFERRED: Final[tuple[Adjust, ...]] = ("qfq", "raw")  # 后复权 prices are no prices to set a stop by


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesInfo:
    """What is stored of one series."""

    symbol: str
    adjust: Adjust
    source: str
    first: date
    last: date
    rows: int
    imported_at: datetime


class BarStore:
    """Reads and writes bars.

    Args:
        database: an open `market.db`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        # Looked for first: making tables waits for whoever is writing, and an import writes for a while.
        if not database.reading(lambda connection: inspect(connection).has_table(series.name)):
            metadata.create_all(database.engine)

    async def read(self, symbol: str, adjust: Adjust | None = None, limit: int | None = None) -> Bars | None:
        """The last `limit` bars of a series (all without a limit).

        Args:
            symbol: exchange-qualified id.
            adjust: the adjustment; None = 前复权 where there is one, else raw, else 后复权.
            limit: how many bars at most.

        Returns:
            None when there is no such series.
        """
        return await self._database.read(lambda connection: self._read(connection, symbol, adjust, limit))

    async def tails(self, symbols: Sequence[str], count: int) -> tuple[Bars, ...]:
        """The last `count` bars of many symbols in one go; symbols without bars are absent."""

        def work(connection: Connection) -> tuple[Bars, ...]:
            found = (self._read(connection, symbol, None, count) for symbol in symbols)
            return tuple(bars for bars in found if bars is not None)

        return await self._database.read(work)

    async def infos(self) -> tuple[SeriesInfo, ...]:
        """Every series, by symbol."""
        statement = select(series).order_by(series.c.symbol, series.c.adjust)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(_info(row) for row in rows)

    async def symbols(self) -> tuple[str, ...]:
        """Every symbol that has bars."""
        return await self._database.read(self.stored_symbols)

    def stored_symbols(self, connection: Connection) -> tuple[str, ...]:
        """The same inside a transaction of the caller."""
        return tuple(row[0] for row in connection.execute(select(series.c.symbol).distinct()))

    def existing(self, connection: Connection, keys: Iterable[tuple[str, Adjust]]) -> Iterator[Bars]:
        """The stored series among the keys, whole; inside a transaction of the caller."""
        for symbol, adjust in keys:
            found = self._read(connection, symbol, adjust, None)
            if found is not None:
                yield found

    def replace(self, connection: Connection, bars: Bars, imported_at: datetime) -> None:
        """Write a whole series in place of what there was; inside a transaction of the caller."""
        key = {"symbol": bars.symbol, "adjust": bars.adjust}
        connection.execute(delete(chunk).where(chunk.c.symbol == bars.symbol, chunk.c.adjust == bars.adjust))
        connection.execute(insert(chunk), [key | {"year": year, "data": data} for year, data in _chunks(bars).items()])
        values = {
            "source": bars.source,
            "first": bars.first_date,
            "last": bars.as_of,
            "rows": len(bars),
            "imported_at": imported_at,
        }
        statement = upsert(series).values(key | values)
        connection.execute(statement.on_conflict_do_update(index_elements=["symbol", "adjust"], set_=values))

    def _read(self, connection: Connection, symbol: str, adjust: Adjust | None, limit: int | None) -> Bars | None:
        query = select(series).where(series.c.symbol == symbol)
        found = {row.adjust: row for row in connection.execute(query)}
        wanted = (adjust,) if adjust is not None else _PREFERRED
        info = next((found[name] for name in wanted if name in found), None)
        if info is None:
            return None
        query = (
            select(chunk.c.data)
            .where(chunk.c.symbol == symbol, chunk.c.adjust == info.adjust)
            .order_by(chunk.c.year.desc())
        )
        parts: list[np.ndarray[tuple[int], np.dtype[np.void]]] = []
        total = 0
        result = connection.execute(query)
        for (data,) in result:
            parts.append(np.frombuffer(data, dtype=_RECORD))
            total += len(parts[-1])
            if limit is not None and total >= limit:
                break
        result.close()
        records = np.concatenate(parts[::-1])
        return _bars(symbol, info.adjust, info.source, records if limit is None else records[-limit:])

    async def count(self) -> Mapping[str, int]:
        """How many bars there are by adjustment."""
        statement = select(series.c.adjust, func.sum(series.c.rows)).group_by(series.c.adjust)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return {row[0]: int(row[1]) for row in rows}


def _chunks(bars: Bars) -> dict[int, bytes]:
    """The bytes of each year."""
    records = np.empty(len(bars), dtype=_RECORD)
    records["date"] = bars.dates.astype("datetime64[D]").astype(np.int32)
    for name in _PRICES:
        records[name] = getattr(bars, name)
    years = bars.dates.astype("datetime64[Y]").astype(int) + 1970
    starts = np.flatnonzero(np.diff(years, prepend=years[0] - 1))
    stops = [*starts[1:], len(records)]
    return {int(years[a]): records[a:b].tobytes() for a, b in zip(starts, stops, strict=True)}


def _bars(symbol: str, adjust: Adjust, source: str, records: np.ndarray[tuple[int], np.dtype[np.void]]) -> Bars:
    columns = {name: np.ascontiguousarray(records[name]) for name in _PRICES}
    return Bars(symbol=symbol, dates=records["date"].astype("datetime64[D]"), adjust=adjust, source=source, **columns)


def _info(row: Row[tuple[object, ...]]) -> SeriesInfo:
    return SeriesInfo(
        symbol=row.symbol,
        adjust=cast("Adjust", row.adjust),
        source=row.source,
        first=row.first,
        last=row.last,
        rows=row.rows,
        imported_at=row.imported_at,
    )


def merged(stored: Bars, new: Bars) -> Bars | None:
    """Both series as one, the new bars winning; None when they disagree and so have different bases.

    Raw prices never change, so a new file may correct them. Adjusted ones change with every dividend: they join only where the closes of
    common days agree.
    """
    common, at_stored, at_new = np.intersect1d(stored.dates, new.dates, return_indices=True)
    agree = bool(len(common)) and np.allclose(stored.close[at_stored], new.close[at_new], rtol=1e-4, atol=0.005)
    if stored.adjust != "raw" and not agree:
        covers = new.first_date <= stored.first_date and new.as_of >= stored.as_of
        return new if covers else None
    keep = ~np.isin(stored.dates, new.dates)
    dates = np.concatenate([stored.dates[keep], new.dates])
    order = np.argsort(dates, kind="stable")
    columns = {name: np.concatenate([getattr(stored, name)[keep], getattr(new, name)])[order] for name in _PRICES}
    return Bars(symbol=new.symbol, dates=dates[order], adjust=new.adjust, source=new.source, **columns)
