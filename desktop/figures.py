"""Figures as the window writes them: token counts in short and in full, money, and what is not known."""

from __future__ import annotations

from typing import Final

UNKNOWN: Final = "—"
ABOUT: Final = "≈"  # before an estimated figure
K: Final = 1_000
M: Final = 1_000_000


def compact(tokens: int) -> str:
    """A count of tokens in few characters: 900, 41k, 1.5M."""
    if tokens < K:
        return str(tokens)
    return f"{tokens / K:.0f}k" if tokens < M else f"{tokens / M:.4g}M"


def counted(tokens: int, *, estimated: bool = False) -> str:
    """A count of tokens in full, marked where it is an estimate."""
    return f"{ABOUT if estimated else ''}{tokens:,}"


def summed(tokens: int, *, estimated: bool = False) -> str:
    """A sum of many calls: millions in short, less in full."""
    return counted(tokens, estimated=estimated) if tokens < M else f"{ABOUT if estimated else ''}{tokens / M:.2f}M"


def money(cost: float | None, *, estimated: bool = False) -> str:
    """A cost in the currency of the prices; a dash where it is not known."""
    return UNKNOWN if cost is None else f"{ABOUT if estimated else ''}{cost:,.3f}"
