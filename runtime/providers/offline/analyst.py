"""The offline analyst: no language model, the same loop.

It recognises the request by rules, calls the same tools as a model would, one round after the other, and writes the answer from their
results by template. What it does not understand it says, with what it can do.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, cast

from runtime.core.ids import new_id
from runtime.core.json import JsonObject, JsonValue
from runtime.core.messages import Usage
from runtime.core.symbols import Resolution
from runtime.providers.base import (
    Capabilities,
    Chunk,
    FinishChunk,
    ModelRequest,
    TextChunk,
    ThinkingChunk,
    ToolCallChunk,
    UsageChunk,
)
from runtime.providers.offline.intents import (
    Analyze,
    Cash,
    Help,
    Hold,
    Market,
    Portfolio,
    Remove,
    Stop,
    Trade,
    Unclear,
    Write,
    intent_of,
)
from runtime.providers.offline.verdict import Conclusion, conclude
from runtime.providers.offline.view import Step, TurnView, turn_view
from runtime.providers.offline.writer import Writer
from runtime.texts import Texts

NAME: Final = "offline"
CHUNK_CHARACTERS: Final = 8
MAX_STOCKS: Final = 3  # of one question; more are named and left out


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call that the analyst wants."""

    name: str
    args: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """A round of calls with the thought behind it."""

    thought: str
    calls: tuple[Call, ...]


Move: TypeAlias = Calls | str


class OfflineAnalyst:
    """Answers without a language model.

    Args:
        texts: templates and their language.
        pause_s: pause between two pieces of text, so that it can be read as it comes.
    """

    def __init__(self, texts: Texts, *, pause_s: float = 0.01) -> None:
        self._texts = texts
        self._writer = Writer(texts)
        self._pause_s = pause_s

    @property
    def name(self) -> str:
        """`offline`."""
        return NAME

    @property
    def capabilities(self) -> Capabilities:
        """It calls tools and shows its reasoning."""
        return Capabilities(tools=True, reasoning=True, free=True, priced=True)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """One round: calls, or the answer."""
        view = turn_view(request.messages)
        match self._move(view, request.resolution) if request.tools else self._without_tools(view):
            case Calls() as move:
                yield ThinkingChunk(text=move.thought)
                for call in move.calls:
                    yield ToolCallChunk(id=new_id(), name=call.name, args=call.args)
                yield UsageChunk(usage=Usage())
                yield FinishChunk(reason="tool_calls")
            case str() as text:
                for start in range(0, len(text), CHUNK_CHARACTERS):
                    yield TextChunk(text=text[start : start + CHUNK_CHARACTERS])
                    await asyncio.sleep(self._pause_s)
                yield UsageChunk(usage=Usage())
                yield FinishChunk(reason="stop")

    async def aclose(self) -> None:
        """Nothing to close."""

    def _move(self, view: TurnView, resolution: Resolution) -> Move:
        """The next round, or the answer."""
        intent = intent_of(view.text, resolution)
        if view.waiting is not None and isinstance(intent, Help | Analyze):
            return self._after_question(view, view.waiting)
        match intent:
            case Analyze():
                return self._analyze(intent, view)
            case Trade() | Hold() | Cash() | Stop() | Remove():
                return self._write(intent, view)
            case Portfolio():
                mode = "diagnose" if intent.diagnose else "view"
                return self._one("portfolio", {"mode": mode}, view, "offline.think_portfolio")
            case Market():
                return self._one("get_market_overview", {}, view, "offline.think_market")
            case Unclear():
                return self._unclear(intent)
            case Help():
                return self._texts("offline.help")

    def _analyze(self, intent: Analyze, view: TurnView) -> Move:
        """Read the charts, then record a conclusion on each, then write."""
        stocks = intent.instruments[:MAX_STOCKS]
        reports = view.of("analyze_stock")
        if not reports:
            sample = all(item.is_sample for item in stocks)
            overview: JsonObject = {"market": "sample" if sample else "local"}
            return Calls(
                thought=self._texts("offline.think_analyze", names="、".join(item.name for item in stocks)),
                calls=(
                    *(Call(name="analyze_stock", args={"symbol": item.symbol}) for item in stocks),
                    Call(name="get_market_overview", args=overview),
                    Call(name="portfolio", args={"mode": "view"}),
                ),
            )
        held = _held(view)
        conclusions = {
            str(step.data["symbol"]): conclude(
                step.data, held=str(step.data["symbol"]) in held, stale=bool(step.meta.get("stale"))
            )
            for step in reports
            if step.ok and step.data.get("kind") != "index" and not step.data.get("note")
        }
        if conclusions and not view.of("record_verdict"):
            return Calls(
                thought=self._texts("offline.think_verdict"),
                calls=tuple(self._verdict(symbol, found) for symbol, found in conclusions.items()),
            )
        conclusions = {symbol: _as_recorded(symbol, found, view) for symbol, found in conclusions.items()}
        return self._report(reports, conclusions, held, view, left_out=len(intent.instruments) - len(stocks))

    def _verdict(self, symbol: str, found: Conclusion) -> Call:
        reasons: list[JsonValue] = [self._texts(f"offline.reason_{key}") for key in found.reason_keys]
        args: JsonObject = {"symbol": symbol, "action": found.action, "levels": found.levels, "reasons": reasons}
        if found.evidence:
            args["evidence"] = list(found.evidence)
        return Call(name="record_verdict", args=args)

    def _report(
        self,
        reports: tuple[Step, ...],
        conclusions: dict[str, Conclusion],
        held: dict[str, JsonObject],
        view: TurnView,
        left_out: int,
    ) -> str:
        parts = []
        for step in reports:
            symbol = str(step.data.get("symbol"))
            if step.ok:
                parts.append(self._writer.stock(step, conclusions.get(symbol), held.get(symbol)))
            else:
                parts.append(self._writer.failed(step))
        overview = view.last("get_market_overview")
        shown = (
            overview is not None and overview.ok and bool(overview.data.get("indices") or overview.data.get("breadth"))
        )
        if overview is not None and shown and any(step.ok for step in reports):
            parts.append(self._writer.market(overview))
        if left_out:
            parts.append(self._texts("offline.left_out", count=left_out, limit=MAX_STOCKS))
        return "\n\n".join([*parts, self._texts("offline.signature")])

    def _write(self, intent: Write, view: TurnView) -> Move:
        name, args = _call_of(intent)
        attempts = view.of(name)
        if not attempts:
            return Calls(thought=self._texts("offline.think_write"), calls=(Call(name=name, args=args),))
        return self._settle(attempts[-1], view)

    def _after_question(self, view: TurnView, waiting: Step) -> Move:
        """The person answered the question about a write: try it again; whether the answer consents is not ours to judge."""
        attempts = view.of(waiting.name)
        if not attempts:
            return Calls(
                thought=self._texts("offline.think_consent"), calls=(Call(name=waiting.name, args=waiting.args),)
            )
        if attempts[-1].error_code == "approval_required":
            return self._texts("offline.no_consent")
        return self._writer.wrote(attempts[-1])

    def _settle(self, attempt: Step, view: TurnView) -> Move:
        """After a write was tried: ask for consent where it is wanted, try again after an answer, else say how it ended."""
        if attempt.error_code != "approval_required":
            return self._writer.wrote(attempt)
        asked = view.last("ask_user")
        if asked is None:
            question = self._writer.confirm(attempt)
            return Calls(
                thought=self._texts("offline.think_confirm"),
                calls=(Call(name="ask_user", args={"question": question}),),
            )
        if view.steps[-1] is asked and asked.data.get("status") == "answered":
            return Calls(
                thought=self._texts("offline.think_consent"), calls=(Call(name=attempt.name, args=attempt.args),)
            )
        return self._texts("offline.no_consent")

    def _one(self, tool: str, args: JsonObject, view: TurnView, thought_key: str) -> Move:
        """A request that one tool answers."""
        step = view.last(tool)
        if step is None:
            return Calls(thought=self._texts(thought_key), calls=(Call(name=tool, args=args),))
        if not step.ok:
            return self._writer.failed(step)
        text = self._writer.portfolio(step) if tool == "portfolio" else self._writer.market(step)
        return f"{text}\n\n{self._texts('offline.signature')}"

    def _unclear(self, intent: Unclear) -> str:
        parts = [
            self._texts(
                "offline.ambiguous",
                text=item.text,
                candidates="\n".join(f"- {stock.name} {stock.symbol}" for stock in item.candidates),
            )
            for item in intent.ambiguities
        ]
        parts += [self._texts("offline.unknown_stock", text=text) for text in intent.unknown]
        return "\n\n".join(parts)

    def _without_tools(self, view: TurnView) -> str:
        """The last call of a turn that ran out of rounds or time: what there is."""
        lines = [self._writer.stock(step, None, None) for step in view.of("analyze_stock") if step.ok]
        return "\n\n".join(lines) or self._texts("offline.help")


def _as_recorded(symbol: str, found: Conclusion, view: TurnView) -> Conclusion:
    """The conclusion as it was recorded: a risk cap may have lowered it and taken the entry away."""
    for step in view.of("record_verdict"):
        if step.ok and step.data.get("symbol") == symbol and step.data.get("capped"):
            levels = {name: level for name, level in found.levels.items() if name != "entry"}
            return replace(found, action=str(step.data["action"]), levels=levels)
    return found


def _held(view: TurnView) -> dict[str, JsonObject]:
    """The holdings of the portfolio result in this turn, by symbol."""
    step = view.last("portfolio")
    positions = cast("list[JsonValue]", step.data.get("positions") or []) if step is not None and step.ok else []
    return {str(item["symbol"]): item for item in positions if isinstance(item, dict)}


def _call_of(intent: Write) -> tuple[str, JsonObject]:
    """The tool call of a write."""
    match intent:
        case Trade():
            args: JsonObject = {"side": intent.side, "symbol": intent.instrument.symbol, "shares": intent.shares}
            return "record_trade_fill", args if intent.price is None else args | {"price": float(intent.price)}
        case Hold():
            return "update_portfolio", {
                "action": "add",
                "symbol": intent.instrument.symbol,
                "shares": intent.shares,
                "cost_price": float(intent.cost),
            }
        case Cash():
            return "update_portfolio", {"action": "set_cash", "free_cash": float(intent.amount)}
        case Stop():
            price = None if intent.price is None else float(intent.price)
            return "set_stop_loss", {"symbol": intent.instrument.symbol, "stop_loss": price}
        case Remove():
            return "update_portfolio", {"action": "remove", "symbol": intent.instrument.symbol}
