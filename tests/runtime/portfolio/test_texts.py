"""Texts of the portfolio in both languages."""

from __future__ import annotations

import string
import tomllib

from runtime.paths import resource


def _texts(language: str) -> dict[str, str]:
    return tomllib.loads(resource("i18n", language, "portfolio.toml").read_text("utf-8"))


def _placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_english_has_the_keys_and_placeholders_of_chinese() -> None:
    chinese, english = _texts("zh_CN"), _texts("en")
    assert list(chinese) == list(english)
    assert {key: _placeholders(text) for key, text in chinese.items()} == {
        key: _placeholders(text) for key, text in english.items()
    }
