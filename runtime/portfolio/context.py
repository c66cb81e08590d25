"""Everything besides the book that planning looks at, gathered once so that planning itself is pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from runtime.core.symbols import Instrument
from runtime.market.quotes import Quote
from runtime.market.rules.fees import FeeSchedule
from runtime.market.rules.limits import LimitSchedule


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The market as planning sees it.

    Attributes:
        quotes: last quotes of held and named symbols; without those that have none.
        instruments: the same symbols in the table of names; without those it does not know.
        today: the day in Asia/Shanghai.
    """

    quotes: Mapping[str, Quote]
    instruments: Mapping[str, Instrument]
    today: date
    fees: FeeSchedule
    limits: LimitSchedule
