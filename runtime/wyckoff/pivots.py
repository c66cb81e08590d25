"""Swing highs and lows by a zigzag in ATR, each stamped with the bar that confirmed it.

A pivot is never used before its confirmation bar; pivots alternate and are ordered by confirmation.
"""

from __future__ import annotations

from dataclasses import dataclass

from runtime.wyckoff.frame import Frame

REVERSAL_ATR = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Pivot:
    """A swing extreme in log price of its frame."""

    index: int
    price: float
    is_low: bool
    confirm: int


def mirrored(pivots: tuple[Pivot, ...]) -> tuple[Pivot, ...]:
    """The pivots of the mirrored frame."""
    return tuple(
        Pivot(index=pivot.index, price=-pivot.price, is_low=not pivot.is_low, confirm=pivot.confirm) for pivot in pivots
    )


def zigzag(frame: Frame, reversal: float = REVERSAL_ATR) -> tuple[Pivot, ...]:
    """Alternating pivots, each confirmed by a move of `reversal` ATR against it on a later bar."""
    highs, lows = frame.high.tolist(), frame.low.tolist()
    needs = (frame.atr * reversal).tolist()
    first = _first_leg(highs, lows, needs)
    if first is None:
        return ()
    found = [first]
    extreme = first.confirm
    for bar in range(first.confirm + 1, len(highs)):
        if found[-1].is_low:
            if highs[bar] > highs[extreme]:
                extreme = bar
            elif highs[extreme] - lows[bar] >= needs[bar]:
                found.append(Pivot(index=extreme, price=highs[extreme], is_low=False, confirm=bar))
                extreme = bar
        elif lows[bar] < lows[extreme]:
            extreme = bar
        elif highs[bar] - lows[extreme] >= needs[bar]:
            found.append(Pivot(index=extreme, price=lows[extreme], is_low=True, confirm=bar))
            extreme = bar
    return tuple(found)


def _first_leg(highs: list[float], lows: list[float], needs: list[float]) -> Pivot | None:
    """The pivot that the first move of the needed size leaves behind."""
    top = bottom = 0
    for bar in range(1, len(highs)):
        fall, rise = highs[top] - lows[bar], highs[bar] - lows[bottom]
        if highs[bar] <= highs[top] and fall >= needs[bar] and fall > rise:
            return Pivot(index=top, price=highs[top], is_low=False, confirm=bar)
        if lows[bar] >= lows[bottom] and rise >= needs[bar] and rise > fall:
            return Pivot(index=bottom, price=lows[bottom], is_low=True, confirm=bar)
        top = bar if highs[bar] > highs[top] else top
        bottom = bar if lows[bar] < lows[bottom] else bottom
    return None
