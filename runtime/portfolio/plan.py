"""Planning a write: the entries that would be written, and the preview of everything they would change. Pure; writes nothing.

A plan belongs to the version it was made on: it can be applied to that version only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from runtime.core.approvals import Fees, Notice, PortfolioPreview, PositionChange
from runtime.errors import UserError
from runtime.portfolio.book import Book
from runtime.portfolio.checks import is_oversold, notices
from runtime.portfolio.context import Context
from runtime.portfolio.describe import describe_all, describe_undo
from runtime.portfolio.entries import CashSet, Change, Entry, Fill, Recorded, Undo
from runtime.portfolio.operations import MAX_OPERATIONS, Operation
from runtime.portfolio.resolve import resolve
from runtime.portfolio.valuation import equity, position_state
from runtime.texts import Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A write that was planned and not done.

    Attributes:
        preview: what a person decides on.
        entries: what applying writes, all or none.
        version: the version it was planned on.
    """

    preview: PortfolioPreview
    entries: tuple[Entry, ...]
    version: int


def plan_operations(operations: Sequence[Operation], book: Book, context: Context, texts: Texts) -> Plan:
    """Plan operations in their order, each on the result of those before it.

    Raises:
        UserError: there are none or too many, or one makes no sense as given.
    """
    if not operations:
        raise UserError("portfolio.no_operations")
    if len(operations) > MAX_OPERATIONS:
        raise UserError("portfolio.too_many_operations", count=len(operations), limit=MAX_OPERATIONS)
    after = book
    changes: list[Change] = []
    found: list[Notice] = []
    for operation in operations:
        change = resolve(operation, after, context)
        changes.append(change)
        found.extend(notices(change, after, context, texts))
        if not is_oversold(change, after):
            after = after.after(change)
    preview = _preview(
        headline=describe_all(changes, texts),
        symbols=[change.symbol for change in changes if not isinstance(change, CashSet)],
        before=book,
        after=after,
        fills=[change for change in changes if isinstance(change, Fill)],
        found=found,
        context=context,
        texts=texts,
    )
    return Plan(preview=preview, entries=tuple(changes), version=book.version)


def plan_undo(recorded: Sequence[Recorded], context: Context, texts: Texts) -> Plan:
    """Plan to take back the batch that was applied last; taking back an undo restores what it undid.

    Raises:
        UserError: nothing was ever applied.
    """
    if not recorded:
        raise UserError("portfolio.nothing_to_undo")
    undo = Undo(batch_id=recorded[-1].batch_id, day=context.today)
    before = Book.from_entries(recorded)
    after = book_with_undo(recorded, undo)
    symbols = dict.fromkeys([*before.positions, *after.positions])
    preview = _preview(
        headline=describe_undo(undo.batch_id, recorded, texts),
        symbols=[symbol for symbol in symbols if before.positions.get(symbol) != after.positions.get(symbol)],
        before=before,
        after=after,
        fills=[],
        found=[],
        context=context,
        texts=texts,
    )
    return Plan(preview=preview, entries=(undo,), version=before.version)


def undo_symbols(recorded: Sequence[Recorded], today: date) -> tuple[str, ...]:
    """The symbols that are held before or after taking back the last batch: those whose prices its preview needs."""
    if not recorded:
        return ()
    after = book_with_undo(recorded, Undo(batch_id=recorded[-1].batch_id, day=today))
    return tuple(dict.fromkeys([*Book.from_entries(recorded).positions, *after.positions]))


def book_with_undo(recorded: Sequence[Recorded], undo: Undo) -> Book:
    """The book as it would be with one more undo in the ledger."""
    last = recorded[-1]
    pending = Recorded(id=last.id + 1, batch_id="", recorded_at=last.recorded_at, origin=last.origin, entry=undo)
    return Book.from_entries((*recorded, pending))


def _preview(
    *,
    headline: str,
    symbols: Sequence[str],
    before: Book,
    after: Book,
    fills: Sequence[Fill],
    found: Sequence[Notice],
    context: Context,
    texts: Texts,
) -> PortfolioPreview:
    touched = tuple(dict.fromkeys(symbols))
    unpriced = [symbol for symbol in touched if symbol not in context.quotes]
    missing = [_no_quote(_name(symbol, before, after, context), texts) for symbol in unpriced]
    as_of, source = _prices_used(dict.fromkeys([*before.positions, *after.positions, *touched]), context, texts)
    return PortfolioPreview(
        headline=headline,
        positions=tuple(
            PositionChange(
                symbol=symbol,
                name=_name(symbol, before, after, context),
                before=position_state(symbol, before, context.quotes),
                after=position_state(symbol, after, context.quotes),
            )
            for symbol in touched
        ),
        cash_before=before.cash,
        cash_after=after.cash,
        fees=_sum_fees(fills),
        price_as_of=as_of,
        price_source=source,
        order_value=sum((fill.amount for fill in fills), start=Decimal("0.00")) if fills else None,
        equity_before=equity(before, context.quotes),
        notices=tuple(dict.fromkeys([*found, *missing])),
        version=before.version,
    )


def _prices_used(symbols: dict[str, None], context: Context, texts: Texts) -> tuple[date | None, str]:
    """The oldest day and all sources of the quotes behind the values; None and "" when there are none."""
    quotes = [context.quotes[symbol] for symbol in symbols if symbol in context.quotes]
    sources = dict.fromkeys(quote.source for quote in quotes)
    return min((quote.as_of for quote in quotes), default=None), texts("portfolio.source_separator").join(sources)


def _sum_fees(fills: Sequence[Fill]) -> Fees | None:
    if not fills:
        return None
    nothing = Decimal("0.00")
    return Fees(
        commission=sum((fill.fees.commission for fill in fills), start=nothing),
        stamp_duty=sum((fill.fees.stamp_duty for fill in fills), start=nothing),
        transfer_fee=sum((fill.fees.transfer_fee for fill in fills), start=nothing),
    )


def _name(symbol: str, before: Book, after: Book, context: Context) -> str:
    """The name for a row; the symbol where a sale of what is not held names something unknown."""
    position = after.positions.get(symbol) or before.positions.get(symbol)
    if position is not None:
        return position.name
    instrument = context.instruments.get(symbol)
    return symbol if instrument is None else instrument.name


def _no_quote(name: str, texts: Texts) -> Notice:
    return Notice(code="no_quote", text=texts("portfolio.notice_no_quote", name=name), severity="info")
