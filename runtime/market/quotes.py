"""The last known price of an instrument, always with the day it belongs to and where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A last price.

    Attributes:
        symbol: exchange-qualified id.
        price: yuan, unadjusted.
        previous_close: unadjusted close of the session before `as_of`, yuan; None where the source has none.
        as_of: the session that the price belongs to.
        source: where it came from, as shown to a person.
    """

    symbol: str
    price: Decimal
    previous_close: Decimal | None
    as_of: date
    source: str
