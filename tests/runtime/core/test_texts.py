"""Texts: both languages know the same keys with the same placeholders, and a missing one is told, not shown."""

from __future__ import annotations

import tomllib
from pathlib import Path
from string import Formatter

import pytest

from runtime.errors import InternalError, UserError
from runtime.paths import resource
from runtime.texts import LANGUAGES, Texts

AREAS = sorted(path.stem for path in resource("i18n", "zh_CN").glob("*.toml"))


def catalogue(language: str, area: str) -> dict[str, str]:
    return tomllib.loads(resource("i18n", language, f"{area}.toml").read_text("utf-8"))


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_have_the_same_files() -> None:
    for language in LANGUAGES:
        assert sorted(path.stem for path in resource("i18n", language).glob("*.toml")) == AREAS


@pytest.mark.parametrize("area", AREAS)
def test_both_languages_have_the_same_keys_with_the_same_placeholders(area: str) -> None:
    chinese, english = (catalogue(language, area) for language in LANGUAGES)
    assert set(chinese) == set(english)
    differing = {key for key in chinese if placeholders(chinese[key]) != placeholders(english[key])}
    assert differing == set()
    assert [key for key in chinese if not chinese[key].strip() or not english[key].strip()] == []


def test_a_text_is_filled_and_what_is_missing_is_an_error(tmp_path: Path) -> None:
    for language, text in (("zh_CN", 'a = "你好 {name}"\nb = "只有中文"'), ("en", 'a = "hello {name}"')):
        (tmp_path / language).mkdir()
        (tmp_path / language / "area.toml").write_text(text, "utf-8")
    english = Texts("en", tmp_path)
    assert english("area.a", name="x") == "hello x"
    assert english("area.b") == "只有中文"
    assert english.knows("area.b")
    assert not english.knows("area.c")
    for key in ("area.c", "nowhere.a", "area.a"):
        with pytest.raises(InternalError):
            english(key)
    assert Texts("xx", tmp_path)("area.b") == "只有中文"


def test_an_error_is_always_told_also_without_its_text_or_its_fields() -> None:
    texts = Texts()
    assert texts.error(UserError("no.such_text")) == texts("errors.internal")
    assert "—" in texts.error(UserError("market.no_file"))
    assert "日线.csv" in texts.error(UserError("market.no_file", path="日线.csv"))
