"""The ledger table: entries to rows and back. Only reads and appends; the database refuses anything else."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal, TypeVar, assert_never

from sqlalchemy import Connection, Row, func, insert, select

from runtime.core.approvals import Fees
from runtime.errors import InternalError
from runtime.market.rules.fees import Side
from runtime.portfolio.entries import (
    CashSet,
    Entry,
    Fill,
    PositionRemoved,
    PositionSet,
    Recorded,
    StopSet,
    Undo,
    Via,
)
from runtime.storage.schema import ledger

T = TypeVar("T")

_VIA_OF: Final[dict[str, Via]] = {
    "position_added": "add",
    "position_updated": "update",
    "position_imported": "import",
}
_SIDE_OF: Final[dict[str, Side]] = {"bought": "buy", "sold": "sell"}
_KIND_OF_VIA: Final[dict[Via, str]] = {via: kind for kind, via in _VIA_OF.items()}
_KIND_OF_SIDE: Final[dict[Side, str]] = {side: kind for kind, side in _SIDE_OF.items()}


def read(connection: Connection) -> tuple[Recorded, ...]:
    """All entries, oldest first.

    Raises:
        InternalError: a row is of an unknown kind or lacks a value.
    """
    rows = connection.execute(select(ledger).order_by(ledger.c.id))
    return tuple(
        Recorded(
            id=row.id,
            batch_id=row.batch_id,
            recorded_at=row.recorded_at,
            origin=row.origin,
            entry=_entry(row),
        )
        for row in rows
    )


def version(connection: Connection) -> int:
    """Id of the newest entry; 0 for an empty ledger."""
    newest: int | None = connection.execute(select(func.max(ledger.c.id))).scalar()
    return newest or 0


def append(connection: Connection, entries: Sequence[Entry], *, batch_id: str, at: datetime, origin: str) -> None:
    """Write the entries of one batch, in their order."""
    for entry in entries:
        values = _values(entry)
        connection.execute(insert(ledger).values(batch_id=batch_id, recorded_at=at, origin=origin, **values))


def _values(entry: Entry) -> dict[str, object]:
    """The columns of an entry that differ by kind."""
    match entry:
        case PositionSet():
            return {
                "kind": _KIND_OF_VIA[entry.via],
                "day": entry.day,
                "symbol": entry.symbol,
                "name": entry.name,
                "shares": entry.shares,
                "price": entry.cost,
                "stop_loss": entry.stop_loss,
            }
        case PositionRemoved():
            return {"kind": "position_removed", "day": entry.day, "symbol": entry.symbol, "name": entry.name}
        case CashSet():
            return {"kind": "cash_set", "day": entry.day, "cash": entry.cash}
        case Fill():
            return _fill_values(entry)
        case StopSet():
            kind: Literal["stop_set", "stop_cleared"] = "stop_cleared" if entry.stop_loss is None else "stop_set"
            return {
                "kind": kind,
                "day": entry.day,
                "symbol": entry.symbol,
                "name": entry.name,
                "stop_loss": entry.stop_loss,
            }
        case Undo():
            return {"kind": "undo", "day": entry.day, "undoes": entry.batch_id}
        case _ as never:
            assert_never(never)


def _fill_values(fill: Fill) -> dict[str, object]:
    return {
        "kind": _KIND_OF_SIDE[fill.side],
        "day": fill.day,
        "symbol": fill.symbol,
        "name": fill.name,
        "shares": fill.shares,
        "price": fill.price,
        "commission": fill.fees.commission,
        "stamp_duty": fill.fees.stamp_duty,
        "transfer_fee": fill.fees.transfer_fee,
        "estimated": fill.estimated,
    }


def _entry(row: Row[*tuple[object, ...]]) -> Entry:
    match row.kind:
        case "position_added" | "position_updated" | "position_imported":
            return PositionSet(
                symbol=_there(row.symbol),
                name=_there(row.name),
                shares=_there(row.shares),
                cost=_there(row.price),
                day=row.day,
                stop_loss=row.stop_loss,
                via=_VIA_OF[row.kind],
            )
        case "position_removed":
            return PositionRemoved(symbol=_there(row.symbol), name=_there(row.name), day=row.day)
        case "cash_set":
            return CashSet(cash=_there(row.cash), day=row.day)
        case "bought" | "sold":
            return _fill(row)
        case "stop_set" | "stop_cleared":
            return StopSet(symbol=_there(row.symbol), name=_there(row.name), stop_loss=row.stop_loss, day=row.day)
        case "undo":
            return Undo(batch_id=_there(row.undoes), day=row.day)
        case _:
            raise InternalError("portfolio.damaged_entry", id=row.id)


def _fill(row: Row[*tuple[object, ...]]) -> Fill:
    return Fill(
        side=_SIDE_OF[row.kind],
        symbol=_there(row.symbol),
        name=_there(row.name),
        shares=_there(row.shares),
        price=_there(row.price),
        day=row.day,
        fees=Fees(
            commission=_there(row.commission),
            stamp_duty=_there(row.stamp_duty),
            transfer_fee=_there(row.transfer_fee),
        ),
        estimated=row.estimated,
    )


def _there(value: T | None) -> T:
    if value is None:
        raise InternalError("portfolio.damaged_ledger", symbol="")
    return value
