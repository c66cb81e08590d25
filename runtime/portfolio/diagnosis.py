"""How healthy a holding is, from its chart, its stop and its result.

The whole history of the stock is read, also for a position bought yesterday. A Spring or Test is no danger; a climax, an upthrust or a sign
of weakness is not healthy.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from runtime.portfolio.views import PositionView
from runtime.wyckoff.records import Phase, Reading

Status: TypeAlias = Literal["healthy", "watch", "danger", "unknown"]
DEEP_LOSS: Final = -0.10  # of the basis
NEAR_STOP: Final = 0.03  # of the price


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The state of a holding, and keys of the texts that say why, the gravest first."""

    status: Status
    reason_keys: tuple[str, ...]


def diagnose(position: PositionView, reading: Reading | None) -> Health:
    """Judge one holding; without bars its chart is unknown, never healthy."""
    danger: list[str] = []
    watch: list[str] = []
    price = None if position.quote is None else position.quote.price
    if price is not None and position.stop_loss is not None:
        if price <= position.stop_loss:
            danger.append("portfolio.health_stop_broken")
        elif price <= position.stop_loss * (1 + _decimal(NEAR_STOP)):
            watch.append("portfolio.health_near_stop")
    if position.stop_loss is None:
        watch.append("portfolio.health_no_stop")
    if position.profit_ratio is not None and position.profit_ratio <= DEEP_LOSS:
        watch.append("portfolio.health_deep_loss")
    if reading is None:
        return Health(
            status="danger" if danger else "unknown", reason_keys=(*danger, "portfolio.health_no_bars", *watch)
        )
    if reading.danger.level == "danger":
        danger.append(reading.danger.reason_key or "portfolio.health_structure")
    elif reading.danger.level == "watch":
        watch.insert(0, reading.danger.reason_key or "portfolio.health_structure")
    if reading.phase.phase is Phase.FAILED:
        danger.append("portfolio.health_failed")
    status: Status = "danger" if danger else "watch" if watch else "healthy"
    return Health(status=status, reason_keys=(*danger, *watch))


def _decimal(value: float) -> Decimal:
    return Decimal(str(value))
