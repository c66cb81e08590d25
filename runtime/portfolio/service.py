"""The portfolio for everybody else: view, plan, apply, undo.

The ledger is the only truth and only grows. A write is one transaction on the version that was previewed: it happens whole, or not at
all. Work on the database runs on its own thread; this class keeps nothing between calls.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from runtime.clock import Clock
from runtime.core.ids import new_id
from runtime.errors import TransientError, UserError
from runtime.market.quotes import Quote
from runtime.market.rules.fees import FeeSchedule
from runtime.market.rules.limits import LimitSchedule
from runtime.portfolio import ledger
from runtime.portfolio.book import Book, undone_batches
from runtime.portfolio.context import Context
from runtime.portfolio.describe import describe, describe_undo
from runtime.portfolio.entries import Recorded, Undo
from runtime.portfolio.operations import Operation, touched_symbols
from runtime.portfolio.plan import Plan, plan_operations, plan_undo, undo_symbols
from runtime.portfolio.sources import InstrumentSource, PriceSource
from runtime.portfolio.views import LedgerLine, PortfolioView, portfolio_view
from runtime.storage.engine import Database
from runtime.texts import Texts

logger = logging.getLogger(__name__)

DEFAULT_LINES: Final = 50  # of the ledger list


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """A write that happened.

    Attributes:
        headline: what was done, in words.
        version: the version after it.
    """

    batch_id: str
    headline: str
    version: int


class PortfolioService:
    """Reads and writes of one person's portfolio.

    Args:
        database: the person's database.
        prices: last known prices.
        instruments: the table of names.
        texts: the person's language.
        clock: says what day it is.
        fees: rates, with the person's own commission.
        limits: daily price limits.
    """

    def __init__(
        self,
        *,
        database: Database,
        prices: PriceSource,
        instruments: InstrumentSource,
        texts: Texts,
        clock: Clock,
        fees: FeeSchedule,
        limits: LimitSchedule,
    ) -> None:
        self._database = database
        self._prices = prices
        self._instruments = instruments
        self._texts = texts
        self._clock = clock
        self._fees = fees
        self._limits = limits

    async def book(self) -> Book:
        """The derived portfolio without prices."""
        return await self._database.run(lambda connection: Book.from_entries(ledger.read(connection)))

    async def view(self) -> PortfolioView:
        """Everything that is held, valued at the last known prices."""
        book = await self.book()
        quotes = await self._quotes(book.positions)
        return portfolio_view(book, quotes, self._clock.now().date())

    async def plan(self, operations: Sequence[Operation]) -> Plan:
        """Plan a write; nothing is written.

        Raises:
            UserError: the operations make no sense as given.
        """
        book = await self.book()
        context = await self._context([*book.positions, *touched_symbols(operations)])
        return plan_operations(operations, book, context, self._texts)

    async def plan_undo(self) -> Plan:
        """Plan to take back the batch that was applied last; after an undo that is a redo.

        Raises:
            UserError: nothing was ever applied.
        """
        recorded = await self._database.run(ledger.read)
        context = await self._context(undo_symbols(recorded, self._clock.now().date()))
        return plan_undo(recorded, context, self._texts)

    async def apply(self, plan: Plan, origin: str) -> Applied:
        """Write a plan as one batch.

        Args:
            plan: made on the current version.
            origin: who writes: `terminal`, `chat:<turn>`, `import`.

        Raises:
            UserError: the preview has errors.
            TransientError: the portfolio changed since the plan was made.
        """
        if plan.preview.blocked:
            reasons = [notice.text for notice in plan.preview.notices if notice.severity == "error"]
            raise UserError("portfolio.blocked", reasons=self._texts("portfolio.line_separator").join(reasons))
        batch_id = new_id()
        now = self._clock.now()

        def write(connection: Connection) -> int:
            current = ledger.version(connection)
            if current != plan.version:
                raise TransientError("portfolio.version_changed", planned=plan.version, current=current)
            ledger.append(connection, plan.entries, batch_id=batch_id, at=now, origin=origin)
            return ledger.version(connection)

        version = await self._database.run(write)
        logger.info("portfolio version %d: %d entries by %s", version, len(plan.entries), origin)
        return Applied(batch_id=batch_id, headline=plan.preview.headline, version=version)

    async def undo(self, origin: str) -> Applied:
        """Take back the batch that was applied last.

        Raises:
            UserError: nothing was ever applied.
            TransientError: the portfolio changed in between.
        """
        return await self.apply(await self.plan_undo(), origin)

    async def entries(self, limit: int = DEFAULT_LINES) -> tuple[LedgerLine, ...]:
        """The newest entries in words, newest first."""
        recorded = await self._database.run(ledger.read)
        undone = undone_batches(recorded)
        return tuple(
            LedgerLine(recorded=item, text=self._line(item, recorded), undone=item.batch_id in undone)
            for item in recorded[: -limit - 1 : -1]
        )

    def _line(self, item: Recorded, recorded: Sequence[Recorded]) -> str:
        if isinstance(item.entry, Undo):
            return describe_undo(item.entry.batch_id, recorded, self._texts)
        return describe(item.entry, self._texts)

    async def _context(self, symbols: Iterable[str]) -> Context:
        distinct = tuple(dict.fromkeys(symbols))
        known = {symbol: self._instruments.get(symbol) for symbol in distinct}
        return Context(
            quotes=await self._quotes(distinct),
            instruments={symbol: found for symbol, found in known.items() if found is not None},
            today=self._clock.now().date(),
            fees=self._fees,
            limits=self._limits,
        )

    async def _quotes(self, symbols: Iterable[str]) -> Mapping[str, Quote]:
        """Last quotes; none when no source answers: what is held can be shown and recorded without prices."""
        wanted = tuple(symbols)
        if not wanted:
            return {}
        try:
            return await self._prices.last_quotes(wanted)
        except TransientError as problem:
            logger.warning("no prices for the portfolio: %s", problem)
            return {}
