"""Every recorded stream and error of the Gemini API, through the real SDK, read as expected."""

from __future__ import annotations

from typing import cast

import pytest

from runtime.core.json import JsonObject
from runtime.providers.base import Capabilities
from runtime.providers.gemini import GeminiProvider
from runtime.texts import Texts
from tests.support.answers import Answer, an_account, answer_of
from tests.support.recorded_errors import assert_recorded_error
from tests.support.replay import needs_recordings, recording, recordings, replay

pytestmark = needs_recordings

# gemini_error_object_midstream: the answer had its reason to stop when the server reported, as a bare object, that the operation was
#   cancelled. The counts that end an answer never came, so nobody knows whether the text is whole: an error of the server.
CANCELLED = "gemini_error_object_midstream"

ALL = recordings("gemini")
ERRORS = [name for name in ALL if recording(name)["response_status"] != 200]
BLOCKED = [name for name in ALL if cast("JsonObject", recording(name)["expected"]).get("error_class") == "blocked"]
COMPLETE = [name for name in ALL if name not in (*ERRORS, *BLOCKED, CANCELLED)]
CATEGORIES = {"not_found": "not_a_model", "overloaded": "server"}  # the recordings' word -> ours; the 404 is a page
CHUNKS = pytest.mark.parametrize("chunk", [0, 1, 7], ids=["whole", "byte by byte", "in 7 bytes"])


def expected_of(name: str) -> JsonObject:
    return cast("JsonObject", recording(name)["expected"])


async def replayed(name: str, chunk: int = 0, eof_after: int | None = None, **options: bool) -> Answer:
    async with replay(name, chunk=chunk, eof_after=eof_after, **options) as server:
        return await answer_of(GeminiProvider(an_account(server.url, model="gemini-2.5-flash"), Capabilities()))


@CHUNKS
@pytest.mark.parametrize("name", COMPLETE)
async def test_recorded_stream_is_read_as_expected(name: str, chunk: int) -> None:
    expected = expected_of(name)
    answer = await replayed(name, chunk)
    assert answer.error is None
    assert (answer.text, answer.thinking) == (expected["text"], expected["thinking"])
    wanted = cast("list[JsonObject]", expected["tool_calls"])
    assert [(call.name, call.args) for call in answer.calls] == [(call["name"], call["args"]) for call in wanted]
    ids = [call.id for call in answer.calls]
    assert all(ids)
    assert len({*ids}) == len(ids)
    assert answer.finish == (
        "length" if expected["stop_reason"] == "MAX_TOKENS" else "tool_calls" if wanted else "stop"
    )


@pytest.mark.parametrize("name", [name for name in COMPLETE if "usage_norm" in expected_of(name)])
async def test_recorded_usage_counts_thoughts_as_output(name: str) -> None:
    norm = cast("dict[str, int]", expected_of(name)["usage_norm"])
    usage = (await replayed(name)).usage
    assert usage is not None
    assert not usage.estimated
    assert usage.input + usage.cache_read + usage.cache_write == norm["prompt_total"]
    assert usage.output == norm["completion_total"]


@pytest.mark.parametrize("name", [name for name in COMPLETE if expected_of(name)["tool_calls"]])
async def test_the_signature_stays_on_the_call_it_came_with(name: str) -> None:
    signed = [call for call in (await replayed(name)).calls if call.signature]
    assert len(signed) == expected_of(name)["signatures"]


async def test_a_signature_on_an_empty_text_is_kept() -> None:
    signed = (await replayed("gemini3_turn2_sig_on_empty_text")).signed
    assert len(signed) == 1


@CHUNKS
@pytest.mark.parametrize("name", BLOCKED)
async def test_a_blocked_answer_shows_what_came_before(name: str, chunk: int) -> None:
    answer = await replayed(name, chunk)
    assert answer.text == expected_of(name)["text"]
    assert answer.finish is None
    assert answer.error is not None
    assert (answer.error.category, answer.error.retryable) == ("blocked", False)
    assert str(expected_of(name)["error_type"]) in Texts("zh_CN").error(answer.error)


@CHUNKS
@pytest.mark.parametrize("name", ERRORS)
async def test_recorded_error_has_its_category_and_says_what_to_do(name: str, chunk: int) -> None:
    assert_recorded_error(await replayed(name, chunk), expected_of(name), CATEGORIES)


@CHUNKS
async def test_an_error_object_after_the_events_is_an_error_of_the_server(chunk: int) -> None:
    answer = await replayed(CANCELLED, chunk)
    assert answer.text == expected_of(CANCELLED)["text"]
    assert answer.finish is None
    assert answer.error is not None
    assert (answer.error.category, answer.error.retryable) == ("server", True)


@pytest.mark.parametrize("name", [name for name in COMPLETE if expected_of(name)["tool_calls"]])
async def test_no_call_is_emitted_from_a_stream_that_ends_before_its_end(name: str) -> None:
    body = str(recording(name)["response_body"]).encode()
    answer = await replayed(name, eof_after=body.find(b'"finishReason"') - 1)
    assert answer.calls == []
    assert answer.error is not None
    assert answer.error.category == "incomplete"


@pytest.mark.parametrize(
    "options", [{"gzip": True}, {"bom": True}, {"lf": True}, {"cr": True}, {"no_trailing_blank": True}], ids=str
)
async def test_encodings_and_line_ends_change_nothing(options: dict[str, bool]) -> None:
    answer = await replayed("gemini_thought_and_call", 0, None, **options)
    assert [call.args for call in answer.calls] == [{"location": "Florence, Italy"}]
    assert answer.finish == "tool_calls"


async def test_a_server_that_keeps_the_line_open_after_the_end_is_not_waited_for() -> None:
    answer = await replayed("gemini_text", stall_at_end=True)
    assert answer.finish == "stop"
