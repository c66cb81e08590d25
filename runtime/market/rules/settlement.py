"""T+1: shares bought on one day can be sold from the next day on."""

from __future__ import annotations

from datetime import date


def is_sellable(bought: date, day: date) -> bool:
    """Whether shares bought on `bought` may be sold on `day`."""
    return day > bought
