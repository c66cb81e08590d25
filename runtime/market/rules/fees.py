"""What a trade costs: commission, stamp duty, transfer fee. Rates with the day from which they hold, as data in `resources/rules`.

Money is exact; each fee is rounded half up to 0.01 yuan on its own. Listed funds pay commission only.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Final, Literal, TypeAlias

from pydantic import TypeAdapter

from runtime.core.approvals import Fees
from runtime.market.rules.boards import Board, board_of
from runtime.numbers import money
from runtime.paths import resource

Side: TypeAlias = Literal["buy", "sell"]

NO_FEE: Final = Decimal("0.00")


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedRate:
    """A ratio of the traded amount and the first day it holds."""

    since: date
    rate: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class FeeSchedule:
    """The rates of all fees.

    Attributes:
        commission_rate: ratio of the amount, both sides.
        minimum_commission: least commission of a trade, yuan.
        stamp_duty: sells of stocks only.
        transfer_fee: both sides, stocks only.
    """

    commission_rate: Decimal
    minimum_commission: Decimal
    stamp_duty: tuple[DatedRate, ...]
    transfer_fee: tuple[DatedRate, ...]

    def with_commission(self, *, rate: Decimal | None = None, minimum: Decimal | None = None) -> FeeSchedule:
        """The same schedule with the commission a person has agreed with the broker; None keeps."""
        return replace(
            self,
            commission_rate=self.commission_rate if rate is None else rate,
            minimum_commission=self.minimum_commission if minimum is None else minimum,
        )

    def fees(self, *, side: Side, symbol: str, amount: Decimal, day: date) -> Fees:
        """The costs of trading `amount` yuan of an instrument on a day.

        Raises:
            UserError: no board has this code.
        """
        is_fund = board_of(symbol) is Board.FUND
        stamp = NO_FEE if is_fund or side == "buy" else money(amount * _rate_on(self.stamp_duty, day))
        transfer = NO_FEE if is_fund else money(amount * _rate_on(self.transfer_fee, day))
        commission = money(max(amount * self.commission_rate, self.minimum_commission))
        return Fees(commission=commission, stamp_duty=stamp, transfer_fee=transfer)


def load_fee_schedule(file: Path | None = None) -> FeeSchedule:
    """The schedule of a TOML file, by default the one that ships with the program."""
    text = (file or resource("rules", "fees.toml")).read_text("utf-8")
    return TypeAdapter(FeeSchedule).validate_python(tomllib.loads(text))


def _rate_on(rates: tuple[DatedRate, ...], day: date) -> Decimal:
    """The rate that holds on a day; 0 before the first."""
    known = [dated for dated in rates if dated.since <= day]
    return max(known, key=lambda dated: dated.since).rate if known else Decimal(0)
