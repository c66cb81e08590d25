"""Terms of a query and what they find."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.core.finding import MOST_TERMS, excerpt, share_found, terms_of


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("止损 608101.SIM", ("止损", "608101.sim")),
        ("看 reports/a.md。", ("看", "reports/a.md")),
        ("尾盘二次确认", ("尾盘", "盘二", "二次", "次确", "确认")),
        ("万科Ａ", ("万科", "a")),
        ("，。！", ()),
    ],
)
def test_a_query_becomes_terms(query: str, terms: tuple[str, ...]) -> None:
    assert terms_of(query) == terms


def test_another_order_of_words_is_found_in_part() -> None:
    assert 0.5 <= share_found("确认以后再买，尾盘二次", terms_of("尾盘二次确认")) < 1


@given(st.text(), st.text())
def test_any_text_can_be_looked_for_in_any_other(query: str, text: str) -> None:
    terms = terms_of(query)
    assert len(terms) <= MOST_TERMS
    assert 0 <= share_found(text, terms) <= 1
    assert len(excerpt(text, terms, 50)) <= 52
