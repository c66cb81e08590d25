"""Daily price limits: by board, special treatment, listing day and date, as data in `resources/rules`.

Always computed on the unadjusted previous close, rounded half up to the tick, in exact decimals.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from runtime.market.rules.boards import Board, board_of
from runtime.paths import resource

STOCK_TICK: Final = Decimal("0.01")  # yuan, trading rules of the three exchanges
FUND_TICK: Final = Decimal("0.001")


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceLimits:
    """The highest and lowest price of a day in yuan.

    Attributes:
        certain: False where the code alone does not settle the ratio; such limits warn and never block.
    """

    up: Decimal
    down: Decimal
    certain: bool = True

    def allow(self, price: Decimal) -> bool:
        """Whether a trade at this price was possible."""
        return self.down <= price <= self.up


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """How young an instrument is: its listing day, and the number of the session, 1 on that day."""

    day: date
    session: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """A ratio of the previous close, the board it belongs to and the first day it holds."""

    board: Board
    since: date
    ratio: Decimal
    st: bool = False
    certain: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeSessions:
    """Sessions without a limit after a listing; `since` is the first listing day it holds for."""

    board: Board
    since: date
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSchedule:
    """All bands and exemptions."""

    band: tuple[Band, ...]
    free: tuple[FreeSessions, ...]

    def with_st_ratio(self, ratio: Decimal, since: date) -> LimitSchedule:
        """The same schedule with a main-board ST ratio that a person has set to hold from a day on."""
        kept = tuple(band for band in self.band if not (_is_main_st(band) and band.since >= since))
        added = Band(board=Board.MAIN, since=since, ratio=ratio, st=True)
        return replace(self, band=(*kept, added))

    def limits(
        self, symbol: str, previous_close: Decimal, day: date, *, st: bool = False, listing: Listing | None = None
    ) -> PriceLimits | None:
        """The limits of an instrument on a day; None when there are none.

        Args:
            symbol: exchange-qualified id or bare code.
            previous_close: unadjusted, or the exchange's reference price on an ex-rights day, yuan.
            day: the session.
            st: whether the stock was under special treatment on that day.
            listing: when it was listed; None = long ago.

        Raises:
            UserError: no board has this code.
        """
        board = board_of(symbol)
        band = self._band(board, day, st=st)
        if band is None or (listing is not None and listing.session <= self._free_sessions(board, listing.day)):
            return None
        tick = FUND_TICK if board is Board.FUND else STOCK_TICK
        up = _to_tick(previous_close * (1 + band.ratio), tick)
        down = _to_tick(previous_close * (1 - band.ratio), tick)
        return PriceLimits(
            up=max(up, previous_close + tick),  # a limit moves the price by at least one tick
            down=max(min(down, previous_close - tick), tick),
            certain=band.certain,
        )

    def ratio(self, symbol: str, day: date, *, st: bool = False) -> Decimal | None:
        """The daily limit of an instrument as a ratio of the previous close; None where there is none.

        Raises:
            UserError: no board has this code.
        """
        band = self._band(board_of(symbol), day, st=st)
        return None if band is None else band.ratio

    def _band(self, board: Board, day: date, *, st: bool) -> Band | None:
        known = [band for band in self.band if band.board is board and band.since <= day]
        special = [band for band in known if band.st] if st else []
        candidates = special or [band for band in known if not band.st]
        return max(candidates, key=lambda band: band.since, default=None)

    def _free_sessions(self, board: Board, listed: date) -> int:
        known = [free for free in self.free if free.board is board and free.since <= listed]
        return max(known, key=lambda free: free.since).sessions if known else 0


def load_limit_schedule(file: Path | None = None) -> LimitSchedule:
    """The schedule of a TOML file, by default the one that ships with the program."""
    text = (file or resource("rules", "price_limits.toml")).read_text("utf-8")
    return TypeAdapter(LimitSchedule).validate_python(tomllib.loads(text))


def _to_tick(price: Decimal, tick: Decimal) -> Decimal:
    return price.quantize(tick, rounding=ROUND_HALF_UP)


def _is_main_st(band: Band) -> bool:
    return band.board is Board.MAIN and band.st
