"""What a person wants, by rules over the text and the stocks it names. No model, no guess: what is not understood is `Help`."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from runtime.core.symbols import Ambiguity, Instrument, Resolution


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyze:
    """Read the charts of stocks."""

    instruments: tuple[Instrument, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    """Record a trade; `shares` is None when the text does not say how many."""

    side: Literal["buy", "sell"]
    instrument: Instrument
    shares: int
    price: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Record a holding."""

    instrument: Instrument
    shares: int
    cost: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Cash:
    """Set the cash balance, yuan."""

    amount: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Set the stop of a holding, or clear it (None)."""

    instrument: Instrument
    price: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """Strike a holding off the record."""

    instrument: Instrument


@dataclass(frozen=True, slots=True, kw_only=True)
class Portfolio:
    """Show the portfolio, or judge each holding."""

    diagnose: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Market:
    """Show the market."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """A name that several stocks answer to, or codes that nobody knows."""

    ambiguities: tuple[Ambiguity, ...]
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """Nothing that the rules understand."""


Write: TypeAlias = Trade | Hold | Cash | Stop | Remove
Intent: TypeAlias = Analyze | Write | Portfolio | Market | Unclear | Help

_SHARES: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(万)?\s*(股|手)")
_BUY: Final = re.compile(r"买入|买了|买进|建仓|加仓|\bbuy|\bbought", re.IGNORECASE)
_SELL: Final = re.compile(r"卖出|卖了|卖掉|减仓|清仓|\bsell|\bsold", re.IGNORECASE)
_HOLD: Final = re.compile(r"持有|录入|成本")
_COST: Final = re.compile(r"成本(?:价)?\s*(?:是|为|:)?\s*(\d+(?:\.\d+)?)")
_PRICE: Final = re.compile(
    r"(?:成交价|价格|价|以|按|@|¥)\s*(?:是|为|:)?\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*(?:元|块)", re.IGNORECASE
)
_CASH: Final = re.compile(
    r"(?:可用)?(?:现金|资金)\s*(?:设为|设置为|设成|改为|改成|是|为|有|:)\s*(\d+(?:\.\d+)?)\s*(万|亿)?"
)
_STOP: Final = re.compile(r"止损(?:价|位)?\s*(?:设为|设到|设在|设置为|改为|改到|提到|移到|为|到|:)\s*(\d+(?:\.\d+)?)")
_CLEAR_STOP: Final = re.compile(r"(?:取消|去掉|清除|删除|撤掉).{0,8}止损|止损.{0,4}(?:取消|去掉|清除|撤掉)")
_REMOVE: Final = re.compile(r"(?:删除|移除|删掉|去掉).{0,12}(?:持仓|记录)|从持仓.{0,12}(?:删除|移除|删掉)")
_PORTFOLIO: Final = re.compile(
    r"持仓|仓位|我买了(?:啥|什么|哪些)|我有(?:哪些|什么)(?:股票|票)|账户|portfolio|holdings", re.IGNORECASE
)
_DIAGNOSE: Final = re.compile(r"怎么样|健康|体检|诊断|风险|审|看看|危险")
_MARKET: Final = re.compile(r"大盘|市场|指数|行情|水温|market|index", re.IGNORECASE)
# A text without a stock of its own that goes on about the last one.
_FOLLOW_UP: Final = re.compile(
    r"它|这只|那只|该股|这个|那|呢|止损|支撑|压力|阻力|目标|突破|跌破|回踩|买|卖|加仓|减仓|持有|阶段|结构|趋势|怎么走|怎么看|\bit\b",
    re.IGNORECASE,
)
# A question about an order is a question.
_ASKS: Final = re.compile(r"[?]\s*$|[吗呢么]\s*$|适合|能不能|该不该|要不要|是否|should i", re.IGNORECASE)
_UNITS: Final = {None: Decimal(1), "万": Decimal(10_000), "亿": Decimal(100_000_000)}
SHARES_PER_LOT: Final = 100


def intent_of(text: str, resolution: Resolution) -> Intent:
    """The intent of a text whose stocks are resolved."""
    plain = unicodedata.normalize("NFKC", text).replace(",", "")
    if resolution.ambiguities or (resolution.unknown and not resolution.instruments):
        return Unclear(ambiguities=resolution.ambiguities, unknown=resolution.unknown)
    write = _write(plain, resolution.instruments)
    if write is not None:
        return write
    named = () if resolution.inherited else resolution.instruments
    if _PORTFOLIO.search(plain) and not named:
        return Portfolio(diagnose=_DIAGNOSE.search(plain) is not None)
    if _MARKET.search(plain) and all(item.kind == "index" for item in named):
        return Market()
    if named or (resolution.instruments and _FOLLOW_UP.search(plain)):
        return Analyze(instruments=resolution.instruments)
    return Help()


def _write(text: str, instruments: tuple[Instrument, ...]) -> Write | None:
    """A write that the text asks for with all its figures; half an order is no order."""
    if _ASKS.search(text):
        return None
    if (cash := _CASH.search(text)) is not None:
        return Cash(amount=Decimal(cash[1]) * _UNITS[cash[2]])
    if len(instruments) != 1:
        return None
    instrument = instruments[0]
    if _CLEAR_STOP.search(text):
        return Stop(instrument=instrument, price=None)
    if (stop := _STOP.search(text)) is not None:
        return Stop(instrument=instrument, price=Decimal(stop[1]))
    if _REMOVE.search(text):
        return Remove(instrument=instrument)
    return _order(text, instrument)


def _order(text: str, instrument: Instrument) -> Write | None:
    counted = _SHARES.search(text)
    if counted is None:
        return None
    number = Decimal(counted[1]) * _UNITS[counted[2]] * (SHARES_PER_LOT if counted[3] == "手" else 1)
    if number != int(number) or number <= 0:
        return None
    rest = text[: counted.start()] + " " + text[counted.end() :]
    cost = _COST.search(rest)
    if cost is not None and _HOLD.search(rest):
        return Hold(instrument=instrument, shares=int(number), cost=Decimal(cost[1]))
    price = _PRICE.search(rest)
    value = None if price is None else Decimal(price[1] or price[2])
    if _SELL.search(rest):
        return Trade(side="sell", instrument=instrument, shares=int(number), price=value)
    if _BUY.search(rest):
        return Trade(side="buy", instrument=instrument, shares=int(number), price=value)
    return None
