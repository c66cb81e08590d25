"""Lots by board."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import UserError
from runtime.market.rules.lots import can_buy, can_sell, whole_lots

SYMBOLS = ("600000.SH", "000001.SZ", "300750.SZ", "688981.SH", "920748.BJ", "510300.SH", "608001.SIM")


@pytest.mark.parametrize(
    ("symbol", "shares", "allowed"),
    [
        ("600000.SH", 100, True),
        ("600000.SH", 150, False),
        ("600000.SH", 0, False),
        ("300750.SZ", 1_000, True),
        ("510300.SH", 99, False),
        ("688981.SH", 199, False),
        ("688981.SH", 200, True),
        ("688981.SH", 201, True),
        ("920748.BJ", 99, False),
        ("920748.BJ", 101, True),
        ("608001.SIM", 250, False),
    ],
)
def test_a_purchase_is_held_to_the_lot_of_its_board(symbol: str, shares: int, *, allowed: bool) -> None:
    assert can_buy(symbol, shares) is allowed


@pytest.mark.parametrize(
    ("symbol", "shares", "held", "allowed"),
    [
        ("600000.SH", 100, 250, True),
        ("600000.SH", 50, 250, True),
        ("600000.SH", 150, 250, True),
        ("600000.SH", 30, 250, False),
        ("600000.SH", 30, 30, True),
        ("600000.SH", 20, 30, False),
        ("600000.SH", 300, 250, False),
        ("688981.SH", 150, 150, True),
        ("688981.SH", 100, 150, False),
        ("688981.SH", 199, 500, False),
        ("688981.SH", 333, 500, True),
        ("920748.BJ", 99, 150, False),
        ("920748.BJ", 101, 150, True),
    ],
)
def test_an_odd_rest_is_sold_whole_or_not_at_all(symbol: str, shares: int, held: int, *, allowed: bool) -> None:
    assert can_sell(symbol, shares, held) is allowed


@given(st.sampled_from(SYMBOLS), st.integers(0, 100_000))
def test_whole_lots_is_the_largest_allowed_purchase(symbol: str, shares: int) -> None:
    rounded = whole_lots(symbol, shares)
    assert rounded == 0 or can_buy(symbol, rounded)
    assert not any(can_buy(symbol, more) for more in range(rounded + 1, min(shares, rounded + 200) + 1))


@given(st.sampled_from(SYMBOLS), st.integers(1, 100_000))
def test_everything_held_can_always_be_sold_at_once(symbol: str, held: int) -> None:
    assert can_sell(symbol, held, held)


def test_a_code_of_no_board_is_refused() -> None:
    with pytest.raises(UserError):
        can_buy("999999.SH", 100)
