"""Every recorded stream and error of the OpenAI-compatible endpoints, through the real SDK, read as expected."""

from __future__ import annotations

from typing import cast

import pytest

from runtime.core.json import JsonObject
from runtime.core.messages import Usage
from tests.support.answers import Answer, a_provider, a_request, answer_of
from tests.support.recorded_errors import assert_recorded_error
from tests.support.replay import needs_recordings, recording, recordings, replay

pytestmark = needs_recordings

# An error inside a stream that had begun is an error for us too: what came before stays visible, nothing of it is run.
#
# groq_error_event_midstream_tool_use_failed: Groq refuses the call that its own model wrote, and the model gets it back once. The request
#   had been accepted, so it is no `bad_request` of ours: the same request may succeed, and so may another model.
# openrouter_stream_error_chunk: a chunk with choices, usage and an error after finish_reason "length". It reads like a truncated answer
#   (nothing but reasoning), but the server calls it a failure; taking it for a `length` finish would hide that no answer came.
BROKEN_STREAMS = ("groq_error_event_midstream_tool_use_failed", "openrouter_stream_error_chunk")
# The request, or the stream, in which Groq says which call of the model it refused.
REJECTED_CALLS = ("err_groq_400_tool_use_failed", "groq_error_event_midstream_tool_use_failed")
# Finish "length" without a word: reasoning took all the room. The recording expects a `length` finish; for us it is no answer at all.
ALL_REASONING = "openai_gpt5_max_tokens_all_reasoning"

ALL = recordings("openai")
ERRORS = [name for name in ALL if recording(name)["response_status"] != 200]
COMPLETE = [name for name in ALL if name not in (*ERRORS, *BROKEN_STREAMS, ALL_REASONING)]
CATEGORIES = {"not_found": "model_not_found"}  # the recordings' word -> ours
FINISHES = {"length": "length", "content_filter": "blocked"}  # all others are decided by content
CHUNKS = [pytest.param(0, id="whole"), pytest.param(7, id="in 7 bytes"), pytest.param(1, id="byte by byte")]
in_chunks = pytest.mark.parametrize("chunk", CHUNKS)  # cuts characters, escapes and line ends


def expected_of(name: str) -> JsonObject:
    return cast("JsonObject", recording(name)["expected"])


async def replayed(name: str, chunk: int = 0) -> Answer:
    request = recording(name)["request"]
    body = request.get("body", request) if isinstance(request, dict) else {}
    tools = body.get("tools") if isinstance(body, dict) else None
    names = [tool["function"]["name"] for tool in cast("list[dict[str, dict[str, str]]]", tools or [])]
    async with replay(name, chunk=chunk) as server:
        return await answer_of(a_provider(f"{server.url}/v1"), a_request(tools=tuple(names)))


@in_chunks
@pytest.mark.parametrize("name", COMPLETE)
async def test_recorded_stream_is_read_as_expected(name: str, chunk: int) -> None:
    expected = expected_of(name)
    answer = await replayed(name, chunk)
    assert answer.error is None
    assert (answer.text, answer.thinking) == (expected["text"], expected["thinking"])
    calls = [{"id": call.id, "name": call.name, "args": call.args} for call in answer.calls]
    assert calls == expected["tool_calls"]
    assert answer.finish == FINISHES.get(str(expected["stop_reason"]), "tool_calls" if calls else "stop")


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


@in_chunks
@pytest.mark.parametrize("name", ERRORS)
async def test_recorded_error_has_its_category_and_says_what_to_do(name: str, chunk: int) -> None:
    assert_recorded_error(await replayed(name, chunk), expected_of(name), CATEGORIES)


@in_chunks
@pytest.mark.parametrize("name", BROKEN_STREAMS)
async def test_error_inside_a_stream_ends_it_as_an_error_of_the_server(name: str, chunk: int) -> None:
    expected = expected_of(name)
    answer = await replayed(name, chunk)
    times = 2 if name in REJECTED_CALLS else 1
    assert (answer.text, answer.thinking) == (expected["text"], str(expected["thinking"]) * times)
    assert answer.calls == []
    assert answer.finish is None
    assert answer.error is not None
    assert (answer.error.category, answer.error.retryable) == ("server", True)


@pytest.mark.parametrize("name", REJECTED_CALLS)
async def test_a_call_that_groq_rejects_goes_back_to_the_model_once(name: str) -> None:
    async with replay(name, "mistral_text") as server:
        answer = await answer_of(a_provider(f"{server.url}/v1"), a_request(tools=("get_something_by_name",)))
    assert answer.error is None
    assert answer.text == expected_of("mistral_text")["text"]
    first, second = (cast("list[JsonObject]", cast("JsonObject", sent["body"])["messages"]) for sent in server.requests)
    assert second[:-1] == first
    assert second[-1]["role"] == "user"
    for words in ("get_something_by_name", "missing properties: 'name'", '"arguments": {'):
        assert words in str(second[-1]["content"])
    async with replay(name) as server:
        answer = await answer_of(a_provider(f"{server.url}/v1"))
    assert answer.error is not None
    assert len(server.requests) == 2


@in_chunks
@pytest.mark.parametrize("name", [ALL_REASONING])
async def test_reasoning_that_took_all_the_room_is_an_error_that_says_so(name: str, chunk: int) -> None:
    answer = await replayed(name, chunk)
    assert (answer.text, answer.calls, answer.finish) == ("", [], None)
    assert answer.usage == Usage(input=13, output=50)
    assert answer.error is not None
    assert (answer.error.category, answer.error.key) == ("incomplete", "providers.incomplete_no_room")
    assert not answer.error.retryable


CALLING = [name for name in COMPLETE if expected_of(name)["tool_calls"]]


@pytest.mark.parametrize("name", CALLING)
async def test_no_call_is_emitted_from_a_stream_that_ends_before_its_end(name: str) -> None:
    body = str(recording(name)["response_body"]).encode()
    reason = body.find(b'"finish_reason":"tool_calls"')
    cut = (reason if reason > 0 else body.find(b"[DONE]") if b"[DONE]" in body else len(body)) - 1
    async with replay(name, eof_after=min(cut, len(body) * 2 // 3)) as server:
        answer = await answer_of(a_provider(f"{server.url}/v1"))
    assert answer.calls == []
    assert answer.error is not None
    assert answer.error.category == "incomplete"


@pytest.mark.parametrize("options", [{"gzip": True}, {"bom": True}, {"crlf": True}, {"cr": True}], ids=str)
async def test_encodings_and_line_ends_change_nothing(options: dict[str, object]) -> None:
    async with replay("openai_tool_call", **options) as server:
        answer = await answer_of(a_provider(f"{server.url}/v1"))
    assert [call.args for call in answer.calls] == [{"location": "Florence, Italy"}]
    assert answer.finish == "tool_calls"


async def test_last_event_without_a_blank_line_is_not_lost() -> None:
    async with replay("mistral_text", no_done=True, no_trailing_blank=True) as server:
        answer = await answer_of(a_provider(f"{server.url}/v1"))
    assert answer.finish == "stop"
    assert answer.usage is not None
    assert answer.usage.output == 8
