"""T+1."""

from __future__ import annotations

from datetime import date

from runtime.market.rules.settlement import is_sellable


def test_shares_are_sellable_from_the_day_after_their_purchase() -> None:
    bought = date(2026, 6, 29)
    assert not is_sellable(bought, date(2026, 6, 28))
    assert not is_sellable(bought, bought)
    assert is_sellable(bought, date(2026, 6, 30))
