"""Prices for everything above: local bars for real instruments, the bundled sample market for `.SIM` and for nothing else.

Every answer says where it comes from and as of when. What is missing is an error that says how to get it, never an empty series.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, TypeAlias

import numpy as np

from runtime.clock import Clock
from runtime.core.symbols import Instrument
from runtime.errors import UserError
from runtime.market.bars import Adjust, Bars
from runtime.market.calendar import TradingCalendar
from runtime.market.quotes import Quote
from runtime.market.sample import SampleMarket
from runtime.market.store import BarStore
from runtime.market.symbols import InstrumentDirectory
from runtime.numbers import price

MarketMode: TypeAlias = Literal["auto", "sample"]
OverviewOf: TypeAlias = Literal["auto", "local", "sample"]
_REAL_PRICES: Final[tuple[Adjust, ...]] = ("raw", "qfq")
INDICES: Final = ("000001.SH", "399001.SZ", "399006.SZ", "000300.SH", "000688.SH")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexLine:
    """An index in the overview: last close, change in per cent against the day before, over 20 days, distance from MA60 in per cent."""

    instrument: Instrument
    close: float
    change_pct: float | None
    change_20d_pct: float | None
    above_ma60_pct: float | None
    as_of: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Breadth:
    """How many stocks rose, fell and stayed on a day, of those with bars here; median change in per cent."""

    day: date
    sample_size: int
    up: int
    down: int
    flat: int
    median_change_pct: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The market in one look. `breadth` is None where no stock has bars."""

    source: str
    sample: bool
    as_of: date | None
    stale: bool
    indices: tuple[IndexLine, ...]
    breadth: Breadth | None


class MarketData:
    """Where prices come from.

    Args:
        store: local bars.
        sample: the bundled sample market.
        directory: all instruments.
        calendar: trading days.
        clock: decides what is stale.
        mode: `sample` pins the sample market: real instruments are refused.
        local_source: name of the local store, as shown.
    """

    def __init__(
        self,
        *,
        store: BarStore,
        sample: SampleMarket,
        directory: InstrumentDirectory,
        calendar: TradingCalendar,
        clock: Clock,
        mode: MarketMode,
        local_source: str,
    ) -> None:
        self._store = store
        self._sample = sample
        self._directory = directory
        self._calendar = calendar
        self._clock = clock
        self._mode = mode
        self._local_source = local_source

    async def daily(self, symbol: str, *, adjust: Adjust | None = None, limit: int | None = None) -> Bars:
        """Daily bars of an instrument, the newest last.

        Args:
            symbol: exchange-qualified id.
            adjust: None = the series best for analysis (前复权 where there is one).
            limit: how many bars at most.

        Raises:
            UserError: no bars; the text says how to get them.
        """
        if symbol.endswith(".SIM"):
            bars = await asyncio.to_thread(self._sample.bars, symbol)
            if bars is not None:
                return bars if limit is None else bars.tail(limit)
            raise UserError("market.no_bars_sample", symbol=symbol)
        if self._mode == "sample":
            raise UserError("market.sample_only", symbol=symbol, name=self._name(symbol))
        found = await self._store.read(symbol, adjust, limit)
        if found is None:
            raise UserError("market.no_bars", symbol=symbol, name=self._name(symbol))
        return found

    async def last_quotes(self, symbols: Sequence[str]) -> Mapping[str, Quote]:
        """The last closes of instruments; those without bars are absent."""
        quotes: dict[str, Quote] = {}
        for symbol in symbols:
            bars = await self._last_bars(symbol)
            if bars is None:
                continue
            quotes[symbol] = Quote(
                symbol=symbol,
                price=price(bars.close[-1]),
                previous_close=price(bars.close[-2]) if len(bars) > 1 else None,
                as_of=bars.as_of,
                source=bars.source,
            )
        return quotes

    async def _last_bars(self, symbol: str) -> Bars | None:
        """The last two bars at prices that were really paid: 不复权, else 前复权, whose last close is the same; never 后复权."""
        found: list[Bars] = []
        for adjust in _REAL_PRICES:
            try:
                found.append(await self.daily(symbol, adjust=adjust, limit=2))
            except UserError:
                continue
        return max(found, key=lambda bars: bars.as_of, default=None)  # of equally new ones the first

    def is_stale(self, bars: Bars) -> bool:
        """Whether a newer trading day should be there. The sample market has its own fixed today."""
        return not bars.symbol.endswith(".SIM") and bars.as_of < self._calendar.last_final(self._clock.now())

    async def overview(self, which: OverviewOf = "auto") -> Overview:
        """Indices and breadth of the local bars, or of the sample market.

        Args:
            which: `auto` takes the sample market when nothing real is stored; where that is pinned nothing else is taken.
        """
        pinned = self._mode == "sample"
        stored = () if which == "sample" or pinned else await self._store.symbols()
        use_sample = pinned or (not stored and which != "local")
        symbols = [item.symbol for item in self._sample.instruments()] if use_sample else list(stored)
        kinds = {symbol: self._directory.get(symbol) for symbol in symbols}
        indices = [symbol for symbol, item in kinds.items() if item is not None and item.kind == "index"]
        wanted = indices if use_sample else [symbol for symbol in INDICES if symbol in kinds]
        lines = [line for symbol in wanted if (line := await self._index_line(symbol, kinds[symbol])) is not None]
        breadth = await self._breadth([symbol for symbol in symbols if symbol not in indices])
        newest = max([line.as_of for line in lines] + ([breadth.day] if breadth else []), default=None)
        stale = not use_sample and newest is not None and newest < self._calendar.last_final(self._clock.now())
        return Overview(
            source=self._sample_source() if use_sample else self._local_source,
            sample=use_sample,
            as_of=newest,
            stale=stale,
            indices=tuple(lines),
            breadth=breadth,
        )

    def _sample_source(self) -> str:
        symbol = self._sample.instruments()[0].symbol
        bars = self._sample.bars(symbol)
        return bars.source if bars is not None else ""

    async def _index_line(self, symbol: str, instrument: Instrument | None) -> IndexLine | None:
        bars = await self.daily(symbol, limit=61)
        if instrument is None or not len(bars):
            return None
        close = bars.close

        def change(back: int) -> float | None:
            return float(close[-1] / close[-1 - back] - 1) * 100 if len(close) > back else None

        ma60 = float(np.mean(close[-60:])) if len(close) >= 60 else None
        return IndexLine(
            instrument=instrument,
            close=float(close[-1]),
            change_pct=change(1),
            change_20d_pct=change(20),
            above_ma60_pct=None if ma60 is None else (float(close[-1]) / ma60 - 1) * 100,
            as_of=bars.as_of,
        )

    async def _breadth(self, symbols: Sequence[str]) -> Breadth | None:
        """Breadth on the newest day that any stock has; stocks without a bar on it are not counted."""
        pairs = [pair for pair in await self._tails(symbols, 2) if len(pair) == 2]
        last = [(bars.as_of, float(bars.close[1] / bars.close[0] - 1) * 100) for bars in pairs]
        if not last:
            return None
        newest = max(when for when, _ in last)
        changes = np.array([change for when, change in last if when == newest])
        return Breadth(
            day=newest,
            sample_size=len(changes),
            up=int((changes > 0).sum()),
            down=int((changes < 0).sum()),
            flat=int((changes == 0).sum()),
            median_change_pct=float(np.median(changes)),
        )

    async def _tails(self, symbols: Sequence[str], count: int) -> tuple[Bars, ...]:
        """The last bars of many symbols of one market."""
        if all(symbol.endswith(".SIM") for symbol in symbols):
            found = [await asyncio.to_thread(self._sample.bars, symbol) for symbol in symbols]
            return tuple(bars.tail(count) for bars in found if bars is not None)
        return await self._store.tails(symbols, count)

    def _name(self, symbol: str) -> str:
        instrument = self._directory.get(symbol)
        return symbol if instrument is None else instrument.name
