"""Settings, clocks, homes and languages: broken ones are reported and never repaired behind the person's back."""

from __future__ import annotations

from tests.support.terminal import Terminal, events_of

COMMANDS = ("ask", "chat", "analyze", "doctor", "market", "model", "portfolio", "scratchpad")


def test_a_broken_settings_file_is_reported_and_left_alone(terminal: Terminal) -> None:
    terminal.home.mkdir()
    file = terminal.home / "desk.toml"
    file.write_text("[settings\nlanguage = 'en'\n", "utf-8")
    before = file.read_bytes()
    ended = terminal.run("model", "add", "x", "--base-url", "ollama", "--model", "m", "--json")
    assert ended.code == 1
    assert str(file) in ended.message
    assert "没有改动它" in ended.message
    assert file.read_bytes() == before


def test_an_invalid_setting_warns_and_its_default_stands(terminal: Terminal) -> None:
    ended = terminal.run("market", "status", "--json", WYCKOFF_MARKET="moon", WYCKOFF_CHECKPOINT_S="-1")
    assert ended.code == 0
    assert ended.data["mode"] == "auto"
    assert "market 的值 moon" in ended.err
    assert "checkpoint_s 的值 -1" in ended.err


def test_a_clock_that_is_none_is_refused(terminal: Terminal) -> None:
    ended = terminal.run("market", "status", "--json", WYCKOFF_NOW="yesterday")
    assert ended.code == 1
    assert "WYCKOFF_NOW 的值 yesterday" in ended.message
    assert "2026-06-30T15:00" in ended.message


def test_an_empty_home_has_only_the_sample_market(terminal: Terminal) -> None:
    data = terminal.run("market", "status", "--json").data
    assert (data["bars"], data["newest"], data["last_trading_day"]) == (0, None, "2026-07-01")
    assert data["sample"] == {"instruments": 61, "as_of": "2026-06-30"}


def test_doctor_names_every_check_and_how_to_get_a_keyring(terminal: Terminal) -> None:
    text, program = terminal.together(("doctor",), ("doctor", "--json"))
    checks = program.json["data"]
    assert isinstance(checks, list)
    found = {str(check["name"]): check for check in checks if isinstance(check, dict)}
    assert {"python", "home", "disk", "database", "keyring", "market", "models", "proxy", "fonts"} <= set(found)
    assert {str(check["state"]) for check in found.values()} <= {"ok", "warn"}
    assert "gnome-keyring" in str(found["keyring"]["detail"])
    assert str(terminal.home) in text.out
    assert (text.code, program.code) == (0, 0)


def test_help_lists_all_commands_in_both_languages(terminal: Terminal) -> None:
    chinese, english = terminal.run("--help"), terminal.run("--help", WYCKOFF_LANGUAGE="en")
    for shown in (chinese, english):
        listed = [line.split()[0] for line in shown.out.partition("Commands:")[2].splitlines() if line.strip()]
        assert set(COMMANDS) <= set(listed)
    assert "持仓" in chinese.out
    assert not any("\u4e00" <= letter <= "\u9fff" for letter in english.out.replace("威科夫读盘台", ""))


def test_the_trace_of_the_last_turn_is_shown_step_by_step(terminal: Terminal) -> None:
    terminal.run("ask", "大盘怎么样", "--conversation", "talk")
    text, program = terminal.together(("scratchpad", "show", "last"), ("scratchpad", "show", "talk", "--json"))
    steps = [str(event["kind"]) for event in events_of(program.out)]
    assert (steps[0], steps[-1]) == ("turn_start", "done")
    assert 'get_market_overview {"market":' in text.out or "get_market_overview {}" in text.out
    assert all(step in text.out for step in steps)


def test_a_missing_trace_is_named(terminal: Terminal) -> None:
    ended = terminal.run("scratchpad", "show", "last")
    assert ended.code == 1
    assert "scratchpad list" in ended.err


def test_outputs_in_english(terminal: Terminal) -> None:
    terminal.home.mkdir()
    (terminal.home / "desk.toml").write_text('[settings]\nlanguage = "en"\n', "utf-8")
    expected = {
        ("portfolio", "set-cash", "5"): ("cash unknown", "nothing was written"),
        ("ask", "云溪股份怎么样"): ("stop", "not investment advice"),
        ("analyze", "600519"): ("wyckoff market import",),
    }
    for ended, texts in zip(terminal.together(*expected), expected.values(), strict=True):
        shown = (ended.out + ended.err).lower()
        assert all(text in shown for text in texts), shown
        assert "元" not in shown
        assert "。" not in shown
