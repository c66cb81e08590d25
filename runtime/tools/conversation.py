"""Tools between the model and the person: a question, and the conclusion on a stock."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pydantic import AliasChoices, Field

from runtime.core.codec import to_json
from runtime.core.verdicts import Action, Verdict, VerdictLevels
from runtime.market.service import MarketData
from runtime.market.symbols import InstrumentDirectory
from runtime.storage.verdicts import VerdictStore
from runtime.texts import Texts
from runtime.tools.definition import AnyTool, Meta, ToolArgs, ToolContext, ToolDefinition, ToolOutcome
from runtime.tools.lookup import instrument_of

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
    directory: InstrumentDirectory
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
        row = await self.verdicts.add(
            conversation_id=context.conversation_id,
            turn_id=context.turn_id,
            symbol=draft.symbol,
            action=draft.action.value,
            capped_from=None,
            confidence=draft.confidence,
            price=price,
            price_as_of=as_of,
            body=to_json(draft),
        )
        action = self.texts(f"tools.action_{draft.action.value}")
        return ToolOutcome(
            data={"recorded": True, "id": row, "symbol": draft.symbol, "action": draft.action.value},
            summary=self.texts("tools.verdict", name=draft.name, action=action),
            meta=Meta(source="" if quote is None else quote.source, as_of=as_of),
            verdict=replace(draft, id=row),
        )
