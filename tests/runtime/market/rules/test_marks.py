"""Marks in front of names."""

from __future__ import annotations

import pytest

from runtime.market.rules.marks import is_ex_rights, is_new_listing, is_special_treatment


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ST云溪", True),
        ("*ST云溪", True),
        ("XDST云溪", True),
        ("SST云溪", True),
        ("云溪股份", False),
        ("STAR云溪", False),
    ],
)
def test_special_treatment_is_read_from_the_name(name: str, *, expected: bool) -> None:
    assert is_special_treatment(name) is expected


@pytest.mark.parametrize(("name", "expected"), [("N云溪", True), ("C云溪", True), ("云溪N", False), ("CNOOC", False)])
def test_a_new_listing_is_read_from_the_name(name: str, *, expected: bool) -> None:
    assert is_new_listing(name) is expected


@pytest.mark.parametrize(("name", "expected"), [("XD云溪股", True), ("DR云溪股", True), ("云溪股份", False)])
def test_an_ex_rights_day_is_read_from_the_name(name: str, *, expected: bool) -> None:
    assert is_ex_rights(name) is expected
