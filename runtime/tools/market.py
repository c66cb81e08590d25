"""Tools that look at the market: search, read a stock's chart, overview. They change nothing."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final, Literal, cast

from pydantic import AliasChoices, Field

from runtime.core.json import JsonObject, JsonValue
from runtime.market.rules.limits import LimitSchedule
from runtime.market.service import IndexLine, MarketData, Overview
from runtime.market.symbols import InstrumentDirectory
from runtime.numbers import format_percent
from runtime.texts import Texts
from runtime.tools.definition import (
    AnyTool,
    Meta,
    ToolArgs,
    ToolContext,
    ToolDefinition,
    ToolOutcome,
    instrument_json,
)
from runtime.tools.lookup import instrument_of
from runtime.tools.stock_report import ANALYSED_BARS, last_bar_json, stock_report

SYMBOL: Final = AliasChoices("symbol", "code", "stock_code", "ts_code")


class SearchArgs(ToolArgs):
    """Arguments of `search_stock_by_name`."""

    keyword: str = Field(min_length=1, description="名称、简称、代码或拼音（全拼或首字母）")
    limit: int = Field(default=10, ge=1, le=30, description="最多返回几只")


class AnalyzeArgs(ToolArgs):
    """Arguments of `analyze_stock`."""

    symbol: str = Field(validation_alias=SYMBOL, min_length=1, description="股票代码（带交易所后缀最好）或名称")
    mode: Literal["diagnose", "price"] = Field(
        default="diagnose", description="diagnose：威科夫读图（区间、阶段、事件、关键位）；price：最近若干日的日线"
    )
    days: int = Field(default=30, ge=1, le=250, description="price 模式返回最近多少根日线")


class OverviewArgs(ToolArgs):
    """Arguments of `get_market_overview`."""

    market: Literal["auto", "local", "sample"] = Field(
        default="auto", description="local：只看本机的真实行情；sample：样本市场（.SIM）；auto：有真实行情就用真实的"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketTools:
    """The tools with what they need."""

    market: MarketData
    directory: InstrumentDirectory
    limits: LimitSchedule
    texts: Texts

    def definitions(self) -> tuple[AnyTool, ...]:
        """The definitions, in the order in which a model sees them."""
        return (
            ToolDefinition(
                name="search_stock_by_name",
                args=SearchArgs,
                run=self.search,
                concurrency_safe=True,
                timeout_s=10.0,
                summary_args=("keyword",),
                permissions=("instruments:read",),
            ),
            ToolDefinition(
                name="analyze_stock",
                args=AnalyzeArgs,
                run=self.analyze,
                concurrency_safe=True,
                timeout_s=20.0,
                scope="stock",
                summary_args=("symbol", "mode"),
                permissions=("market_data:read",),
            ),
            ToolDefinition(
                name="get_market_overview",
                args=OverviewArgs,
                run=self.overview,
                concurrency_safe=True,
                timeout_s=15.0,
                permissions=("market_data:read",),
            ),
        )

    async def search(self, _context: ToolContext, args: SearchArgs) -> ToolOutcome:
        """Instruments for a keyword with their last close where bars are here."""
        found = self.directory.search(args.keyword, args.limit)
        quotes = await self.market.last_quotes([item.symbol for item in found])
        matches: list[JsonValue] = []
        for item in found:
            quote = quotes.get(item.symbol)
            price: JsonObject = {}
            if quote is not None:
                price = {"last_close": float(quote.price), "as_of": quote.as_of.isoformat(), "source": quote.source}
            matches.append(instrument_json(item) | price)
        summary = self.texts("tools.search_found", count=len(found), keyword=args.keyword)
        newest = max((quote.as_of for quote in quotes.values()), default=None)
        sources = sorted({quote.source for quote in quotes.values()})
        return ToolOutcome(
            data={"keyword": args.keyword, "matches": matches},
            summary=summary,
            meta=Meta(source="、".join(sources), as_of=newest),
        )

    async def analyze(self, _context: ToolContext, args: AnalyzeArgs) -> ToolOutcome:
        """Read a stock's chart, or list its last bars."""
        instrument = instrument_of(self.directory, args.symbol)
        bars = await self.market.daily(instrument.symbol, limit=ANALYSED_BARS)
        stale = self.market.is_stale(bars)
        meta = Meta(source=bars.source, as_of=bars.as_of, adjust=bars.adjust, unit="元、股", stale=stale)
        head = instrument_json(instrument)
        if args.mode == "price":
            rows: list[JsonValue] = [last_bar_json(bars, back) for back in range(min(args.days, len(bars)) - 1, -1, -1)]
            summary = self.texts("tools.price_rows", name=instrument.name, count=len(rows), day=bars.as_of)
            return ToolOutcome(data=head | {"bars": rows}, summary=summary, meta=meta)
        report = await asyncio.to_thread(stock_report, instrument, bars, self.limits, self.texts)
        return ToolOutcome(data=head | report.data, summary=report.summary, meta=meta)

    async def overview(self, _context: ToolContext, args: OverviewArgs) -> ToolOutcome:
        """Indices and breadth."""
        found = await self.market.overview(args.market)
        meta = Meta(source=found.source, as_of=found.as_of, stale=found.stale, partial=found.breadth is None)
        return ToolOutcome(data=_overview_json(found), summary=self._overview_summary(found), meta=meta)

    def _overview_summary(self, found: Overview) -> str:
        parts = [
            f"{line.instrument.name} {line.close:.2f}（{format_percent(line.change_pct)}）"
            for line in found.indices[:2]
        ]
        if found.breadth is not None:
            parts.append(
                self.texts(
                    "tools.breadth", up=found.breadth.up, down=found.breadth.down, size=found.breadth.sample_size
                )
            )
        if not parts:
            return self.texts("tools.overview_empty")
        return self.texts("tools.overview", parts="；".join(parts), day=found.as_of, source=found.source)


def _overview_json(found: Overview) -> JsonObject:
    breadth = found.breadth
    return {
        "sample": found.sample,
        "indices": cast("list[JsonValue]", [_index_json(line) for line in found.indices]),
        "breadth": None
        if breadth is None
        else {
            "day": breadth.day.isoformat(),
            "sample_size": breadth.sample_size,
            "up": breadth.up,
            "down": breadth.down,
            "flat": breadth.flat,
            "median_change_pct": _round(breadth.median_change_pct),
        },
    }


def _index_json(line: IndexLine) -> JsonObject:
    return instrument_json(line.instrument) | {
        "close": _round(line.close),
        "change_pct": _round(line.change_pct),
        "change_20d_pct": _round(line.change_20d_pct),
        "above_ma60_pct": _round(line.above_ma60_pct),
        "as_of": line.as_of.isoformat(),
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
