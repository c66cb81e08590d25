"""How risky a write is, and whether a standing rule may ever cover it. Code decides, never the model."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from runtime.core.approvals import ActionPreview, Risk

LARGE_ORDER: Final = Decimal("0.05")  # of equity; seed program's confirm rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The risk, the key of the text that says why, and whether "always" may be offered."""

    risk: Risk
    reason_key: str
    always_offered: bool


def grade(preview: ActionPreview | None, *, destructive: bool) -> Grade:
    """Grade an action by what it does and how large it is.

    Args:
        preview: what would change.
        destructive: it sells, removes, clears or deletes, or takes a stop away.
    """
    if destructive:
        return Grade(risk="high", reason_key="approvals.reason_destructive", always_offered=False)
    if preview is None or preview.order_value is None:
        return Grade(risk="low", reason_key="approvals.reason_record", always_offered=True)
    if preview.equity_before is None or preview.equity_before <= 0:
        return Grade(risk="medium", reason_key="approvals.reason_equity_unknown", always_offered=False)
    if preview.order_value > LARGE_ORDER * preview.equity_before:
        return Grade(risk="high", reason_key="approvals.reason_large", always_offered=False)
    return Grade(risk="low", reason_key="approvals.reason_small", always_offered=True)
