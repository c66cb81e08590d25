"""What the ledger can say. Entries are facts: written once, never changed; the portfolio is derived from them.

An entry states results, not wishes: a `PositionSet` carries every value the position has afterwards, so that replaying needs nothing
but the entries before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Literal, TypeAlias

from runtime.core.approvals import Fees
from runtime.market.rules.fees import Side
from runtime.numbers import money

Via: TypeAlias = Literal["add", "update", "import"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionSet:
    """A holding was recorded or corrected; cash did not move.

    Attributes:
        cost: average cost, yuan a share, at most four decimals.
        day: day of the newest purchase.
        stop_loss: yuan a share; None = no stop.
        via: how it was recorded.
    """

    symbol: str
    name: str
    shares: int
    cost: Decimal
    day: date
    stop_loss: Decimal | None
    via: Via


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionRemoved:
    """A holding was struck off the record; no sale, cash did not move."""

    symbol: str
    name: str
    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class CashSet:
    """The cash balance was stated, in yuan."""

    cash: Decimal
    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """A trade.

    Attributes:
        price: yuan a share.
        day: the session of the trade.
        estimated: the price is a last close, not what was paid.
    """

    side: Side
    symbol: str
    name: str
    shares: int
    price: Decimal
    day: date
    fees: Fees
    estimated: bool

    @property
    def amount(self) -> Decimal:
        """Yuan without fees."""
        return money(self.price * self.shares)

    @property
    def cash_move(self) -> Decimal:
        """What the trade adds to cash, fees included; negative for a purchase."""
        return self.amount - self.fees.total if self.side == "sell" else -(self.amount + self.fees.total)


@dataclass(frozen=True, slots=True, kw_only=True)
class StopSet:
    """A stop was set, or cleared with None."""

    symbol: str
    name: str
    stop_loss: Decimal | None
    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """A batch was taken back: from here on it counts as never written."""

    batch_id: str
    day: date


Change: TypeAlias = PositionSet | PositionRemoved | CashSet | Fill | StopSet
Entry: TypeAlias = Change | Undo


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """An entry as it stands in the ledger.

    Attributes:
        id: ascending; the newest is the version of the portfolio.
        batch_id: shared by the entries that were applied together.
        origin: who wrote it: `terminal`, `chat:<turn>`, `import`.
    """

    id: int
    batch_id: str
    recorded_at: datetime
    origin: str
    entry: Entry
