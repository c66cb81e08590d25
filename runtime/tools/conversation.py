"""Tools between the model and the person: a question, and the conclusion on a stock."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from pydantic import AliasChoices, Field

from runtime.core.codec import to_json
from runtime.core.json import JsonObject
from runtime.core.symbols import Instrument
from runtime.core.verdicts import Action, Verdict, VerdictLevels
from runtime.errors import UserError
from runtime.market.rules.limits import LimitSchedule
from runtime.market.service import MarketData
from runtime.market.symbols import InstrumentDirectory
from runtime.portfolio.service import PortfolioService
from runtime.storage.verdicts import VerdictStore
from runtime.texts import Texts
from runtime.tools.caps import Flag, audit, capped, flags_of
from runtime.tools.definition import AnyTool, Meta, ToolArgs, ToolContext, ToolDefinition, ToolOutcome
from runtime.tools.lookup import instrument_of
from runtime.tools.stock_report import ANALYSED_BARS, limit_ratio_of
from runtime.wyckoff.engine import analyze

DEFAULT_HORIZON = 20  # trading days: the longest that outcomes are scored at


class AskArgs(ToolArgs):
    """Arguments of `ask_user`."""

    question: str = Field(min_length=1, description="问题；征求同意时要写明股票、股数和价格")
    options: tuple[str, ...] = Field(default=(), max_length=6, description="可选答案，没有则自由回答")


class LevelsArgs(ToolArgs):
    """Prices of a verdict, taken from the engine's levels."""

    entry: float | None = Field(default=None, gt=0, description="参考买点，元")
    stop: float | None = Field(default=None, gt=0, description="止损，元")
    target: float | None = Field(default=None, gt=0, description="目标，元")
    invalidation: float | None = Field(default=None, gt=0, description="结构失效价，元")


class VerdictArgs(ToolArgs):
    """Arguments of `record_verdict`."""

    symbol: str = Field(
        validation_alias=AliasChoices("symbol", "code", "stock_code", "ts_code"),
        min_length=1,
        description="股票代码或名称",
    )
    action: Action = Field(description="结论：buy、add、hold、wait、reduce、sell；没有持有时不用 reduce、sell")
    confidence: float | None = Field(default=None, ge=0, le=1, description="把握，0 到 1；没有依据就不给")
    levels: LevelsArgs = Field(default_factory=LevelsArgs, description="关键位，只能用工具给出的价位")
    horizon_days: int = Field(default=DEFAULT_HORIZON, ge=1, le=250, description="结论面向多少个交易日")
    reasons: tuple[str, ...] = Field(default=(), max_length=8, description="理由，每条一句")
    evidence: tuple[str, ...] = Field(default=(), max_length=12, description="依据的事件或数字")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationTools:
    """The tools with what they need."""

    verdicts: VerdictStore
    market: MarketData
    portfolio: PortfolioService
    directory: InstrumentDirectory
    limits: LimitSchedule
    texts: Texts

    def definitions(self) -> tuple[AnyTool, ...]:
        """The definitions, in the order in which a model sees them."""
        return (
            ToolDefinition(name="ask_user", args=AskArgs, run=self.ask, timeout_s=None, summary_args=("question",)),
            ToolDefinition(
                name="record_verdict",
                args=VerdictArgs,
                run=self.record_verdict,
                side_effects=("database",),
                timeout_s=10.0,
                scope="stock",
                summary_args=("symbol", "action"),
                permissions=("verdicts:write",),
            ),
        )

    async def ask(self, context: ToolContext, args: AskArgs) -> ToolOutcome:
        """Ask the person; without anybody to answer, the turn ends with the question."""
        answer = await context.ask(args.question, args.options)
        if answer is None:
            return ToolOutcome(data={"status": "waiting"}, summary=self.texts("tools.question_waits"))
        summary = self.texts("tools.question_answered", answer=answer)
        return ToolOutcome(data={"status": "answered", "answer": answer}, summary=summary)

    async def record_verdict(self, context: ToolContext, args: VerdictArgs) -> ToolOutcome:
        """Store a conclusion with the price it was made at."""
        instrument = instrument_of(self.directory, args.symbol)
        quote = (await self.market.last_quotes([instrument.symbol])).get(instrument.symbol)
        price = None if quote is None else float(quote.price)
        as_of = None if quote is None else quote.as_of
        draft = Verdict(
            id=0,
            symbol=instrument.symbol,
            name=instrument.name,
            action=args.action,
            confidence=args.confidence,
            levels=VerdictLevels(**args.levels.model_dump()),
            horizon_days=args.horizon_days,
            reasons=args.reasons,
            evidence=args.evidence,
            price=price,
            price_as_of=as_of,
        )
        final, flags = await self._capped(instrument, draft)
        before = draft.action.value if flags else None
        row = await self.verdicts.add(
            conversation_id=context.conversation_id,
            turn_id=context.turn_id,
            symbol=final.symbol,
            action=final.action.value,
            capped_from=before,
            confidence=final.confidence,
            price=price,
            price_as_of=as_of,
            body=_body(draft, final, flags),
        )
        meta = Meta(source="" if quote is None else quote.source, as_of=as_of)
        return self._recorded(replace(final, id=row), draft.action, flags, meta)

    async def _capped(self, instrument: Instrument, draft: Verdict) -> tuple[Verdict, tuple[Flag, ...]]:
        """The verdict under the risk caps; without bars there is nothing that code could see."""
        holdings = {item.symbol: item for item in (await self.portfolio.view()).positions}
        holding = holdings.get(instrument.symbol)
        try:
            bars = await self.market.daily(instrument.symbol, limit=ANALYSED_BARS)
        except UserError:
            return draft, ()
        ratio = limit_ratio_of(instrument, bars, self.limits)
        reading = await asyncio.to_thread(analyze, bars, limit_ratio=ratio)
        flags = flags_of(
            instrument,
            bars,
            reading,
            stale=self.market.is_stale(bars),
            limit_ratio=ratio,
            stop=None if holding is None else holding.stop_loss,
        )
        return capped(draft, flags, held=holding is not None)

    def _recorded(self, verdict: Verdict, asked: Action, flags: tuple[Flag, ...], meta: Meta) -> ToolOutcome:
        action = self.texts(f"tools.action_{verdict.action.value}")
        data: JsonObject = {
            "recorded": True,
            "id": verdict.id,
            "symbol": verdict.symbol,
            "action": verdict.action.value,
        }
        rules = tuple(flag.words(self.texts) for flag in flags)
        if flags:
            told = self.texts("tools.capped", before=self.texts(f"tools.action_{asked.value}"), after=action)
            data |= {"capped": audit(asked, verdict.action, flags), "instruction": told}
        return ToolOutcome(
            data=data,
            summary=self.texts("tools.verdict", name=verdict.name, action=action),
            meta=meta,
            verdict=verdict,
            capped_from=asked.value if flags else None,
            cap_rules=rules,
        )


def _body(draft: Verdict, final: Verdict, flags: tuple[Flag, ...]) -> JsonObject:
    """What is stored of a verdict, with the audit record of its cap."""
    body = to_json(final)
    return body | {"cap": audit(draft.action, final.action, flags)} if flags else body
