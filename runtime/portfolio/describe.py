"""Ledger entries as plain sentences in the person's language: the headline of a preview, the lines of the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from runtime.numbers import price as exact_price
from runtime.portfolio.entries import (
    CashSet,
    Change,
    Entry,
    Fill,
    PositionRemoved,
    PositionSet,
    Recorded,
    StopSet,
    Undo,
)
from runtime.texts import Texts

SHOWN_CHANGES: Final = 3  # of a batch in its headline; the preview's rows show all


def describe(change: Change, texts: Texts) -> str:
    """One change in a sentence."""
    match change:
        case PositionSet():
            return _describe_holding(change, texts)
        case PositionRemoved():
            return texts("portfolio.line_remove", name=change.name, symbol=change.symbol)
        case CashSet():
            return texts("portfolio.line_cash", cash=f"{change.cash:,.2f}")
        case Fill():
            return texts(
                f"portfolio.line_{change.side}",
                name=change.name,
                symbol=change.symbol,
                shares=change.shares,
                price=exact_price(change.price),
                estimated=texts("portfolio.line_estimated_part") if change.estimated else "",
            )
        case StopSet():
            if change.stop_loss is None:
                return texts("portfolio.line_stop_cleared", name=change.name, symbol=change.symbol)
            level = exact_price(change.stop_loss)
            return texts("portfolio.line_stop", name=change.name, symbol=change.symbol, stop=level)
        case _ as never:
            assert_never(never)


def describe_all(changes: Sequence[Change], texts: Texts) -> str:
    """Several changes in one headline; the first few by name."""
    separator = texts("portfolio.line_separator")
    shown = separator.join(describe(change, texts) for change in changes[:SHOWN_CHANGES])
    if len(changes) == 1:
        return shown
    key = "portfolio.line_many" if len(changes) <= SHOWN_CHANGES else "portfolio.line_many_more"
    return texts(key, count=len(changes), items=shown)


def describe_undo(batch_id: str, recorded: Iterable[Recorded], texts: Texts) -> str:
    """What taking back a batch means: undoing its changes, or bringing back those that the batch itself took back."""
    batches: dict[str, list[Entry]] = {}
    for item in recorded:
        batches.setdefault(item.batch_id, []).append(item.entry)
    restores = False
    entries = batches.get(batch_id, [])
    while entries and isinstance(undo := entries[0], Undo):
        restores = not restores
        entries = batches.get(undo.batch_id, [])
    changes = [entry for entry in entries if not isinstance(entry, Undo)]
    return texts("portfolio.line_redo" if restores else "portfolio.line_undo", what=describe_all(changes, texts))


def _describe_holding(change: PositionSet, texts: Texts) -> str:
    stop = change.stop_loss
    return texts(
        f"portfolio.line_{change.via}",
        name=change.name,
        symbol=change.symbol,
        shares=change.shares,
        cost=exact_price(change.cost),
        day=change.day,
        stop="" if stop is None else texts("portfolio.line_stop_part", stop=exact_price(stop)),
    )
