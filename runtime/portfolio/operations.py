"""What a person can ask of the portfolio. An operation is a wish: planning turns it into a ledger entry or refuses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum, auto
from typing import Final, Literal, TypeAlias

from runtime.market.rules.fees import Side

MAX_OPERATIONS: Final = 30  # of one batch; more do not fit a preview that a person reads


class Keep(Enum):
    """The one value that means "not given": what is there stays. None means "cleared"."""

    KEEP = auto()


KEEP: Final = Keep.KEEP
StopLoss: TypeAlias = Decimal | Literal[Keep.KEEP] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddPosition:
    """Record a holding that is not recorded yet; moves no cash.

    Attributes:
        cost: average cost, yuan a share.
        buy_day: day of the (newest) purchase.
        name: only needed where the table of names does not know the symbol; else it is checked against the table.
    """

    symbol: str
    shares: int
    cost: Decimal
    buy_day: date
    name: str = ""
    stop_loss: StopLoss = KEEP


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatePosition:
    """Correct a recorded holding; None and KEEP leave what is there. Moves no cash."""

    symbol: str
    shares: int | None = None
    cost: Decimal | None = None
    buy_day: date | None = None
    stop_loss: StopLoss = KEEP


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovePosition:
    """Strike a holding off the record: no sale, moves no cash."""

    symbol: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetCash:
    """State the cash balance in yuan."""

    cash: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeFill:
    """Record a trade: cash moves with fees, lots and T+1 hold.

    Attributes:
        price: yuan a share; None = the last close, marked as an estimate.
        day: session of the trade; None = today.
        name: as for `AddPosition`.
    """

    side: Side
    symbol: str
    shares: int
    price: Decimal | None = None
    day: date | None = None
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetStop:
    """Set the stop of a holding in yuan a share; None clears it."""

    symbol: str
    stop_loss: Decimal | None


Operation: TypeAlias = AddPosition | UpdatePosition | RemovePosition | SetCash | TradeFill | SetStop


def touched_symbols(operations: Sequence[Operation]) -> tuple[str, ...]:
    """The symbols that operations name, each once, in their order."""
    return tuple(dict.fromkeys(item.symbol for item in operations if not isinstance(item, SetCash)))
