"""Every recorded stream and error of the Messages API, through the real SDK, read as expected."""

from __future__ import annotations

from typing import cast

import pytest

from runtime.core.json import JsonObject
from runtime.providers.anthropic_messages import AnthropicProvider
from runtime.providers.base import Capabilities
from tests.support.answers import Answer, an_account, answer_of
from tests.support.recorded_errors import assert_recorded_error
from tests.support.replay import needs_recordings, recording, recordings, replay

pytestmark = needs_recordings

# anthropic_spliced_message_start: a gateway lets a second message begin inside the first. Whichever half is taken, what the person read
#   before belongs to another answer, so it is an error of the server: the runtime asks again and takes the first half away.
SPLICED = "anthropic_spliced_message_start"

ALL = recordings("anthropic")
ERRORS = [name for name in ALL if recording(name)["response_status"] != 200]
COMPLETE = [name for name in ALL if name not in ERRORS and name != SPLICED]
CATEGORIES = {"not_found": "model_not_found", "overloaded": "server"}  # the recordings' word -> ours
FINISHES = {"max_tokens": "length", "refusal": "blocked"}  # all others are decided by content
CHUNKS = pytest.mark.parametrize("chunk", [0, 1, 7], ids=["whole", "byte by byte", "in 7 bytes"])


def expected_of(name: str) -> JsonObject:
    return cast("JsonObject", recording(name)["expected"])


async def replayed(name: str, chunk: int = 0, eof_after: int | None = None, **options: bool) -> Answer:
    async with replay(name, chunk=chunk, eof_after=eof_after, **options) as server:
        return await answer_of(AnthropicProvider(an_account(server.url, model="claude-sonnet-4-5"), Capabilities()))


@CHUNKS
@pytest.mark.parametrize("name", COMPLETE)
async def test_recorded_stream_is_read_as_expected(name: str, chunk: int) -> None:
    expected = expected_of(name)
    answer = await replayed(name, chunk)
    assert answer.error is None
    assert (answer.text, answer.thinking) == (expected["text"], expected["thinking"])
    wanted = cast("list[JsonObject]", expected["tool_calls"])
    assert [{"id": call.id, "name": call.name, "args": call.args} for call in answer.calls] == [
        {"id": call["id"], "name": call["name"], "args": call["args"]} for call in wanted
    ]
    assert all(call.parse_error for call in answer.calls if call.args is None)
    assert answer.finish == FINISHES.get(str(expected["stop_reason"]), "tool_calls" if wanted else "stop") or wanted


@pytest.mark.parametrize("name", COMPLETE)
async def test_recorded_usage_counts_fresh_and_cached_tokens_apart(name: str) -> None:
    expected = expected_of(name)
    norm, own = cast("dict[str, int]", expected["usage_norm"]), cast("dict[str, int | None]", expected["usage"])
    usage = (await replayed(name)).usage
    assert usage is not None
    assert not usage.estimated
    assert usage.input + usage.cache_read + usage.cache_write == norm["prompt_total"]
    assert usage.output == norm["completion_total"]
    assert (usage.cache_read, usage.cache_write) == (own["cache_read"] or 0, own["cache_write"] or 0)


@pytest.mark.parametrize("name", COMPLETE)
async def test_every_recorded_signature_is_kept(name: str) -> None:
    assert len((await replayed(name)).signed) == expected_of(name).get("signatures", 0)


@CHUNKS
@pytest.mark.parametrize("name", ERRORS)
async def test_recorded_error_has_its_category_and_says_what_to_do(name: str, chunk: int) -> None:
    assert_recorded_error(await replayed(name, chunk), expected_of(name), CATEGORIES)


@CHUNKS
async def test_a_second_message_inside_the_first_is_an_error_of_the_server(chunk: int) -> None:
    answer = await replayed(SPLICED, chunk)
    assert answer.calls == []
    assert answer.finish is None
    assert answer.error is not None
    assert (answer.error.category, answer.error.retryable) == ("server", True)


@pytest.mark.parametrize("name", [name for name in COMPLETE if expected_of(name)["tool_calls"]])
async def test_no_call_is_emitted_from_a_stream_that_ends_before_its_end(name: str) -> None:
    body = str(recording(name)["response_body"]).encode()
    answer = await replayed(name, eof_after=body.find(b"event: message_delta") - 1)
    assert answer.calls == []
    assert answer.error is not None
    assert answer.error.category == "incomplete"


@pytest.mark.parametrize(
    "options",
    [
        {"gzip": True},
        {"bom": True},
        {"crlf": True},
        {"cr": True},
        {"no_event_lines": True},
        {"no_trailing_blank": True},
    ],
    ids=str,
)
async def test_encodings_line_ends_and_missing_event_lines_change_nothing(options: dict[str, bool]) -> None:
    answer = await replayed("anthropic_tool_use", 0, None, **options)
    assert [call.args for call in answer.calls] == [{"location": "Florence,Italy"}]
    assert answer.finish == "tool_calls"


async def test_a_server_that_keeps_the_line_open_after_the_end_is_not_waited_for() -> None:
    answer = await replayed("anthropic_text", stall_at_end=True)
    assert answer.finish == "stop"
