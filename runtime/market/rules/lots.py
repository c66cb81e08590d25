"""How many shares one order may have, by board.

Main board, ChiNext and funds: multiples of 100. STAR: 200 or more, then single shares. BSE: 100 or more, then single shares. What is
left below a whole lot is sold whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from runtime.market.rules.boards import Board, board_of


@dataclass(frozen=True, slots=True, kw_only=True)
class LotRule:
    """The smallest order and the step above it, in shares."""

    minimum: int
    step: int


def lot_rule(symbol: str) -> LotRule:
    """The rule of an instrument's board.

    Raises:
        UserError: no board has this code.
    """
    match board_of(symbol):
        case Board.MAIN | Board.CHINEXT | Board.FUND:
            return LotRule(minimum=100, step=100)
        case Board.STAR:
            return LotRule(minimum=200, step=1)
        case Board.BSE:
            return LotRule(minimum=100, step=1)
        case _ as never:
            assert_never(never)


def can_buy(symbol: str, shares: int) -> bool:
    """Whether an order to buy may have this many shares."""
    rule = lot_rule(symbol)
    return shares >= rule.minimum and shares % rule.step == 0


def can_sell(symbol: str, shares: int, held: int) -> bool:
    """Whether an order to sell may have this many shares out of `held`.

    An odd rest goes whole or not at all: 50 of 250 main-board shares may be sold, 150 may, 30 may not.
    """
    if not 0 < shares <= held:
        return False
    rule = lot_rule(symbol)
    if held < rule.minimum:
        return shares == held
    if rule.step > 1:
        return shares % rule.step in {0, held % rule.step}
    return shares >= rule.minimum


def whole_lots(symbol: str, shares: int) -> int:
    """The largest number of shares that may be bought and is not above `shares`; 0 when none is."""
    rule = lot_rule(symbol)
    rounded = shares // rule.step * rule.step
    return rounded if rounded >= rule.minimum else 0
