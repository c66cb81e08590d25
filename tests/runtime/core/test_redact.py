"""Secrets stay out of logs, traces and JSON: by value, by shape, by the name of the field."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import cast

import pytest

from runtime.agent.scratchpad import Scratchpad, read_trace, traces
from runtime.core.events import ToolStart, TurnStart
from runtime.core.json import JsonObject, JsonValue
from runtime.logs import install_logging
from runtime.paths import Home
from runtime.redact import MASK, Redactor
from tests.support.cases import Case, cases_of, needs_cases
from tests.support.desks import NOW

KNOWN = "hunter2-hunter2"
SHAPES = (
    "sk-proj-0123456789abcdef", "sk-ant-api03-AAAA_bbbb-cccc", "AIzaSyA0123456789abcdefghijklmnop", "Bearer abcdef0123456789",
    "OPENAI_API_KEY=whatever-it-is", "deepseek_api_key = 12345",
)  # fmt: skip


def a_redactor() -> Redactor:
    redactor = Redactor()
    redactor.learn(KNOWN)
    return redactor


@pytest.mark.parametrize("secret", [KNOWN, *SHAPES])
def test_a_secret_in_a_text_is_masked_and_its_surroundings_stay(secret: str) -> None:
    assert a_redactor().text(f"前 {secret} 后") == f"前 {MASK} 后"


@pytest.mark.parametrize("text", ["600519 涨 3%", "risk-averse", "task-1", "input_tokens=5", "bearer of news"])
def test_ordinary_texts_stay_as_they_are(text: str) -> None:
    assert a_redactor().text(text) == text


def test_a_short_value_is_not_learned() -> None:
    redactor = Redactor()
    redactor.learn("abc")
    redactor.learn("")
    assert redactor.text("abcdef") == "abcdef"


def masked(observed: JsonValue) -> JsonValue:
    match observed:
        case "***REDACTED***":
            return MASK
        case dict():
            return {name: masked(item) for name, item in observed.items()}
        case list():
            return [masked(item) for item in observed]
        case _:
            return observed


@needs_cases
@pytest.mark.parametrize("case", cases_of("scratchpad.redact"), ids=lambda case: case.id)
def test_observed_values_are_masked_where_observed(case: Case) -> None:
    given = cast("JsonObject", {"value": case.input["value"]})
    assert Redactor().object(given) == {"value": masked(case.expected)}


def test_secrets_are_found_at_any_depth() -> None:
    deep: JsonObject = {"a": [{"b": {"password": "p", "note": f"x {KNOWN}"}}, f"{SHAPES[0]}"], "n": 1, "none": None}
    assert a_redactor().object(deep) == {
        "a": [{"b": {"password": MASK, "note": f"x {MASK}"}}, MASK], "n": 1, "none": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [{"cookie": ["plain"]}, {"authorization": {"value": "plain"}}, {"accessToken": "plain"}, {"refreshToken": "plain"}],
)
def test_a_sensitive_field_is_masked_whatever_it_holds(value: JsonObject) -> None:
    assert "plain" not in str(Redactor().object(value))


def test_a_secret_that_begins_like_another_is_masked_whole() -> None:
    for turn in range(20):  # the order of a set decides
        redactor = Redactor()
        redactor.learn(f"{turn}-abcdef")
        redactor.learn(f"{turn}-abcdef-tail")
        assert "tail" not in redactor.text(f"{turn}-abcdef-tail")


@pytest.fixture
def log(home: Home) -> Iterator[Home]:
    home.ensure()
    root, runtime = logging.getLogger(), logging.getLogger("runtime")
    levels = (root.level, runtime.level)
    handler = install_logging(home, a_redactor())
    yield home
    root.removeHandler(handler)
    handler.close()
    root.setLevel(levels[0])
    runtime.setLevel(levels[1])


def test_the_log_holds_no_secret_in_message_arguments_or_traceback(log: Home) -> None:
    logger = logging.getLogger("runtime.test")
    logger.warning("key %s and %s", KNOWN, SHAPES[0])
    try:
        int(f"refused {KNOWN} {SHAPES[1]}")
    except ValueError:
        logger.exception("it broke with %s", SHAPES[2])
    written = log.log_file.read_text("utf-8")
    assert "it broke with" in written
    assert "Traceback" in written
    assert "refused" in written
    for secret in (KNOWN, *SHAPES[:3]):
        assert secret not in written


def test_a_log_call_with_wrong_arguments_does_not_break_its_caller(log: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)
    logging.getLogger("some.library").warning("%d files", "many")


def test_a_trace_holds_no_secret_and_is_readable_at_once(home: Home) -> None:
    scratchpad = Scratchpad(home, "turn1", NOW, a_redactor())
    scratchpad.record(TurnStart(text=f"我的密钥是 {KNOWN}", conversation_id="c", turn_id="turn1", ts=NOW, seq=0))
    args: JsonObject = {"api_key": "plain", "nested": {"Authorization": "x"}, "note": SHAPES[0]}
    scratchpad.record(ToolStart(name="t", display_name="t", args=args, args_summary=KNOWN, concurrent=False))
    written = scratchpad.path.read_text("utf-8")  # not closed yet: a crash would find it like this
    scratchpad.close()
    for secret in (KNOWN, "plain", SHAPES[0]):
        assert secret not in written
    assert [line["kind"] for line in read_trace(scratchpad.path)] == ["turn_start", "tool_start"]
    assert [trace.turn_id for trace in traces(home)] == ["turn1"]


def test_a_line_that_a_crash_cut_off_is_left_out(home: Home) -> None:
    home.scratchpad.mkdir(parents=True)
    path = home.scratchpad / "x.jsonl"
    path.write_text('{"kind":"turn_start","turn_id":"t","conversation_id":"c","text":"x"}\n{"kind":"to', "utf-8")
    assert len(list(read_trace(path))) == 1
    assert len(list(traces(home))) == 1


def test_a_trace_that_cannot_be_written_does_not_break_the_turn(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    home.root.mkdir(parents=True)
    home.scratchpad.write_text("a file where the folder should be")
    scratchpad = Scratchpad(home, "turn1", NOW, Redactor())
    scratchpad.record(TurnStart(text="x", conversation_id="c"))
    assert "scratchpad" in caplog.text
