"""Numbers at borders: exact money, finite floats, Chinese units.

Money is `Decimal` in yuan with two places, share counts are `int`, prices in arrays are float64. Unknown is `None`, never 0.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

FEN = Decimal("0.01")
TICK = Decimal("0.01")
WAN = 10_000
YI = 100_000_000


def money(value: Decimal | str | float) -> Decimal:
    """Yuan with two places, rounded half up.

    Raises:
        ValueError: the value is no finite number.
    """
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        raise ValueError(f"no amount: {value!r}") from None
    if not amount.is_finite():
        raise ValueError(f"no amount: {value!r}")
    return amount.quantize(FEN, rounding=ROUND_HALF_UP)


def price(value: float | Decimal) -> Decimal:
    """A price in yuan as exact decimal with at most four places, trailing zeros dropped down to two."""
    exact = Decimal(str(value)).quantize(Decimal("0.0001"), rounding=ROUND_HALF_UP)
    two = exact.quantize(FEN)
    return two if two == exact else exact.normalize()


def finite(value: float | None) -> float | None:
    """The number, or None where it is NaN or infinite."""
    return value if value is not None and math.isfinite(value) else None


def format_amount(value: float | Decimal | None, digits: int = 2) -> str:
    """Chinese short form: `9,876.50`, `1.23万`, `4.56亿`; `--` when unknown."""
    if value is None:
        return "--"
    number = float(value)
    if abs(number) >= YI:
        return f"{number / YI:,.{digits}f}亿"
    if abs(number) >= WAN:
        return f"{number / WAN:,.{digits}f}万"
    return f"{number:,.{digits}f}"


def format_percent(value: float | None, digits: int = 2) -> str:
    """Signed percentage of a ratio in per cent: `+3.21%`; `--` when unknown."""
    return "--" if value is None else f"{value:+.{digits}f}%"
