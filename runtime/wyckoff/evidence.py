"""Measured facts with their bounds, in the words of the natural frame."""

from __future__ import annotations

import math

from runtime.wyckoff.records import Evidence, Side


def at_least(name: str, value: float, bound: float) -> Evidence:
    """A fact that has to reach a bound; an unknown value does not."""
    return Evidence(name=name, value=_shown(value), need=f">={bound:g}", ok=value >= bound)


def at_most(name: str, value: float, bound: float) -> Evidence:
    """A fact that must not exceed a bound; an unknown value does not meet it."""
    return Evidence(name=name, value=_shown(value), need=f"<={_short(bound)}", ok=value <= bound)


def strong_close(side: Side, value: float, bound: float) -> Evidence:
    """A close in the upper part of the bar, seen from the frame; the lower part when the frame is mirrored."""
    name = "close_position"
    if side == 1:
        return at_least(name, value, bound)
    return Evidence(name=name, value=_shown(1 - value), need=f"<={1 - bound:g}", ok=value >= bound)


def _shown(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None


def _short(bound: float) -> str:
    return f"{bound:.2f}".rstrip("0").rstrip(".")
