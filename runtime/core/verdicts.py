"""A conclusion on a stock, as it is stored, shown and later scored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class Action(StrEnum):
    """What the verdict advises, strongest buying first."""

    BUY = "buy"
    ADD = "add"
    HOLD = "hold"
    WAIT = "wait"
    REDUCE = "reduce"
    SELL = "sell"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictLevels:
    """Prices of a verdict in yuan; None = not given."""

    entry: float | None = None
    stop: float | None = None
    target: float | None = None
    invalidation: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One conclusion.

    Attributes:
        id: row of the `verdict` table.
        symbol: exchange-qualified id.
        name: name of the stock.
        action: after the caps.
        confidence: 0..1 as the analyst stated it, lowered by a cap; None = not stated.
        levels: prices.
        horizon_days: trading days the conclusion is meant for.
        reasons: in words.
        evidence: what it rests on (events, figures).
        price: last close when it was made; None = unknown.
        price_as_of: day of that close.
    """

    id: int
    symbol: str
    name: str
    action: Action
    confidence: float | None
    levels: VerdictLevels
    horizon_days: int
    reasons: tuple[str, ...]
    evidence: tuple[str, ...]
    price: float | None
    price_as_of: date | None
