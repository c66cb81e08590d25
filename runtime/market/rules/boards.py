"""Which board a code belongs to. The sample market follows the same prefixes."""

from __future__ import annotations

from enum import StrEnum

from runtime.errors import UserError


class Board(StrEnum):
    """The boards whose rules differ."""

    MAIN = "main"
    CHINEXT = "chinext"
    STAR = "star"
    BSE = "bse"
    FUND = "fund"


_PREFIXES: tuple[tuple[str, Board], ...] = (
    ("688", Board.STAR),
    ("689", Board.STAR),
    ("920", Board.BSE),
    ("60", Board.MAIN),
    ("00", Board.MAIN),
    ("30", Board.CHINEXT),
    ("8", Board.BSE),
    ("4", Board.BSE),
    ("51", Board.FUND),
    ("56", Board.FUND),
    ("58", Board.FUND),
    ("15", Board.FUND),
)


def board_of(symbol: str) -> Board:
    """The board of an exchange-qualified id or bare six-digit code of a stock or listed fund.

    Raises:
        UserError: no board has this prefix.
    """
    code = symbol.partition(".")[0]
    for prefix, board in _PREFIXES:
        if code.startswith(prefix):
            return board
    raise UserError("market.unknown_board", symbol=symbol)
