"""Tools on the portfolio: look at it, record what is held, record trades, set stops. Writes are previewed and approved."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Final, Literal, Self, cast

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from runtime.clock import Clock, parse_day
from runtime.core.json import JsonObject, JsonValue
from runtime.errors import UserError
from runtime.market.rules.limits import LimitSchedule
from runtime.market.service import MarketData
from runtime.market.symbols import InstrumentDirectory
from runtime.portfolio.diagnosis import diagnose
from runtime.portfolio.operations import (
    KEEP,
    AddPosition,
    Operation,
    RemovePosition,
    SetCash,
    SetStop,
    StopLoss,
    TradeFill,
    UpdatePosition,
)
from runtime.portfolio.service import PortfolioService
from runtime.portfolio.views import PortfolioView, PositionView
from runtime.texts import Texts
from runtime.tools.definition import A, AnyTool, Meta, Prepared, ToolArgs, ToolContext, ToolDefinition, ToolOutcome
from runtime.tools.lookup import instrument_of
from runtime.tools.stock_report import ANALYSED_BARS, limit_ratio_of, phase_text
from runtime.wyckoff.engine import analyze
from runtime.wyckoff.records import Reading

SYMBOL: Final = AliasChoices("symbol", "code", "stock_code", "ts_code")
BUY_DAY: Final = AliasChoices("buy_dt", "buy_day", "buy_date")
DAY: Final = AliasChoices("date", "day", "trade_date")


def _as_day(value: object) -> object:
    return parse_day(value) if isinstance(value, str) else value


Day = Annotated[date, BeforeValidator(_as_day)]
Shares = Annotated[int, Field(gt=0, description="股数（不是手）")]
Yuan = Annotated[Decimal, Field(gt=0, description="元每股")]


class PortfolioArgs(ToolArgs):
    """Arguments of `portfolio`."""

    mode: Literal["view", "diagnose"] = Field(default="view", description="view：持仓与资金；diagnose：逐只体检")


class PositionItem(ToolArgs):
    """One holding of `update_portfolio`. An absent `stop_loss` keeps the stop, null clears it."""

    symbol: str = Field(validation_alias=SYMBOL, min_length=1, description="股票代码或名称")
    name: str = Field(default="", description="名称，仅在代码表里没有时需要")
    shares: Shares | None = None
    cost_price: Yuan | None = None
    buy_dt: Day | None = Field(default=None, validation_alias=BUY_DAY, description="买入日 YYYY-MM-DD")
    stop_loss: Yuan | None = Field(default=None, description="止损价；不给则不变，null 为清除")


class UpdateArgs(ToolArgs):
    """Arguments of `update_portfolio`."""

    action: Literal["add", "update", "remove", "set_cash"] = Field(
        description="add：录入已有持仓；update：更正；remove：删除记录（不是卖出）；set_cash：设置可用现金。成交请用 record_trade_fill"
    )
    symbol: str = Field(default="", validation_alias=SYMBOL, description="股票代码或名称")
    name: str = ""
    shares: Shares | None = None
    cost_price: Yuan | None = None
    buy_dt: Day | None = Field(default=None, validation_alias=BUY_DAY, description="买入日 YYYY-MM-DD")
    stop_loss: Yuan | None = Field(default=None, description="止损价；不给则不变，null 为清除")
    free_cash: Annotated[Decimal, Field(ge=0)] | None = Field(default=None, description="可用现金，元；set_cash 必填")
    items: tuple[PositionItem, ...] = Field(default=(), max_length=30, description="批量，与单只的字段二选一")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.action == "set_cash":
            if self.free_cash is None or self.symbol or self.items:
                raise ValueError("set_cash needs free_cash and nothing else")
        elif self.free_cash is not None:
            raise ValueError("free_cash belongs to set_cash only")
        elif bool(self.symbol) == bool(self.items):
            raise ValueError("give either symbol or items")
        for item in self.holdings():
            if self.action == "add" and (item.shares is None or item.cost_price is None):
                raise ValueError(f"{item.symbol}: add needs shares and cost_price")
        return self

    def holdings(self) -> tuple[PositionItem, ...]:
        """The holdings that the call is about, single or several."""
        if self.items or not self.symbol:
            return self.items
        given = {name: getattr(self, name) for name in PositionItem.model_fields if name in self.model_fields_set}
        return (PositionItem.model_validate(given),)


class FillArgs(ToolArgs):
    """Arguments of `record_trade_fill`."""

    side: Literal["buy", "sell"] = Field(description="buy 买入，sell 卖出")
    symbol: str = Field(validation_alias=SYMBOL, min_length=1, description="股票代码或名称")
    shares: Shares
    price: Yuan | None = Field(default=None, description="成交价；不给则按最近收盘价估计")
    date: Day | None = Field(default=None, validation_alias=DAY, description="成交日 YYYY-MM-DD，默认今天")


class StopArgs(ToolArgs):
    """Arguments of `set_stop_loss`: the key must be there; null clears the stop."""

    symbol: str = Field(validation_alias=SYMBOL, min_length=1, description="股票代码或名称")
    stop_loss: Yuan | None = Field(description="止损价，元；null 为取消止损")


@dataclass(frozen=True, slots=True, kw_only=True)
class PortfolioTools:
    """The tools with what they need."""

    portfolio: PortfolioService
    market: MarketData
    directory: InstrumentDirectory
    limits: LimitSchedule
    clock: Clock
    texts: Texts

    def definitions(self) -> tuple[AnyTool, ...]:
        """The definitions, in the order in which a model sees them."""
        return (
            ToolDefinition(
                name="portfolio",
                args=PortfolioArgs,
                run=self.show,
                concurrency_safe=True,
                timeout_s=5.0,
                summary_args=("mode",),
                permissions=("portfolio:read",),
            ),
            self._writing(
                "update_portfolio", UpdateArgs, self.prepare_update, ("action", "symbol", "shares", "free_cash")
            ),
            self._writing("record_trade_fill", FillArgs, self.prepare_fill, ("side", "symbol", "shares", "price")),
            self._writing("set_stop_loss", StopArgs, self.prepare_stop, ("symbol", "stop_loss")),
        )

    @staticmethod
    def _writing(
        name: str,
        args: type[A],
        prepare: Callable[[ToolContext, A], Awaitable[Prepared]],
        summary_args: tuple[str, ...],
    ) -> AnyTool:
        return ToolDefinition(
            name=name,
            args=args,
            prepare=prepare,
            side_effects=("portfolio",),
            timeout_s=5.0,
            scope="stock",
            summary_args=summary_args,
            permissions=("portfolio:write",),
            asset_kinds=("stock", "fund"),
        )

    async def show(self, _context: ToolContext, args: PortfolioArgs) -> ToolOutcome:
        """Holdings and cash; with `diagnose` the state of each."""
        view = await self.portfolio.view()
        data = view_json(view)
        if args.mode == "diagnose":
            data["positions"] = [await self._diagnosed(position) for position in view.positions]
        sources = sorted({position.quote.source for position in view.positions if position.quote is not None})
        stale = any(position.quote is None for position in view.positions)
        meta = Meta(source="、".join(sources), as_of=view.as_of, unit="元、股", partial=stale)
        return ToolOutcome(data=data, summary=self._view_summary(view), meta=meta)

    async def prepare_update(self, context: ToolContext, args: UpdateArgs) -> Prepared:
        """Ready to record what is held, or the cash."""
        if args.action == "set_cash":
            operations: list[Operation] = [SetCash(cash=args.free_cash or Decimal(0))]
            pattern: JsonObject = {"action": "set_cash"}
            return await self._prepared(context, operations, pattern, "tools.pattern_set_cash", destructive=False)
        holdings = args.holdings()
        operations = [self._operation(args.action, item) for item in holdings]
        symbols = [self._symbol(item.symbol) for item in holdings]
        clears_stop = any("stop_loss" in item.model_fields_set and item.stop_loss is None for item in holdings)
        return await self._prepared(
            context,
            operations,
            {"action": args.action, "symbols": cast("list[JsonValue]", sorted(symbols))},
            f"tools.pattern_{args.action}",
            destructive=args.action == "remove" or clears_stop,
        )

    async def prepare_fill(self, context: ToolContext, args: FillArgs) -> Prepared:
        """Ready to record a trade."""
        symbol = self._symbol(args.symbol)
        fill = TradeFill(side=args.side, symbol=symbol, shares=args.shares, price=args.price, day=args.date)
        pattern: JsonObject = {"side": args.side, "symbol": symbol}
        key = f"tools.pattern_{args.side}"
        return await self._prepared(context, [fill], pattern, key, destructive=args.side == "sell")

    async def prepare_stop(self, context: ToolContext, args: StopArgs) -> Prepared:
        """Ready to set or clear a stop."""
        symbol = self._symbol(args.symbol)
        operation = SetStop(symbol=symbol, stop_loss=args.stop_loss)
        pattern: JsonObject = {"action": "set_stop", "symbol": symbol}
        held = (await self.portfolio.book()).positions.get(symbol)
        before = None if held is None else held.stop_loss
        weaker = args.stop_loss is None or (before is not None and args.stop_loss < before)
        return await self._prepared(context, [operation], pattern, "tools.pattern_stop", destructive=weaker)

    async def _prepared(
        self, context: ToolContext, operations: list[Operation], pattern: JsonObject, key: str, *, destructive: bool
    ) -> Prepared:
        plan = await self.portfolio.plan(operations)
        names = "、".join(change.name for change in plan.preview.positions)

        async def commit() -> ToolOutcome:
            applied = await self.portfolio.apply(plan, f"chat:{context.turn_id}")
            view = await self.portfolio.view()
            data: JsonObject = {"done": applied.headline, "version": applied.version, "portfolio": view_json(view)}
            return ToolOutcome(data=data, summary=self.texts("tools.applied", headline=applied.headline))

        return Prepared(
            preview=plan.preview,
            commit=commit,
            destructive=destructive,
            pattern=pattern,
            pattern_text=self.texts(key, names=names),
        )

    def _operation(self, action: str, item: PositionItem) -> Operation:
        symbol = self._symbol(item.symbol)
        stop: StopLoss = item.stop_loss if "stop_loss" in item.model_fields_set else KEEP
        match action:
            case "add":
                return AddPosition(
                    symbol=symbol,
                    shares=item.shares or 0,
                    cost=item.cost_price or Decimal(0),
                    buy_day=item.buy_dt or self.clock.now().date(),
                    name=item.name,
                    stop_loss=stop,
                )
            case "update":
                return UpdatePosition(
                    symbol=symbol, shares=item.shares, cost=item.cost_price, buy_day=item.buy_dt, stop_loss=stop
                )
            case _:
                return RemovePosition(symbol=symbol)

    def _symbol(self, text: str) -> str:
        return instrument_of(self.directory, text).symbol

    async def _diagnosed(self, position: PositionView) -> JsonObject:
        reading = await self._reading(position.symbol)
        health = diagnose(position, reading)
        return position_json(position) | {
            "health": health.status,
            "reasons": [self.texts(key) for key in health.reason_keys],
            "phase": None if reading is None else phase_text(reading, self.texts),
            "chart_stop": None if reading is None or reading.stop is None else round(reading.stop.price, 2),
        }

    async def _reading(self, symbol: str) -> Reading | None:
        try:
            bars = await self.market.daily(symbol, limit=ANALYSED_BARS)
        except UserError:
            return None
        instrument = self.directory.get(symbol)
        ratio = None if instrument is None else limit_ratio_of(instrument, bars, self.limits)
        return await asyncio.to_thread(analyze, bars, limit_ratio=ratio)

    def _view_summary(self, view: PortfolioView) -> str:
        if not view.positions and view.cash is None:
            return self.texts("tools.portfolio_empty")
        cash = self.texts("tools.cash_unknown") if view.cash is None else f"{view.cash:,.2f}"
        return self.texts("tools.portfolio", count=len(view.positions), cash=cash, as_of=view.as_of or "--")


def view_json(view: PortfolioView) -> JsonObject:
    """A view as JSON: unknown is null, never 0."""
    return {
        "position_count": len(view.positions),
        "free_cash": _number(view.cash),
        "cash_known": view.cash is not None,
        "market_value": _number(view.market_value),
        "total_equity": _number(view.equity),
        "realised_profit": _number(view.realised),
        "as_of": None if view.as_of is None else view.as_of.isoformat(),
        "version": view.version,
        "positions": [position_json(position) for position in view.positions],
    }


def position_json(position: PositionView) -> JsonObject:
    """A holding as JSON."""
    quote = position.quote
    return {
        "symbol": position.symbol,
        "name": position.name,
        "shares": position.shares,
        "sellable_today": position.sellable,
        "cost_price": _number(position.cost),
        "buy_dt": position.buy_day.isoformat(),
        "stop_loss": _number(position.stop_loss),
        "last_price": None if quote is None else float(quote.price),
        "price_as_of": None if quote is None else quote.as_of.isoformat(),
        "price_source": None if quote is None else quote.source,
        "market_value": _number(position.value),
        "profit": _number(position.profit),
        "profit_pct": None if position.profit_ratio is None else round(position.profit_ratio * 100, 2),
        "weight_pct": None if position.weight is None else round(position.weight * 100, 2),
    }


def _number(value: Decimal | None) -> float | None:
    return None if value is None else float(value)
