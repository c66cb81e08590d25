"""Settings: the environment over the file over the defaults; what is invalid is said and falls back."""

from __future__ import annotations

import stat
from dataclasses import fields

import pytest

from runtime.errors import UserError
from runtime.paths import Home
from runtime.settings import Settings, SettingsFile, load_settings


def written(home: Home, text: str) -> SettingsFile:
    home.ensure()
    home.settings_file.write_text(text, "utf-8")
    return SettingsFile(home)


def test_without_a_file_the_defaults_stand(home: Home) -> None:
    loaded = load_settings(SettingsFile(home), {})
    assert loaded.settings == Settings()
    assert loaded.problems == ()
    assert not home.root.exists()  # reading creates nothing


def test_the_environment_wins_over_the_file_and_the_file_over_the_default(home: Home) -> None:
    file = written(home, "[settings]\nmax_tool_rounds = 3\ncheckpoint_s = 2.5\n")
    loaded = load_settings(file, {"WYCKOFF_MAX_TOOL_ROUNDS": " 7 ", "WYCKOFF_LANGUAGE": "en"})
    assert (loaded.settings.max_tool_rounds, loaded.settings.checkpoint_s, loaded.settings.language) == (7, 2.5, "en")
    assert loaded.problems == ()


INVALID = (
    ("max_tool_rounds", "many"), ("max_tool_rounds", "0"), ("max_tool_rounds", "-1"), ("turn_timeout_s", "inf"), ("turn_timeout_s", "-5"),
    ("language", "fr"), ("market", "real"), ("commission_rate", "-0.1"), ("commission_rate", "nan"), ("commission_min", "five"),
    ("checkpoint_s", "0"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "value"), INVALID)
def test_an_invalid_value_of_the_environment_is_said_and_its_default_stands(home: Home, name: str, value: str) -> None:
    variable = f"WYCKOFF_{name.upper()}"
    loaded = load_settings(SettingsFile(home), {variable: value})
    assert loaded.settings == Settings()
    assert [(problem.fields["source"], problem.fields["value"]) for problem in loaded.problems] == [(variable, value)]


@pytest.mark.parametrize(("name", "value"), INVALID)
def test_an_invalid_value_of_the_file_is_said_and_its_default_stands(home: Home, name: str, value: str) -> None:
    loaded = load_settings(written(home, f'[settings]\n{name} = "{value}"\n'), {})
    assert loaded.settings == Settings()
    assert [(problem.fields["source"], problem.fields["value"]) for problem in loaded.problems] == [
        ("desk.toml", value)
    ]


def test_a_time_that_is_no_number_is_invalid(home: Home) -> None:
    assert load_settings(SettingsFile(home), {"WYCKOFF_TURN_TIMEOUT_S": "nan"}).settings == Settings()


def test_settings_that_are_no_table_do_not_keep_the_program_from_starting(home: Home) -> None:
    assert load_settings(written(home, "settings = 3\n"), {}).settings == Settings()


@pytest.mark.parametrize("value", ["3.7", "true"])
def test_a_number_of_another_kind_is_invalid(home: Home, value: str) -> None:
    assert load_settings(written(home, f"[settings]\nmax_tool_rounds = {value}\n"), {}).problems


def test_an_invalid_environment_leaves_the_files_value(home: Home) -> None:
    loaded = load_settings(written(home, "[settings]\nmax_tool_rounds = 3\n"), {"WYCKOFF_MAX_TOOL_ROUNDS": "x"})
    assert loaded.settings.max_tool_rounds == 3
    assert len(loaded.problems) == 1


def test_every_setting_has_an_environment_form(home: Home) -> None:
    for item in fields(Settings):
        special = {"language": "en", "market": "sample", "proxy": "none", "readable_folders": "x"}
        value = "http://127.0.0.1:1" if item.name.endswith("_url") else special.get(item.name, "1")
        loaded = load_settings(SettingsFile(home), {f"WYCKOFF_{item.name.upper()}": value})
        assert loaded.problems == ()
        assert str(getattr(loaded.settings, item.name)) in (value, "1.0")


def test_unknown_and_odd_tables_do_not_matter(home: Home) -> None:
    file = written(home, "[settings]\nnothing = 1\nmax_tool_rounds = [1]\n[models.x]\na = 1\n")
    loaded = load_settings(file, {})
    assert loaded.settings == Settings()
    assert len(loaded.problems) == 1


def test_a_broken_file_is_refused_and_left_as_it_is(home: Home) -> None:
    file = written(home, "[settings\n")
    with pytest.raises(UserError) as refused:
        load_settings(file, {})
    with pytest.raises(UserError):
        file.update(lambda document: document.update(a=1))
    assert refused.value.key == "settings.broken_file"
    assert home.settings_file.read_text("utf-8") == "[settings\n"


def test_comments_and_order_survive_a_write(home: Home) -> None:
    text = "# 我的设置\n[settings]\nmax_tool_rounds = 3 # 少一点\n\n# 模型\n[models.a]\nname = 'x'\n"
    file = written(home, text)
    file.update(lambda document: document["models"].update(b={"name": "y"}))
    after = home.settings_file.read_text("utf-8")
    assert after.startswith(text)
    assert file.read()["models"]["b"]["name"] == "y"


def test_a_write_that_breaks_leaves_the_file_and_nothing_beside_it(home: Home) -> None:
    file = written(home, "[settings]\n")

    def broken(_document: object) -> None:
        raise KeyError

    with pytest.raises(KeyError):
        file.update(broken)
    assert home.settings_file.read_text("utf-8") == "[settings]\n"
    assert {path.name for path in home.root.iterdir()} <= {"desk.toml", "desk.toml.lock"}


def test_a_new_file_is_for_its_owner_only(home: Home) -> None:
    SettingsFile(home).update(lambda document: document.update(a=1))
    assert stat.S_IMODE(home.settings_file.stat().st_mode) == 0o600
