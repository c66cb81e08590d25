"""A portfolio on a real database, on a day and at prices that a test sets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from runtime.clock import SHANGHAI, FixedClock
from runtime.core.symbols import Instrument
from runtime.market.rules.fees import load_fee_schedule
from runtime.market.rules.limits import load_limit_schedule
from runtime.portfolio.service import PortfolioService
from runtime.storage.engine import Database
from runtime.texts import Texts
from tests.support.prices import FixedInstruments, FixedPrices, an_instrument

TODAY = date(2026, 6, 30)  # a Tuesday

NAMES: tuple[Instrument, ...] = (
    an_instrument("608001.SIM", "云溪股份"),
    an_instrument("308001.SIM", "青禾科技"),
    an_instrument("688901.SIM", "星河芯片"),
    an_instrument("608009.SIM", "*ST远山"),
    an_instrument("510300.SH", "沪深300ETF", "fund"),
    an_instrument("000001.SH", "上证指数", "index"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The service and what a test turns around it."""

    service: PortfolioService
    prices: FixedPrices
    database: Database

    def on(self, day: date, language: str = "zh_CN") -> PortfolioService:
        """The same portfolio on another day or in another language."""
        return build_service(self.database, self.prices, day, language)


def build_service(database: Database, prices: FixedPrices, day: date, language: str = "zh_CN") -> PortfolioService:
    return PortfolioService(
        database=database,
        prices=prices,
        instruments=FixedInstruments(*NAMES),
        texts=Texts(language),
        clock=FixedClock(datetime(day.year, day.month, day.day, 16, 0, tzinfo=SHANGHAI)),
        fees=load_fee_schedule(),
        limits=load_limit_schedule(),
    )
