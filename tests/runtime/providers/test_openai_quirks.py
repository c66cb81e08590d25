"""What single vendors do differently, one test for each habit: streams, then requests, then answers that are none."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from runtime.core.json import JsonObject, JsonValue, dumps
from runtime.core.messages import AssistantMessage, Message, TextPart, ThinkingPart, Usage, UserMessage
from runtime.providers.openai_compatible.request import request_messages, request_options
from runtime.providers.openai_compatible.usage import usage_of
from runtime.providers.wire.endpoint import Endpoint
from runtime.texts import LANGUAGES, Texts
from tests.support.answers import KEY, Answer, a_provider, a_request, answer_of
from tests.support.streams import Reply, call_delta, delta, model_server, sse

GOOD = sse(delta("stop", content="好"))


async def streamed(*items: JsonValue, done: bool = True) -> Answer:
    async with model_server(sse(*items, done=done)) as server:
        return await answer_of(a_provider(server.url))


def refusal(message: str, status: int = 400) -> Reply:
    return error_reply({"error": {"message": message}}, status)


def error_reply(body: JsonValue, status: int = 400) -> Reply:
    return Reply(body=dumps(body).encode(), status=status, content_type="application/json")


# Streams


@pytest.mark.parametrize("finish", ["tool_calls", "stop"])
async def test_truncated_arguments_are_never_run(finish: str) -> None:
    answer = await streamed(delta(tool_calls=[call_delta(0, "a", "quote", '{"code": "6080')]), delta(finish))
    assert [(call.name, call.args) for call in answer.calls] == [("quote", None)]
    assert "char" in (answer.calls[0].parse_error or "")


async def test_empty_roles_null_deltas_and_null_choices_are_nothing() -> None:
    answer = await streamed(
        {"choices": [], "prompt_filter_results": []},
        {"choices": [{"index": 0, "delta": None, "finish_reason": None}]},
        {"choices": None},
        delta(role="", content=None, tool_calls=None, function_call=None, reasoning=None),
        delta(role="assistant", content="好"),
        delta("stop", role=""),
    )
    assert (answer.text, answer.calls, answer.finish, answer.error) == ("好", [], "stop", None)


@pytest.mark.parametrize(
    ("content", "text", "thinking"),
    [
        (None, "", ""), ("", "", ""), ([], "", ""), ([{"type": "text", "text": ""}], "", ""), ({"type": "text", "text": "好"}, "好", ""),
        (["好", {"type": "text", "text": "的"}], "好的", ""), ([{"type": "reference", "reference_ids": [1]}], "", ""),
        ([{"type": "thinking", "thinking": "想"}, {"type": "text", "text": "好"}], "好", "想"), (7, "", ""),
    ],
    ids=str,
)  # fmt: skip
async def test_content_of_every_type(content: JsonValue, text: str, thinking: str) -> None:
    answer = await streamed(delta(content=content), delta("stop", content="。"))
    assert (answer.text, answer.thinking, answer.error) == (f"{text}。", thinking, None)


@pytest.mark.parametrize(
    ("pieces", "thinking", "text"),
    [
        (["<think>想</think>答"], "想", "答"),
        (["<", "thinking", ">想", "</thin", "king>", "答"], "想", "答"),
        (["\n\n<think>", "想<b>", "</think>", "\n\n答</think>"], "想<b>", "\n\n答</think>"),
        (["</think>\n", "答"], "", "\n答"),
        (["<thi"], "", "<thi"),
        (["答 <think>不是</think>"], "", "答 <think>不是</think>"),
        (["<think></think>", "答"], "", "答"),
    ],
    ids=["plain", "in pieces", "stray closer later", "without its opener", "cut", "later", "empty"],
)
async def test_thinking_between_tags(pieces: list[str], thinking: str, text: str) -> None:
    answer = await streamed(*(delta(content=piece) for piece in pieces), delta("stop"))
    assert (answer.thinking, answer.text) == (thinking, text)


@pytest.mark.parametrize("then", ["end", "stall"])
async def test_the_mark_at_the_end_ends_the_answer_whatever_follows(then: str) -> None:
    body = GOOD + b"data: later\n\n: ping\n\n"
    async with model_server(Reply(body=body, then="stall" if then == "stall" else "end")) as server:
        async with asyncio.timeout(5):
            answer = await answer_of(a_provider(server.url))
    assert (answer.text, answer.finish, answer.error) == ("好", "stop", None)


async def test_comments_between_events_are_nothing() -> None:
    async with model_server(b": OPENROUTER PROCESSING\n\n" + GOOD.replace(b"data: [", b": again\n\ndata: [")) as server:
        assert (await answer_of(a_provider(server.url))).text == "好"


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_cache_hit_tokens": 7, "prompt_tokens_details": {"cached_tokens": 3}}, Usage(input=13, cache_read=7)),
        ({"prompt_cache_hit_tokens": 0, "prompt_tokens_details": {"cached_tokens": 3}}, Usage(input=17, cache_read=3)),
        ({"prompt_cache_hit_tokens": 7, "prompt_cache_miss_tokens": 13}, Usage(input=13, cache_read=7)),
        ({"cached_tokens": 5, "prompt_tokens_details": None}, Usage(input=15, cache_read=5)),
        ({"prompt_tokens_details": {"cached_tokens": 99}}, Usage(input=0, cache_read=20)),
    ],
    ids=["both", "both, one is empty", "deepseek", "kimi", "more than there is"],
)
def test_cached_tokens_in_every_notation(usage: JsonObject, expected: Usage) -> None:
    assert usage_of({"usage": {"prompt_tokens": 20, **usage}}) == expected


# A call that the server rejects


WHY = "additionalProperties 'kode' not allowed"
REJECTED: JsonObject = {
    "error": {
        "message": WHY,
        "code": "tool_use_failed",
        "failed_generation": '{"name": "quote", "arguments": {"kode": 1}}' + "x" * 3_000,
    }
}


@pytest.mark.parametrize("in_stream", [True, False])
async def test_the_model_gets_its_rejected_call_back(*, in_stream: bool) -> None:
    first = sse(delta(reasoning="想"), REJECTED, done=False) if in_stream else error_reply(REJECTED)
    async with model_server(first, GOOD) as server:
        answer = await answer_of(a_provider(server.url), a_request(UserMessage(text="查"), tools=("quote",)))
    assert (answer.text, answer.finish, answer.error) == ("好", "stop", None)
    assert answer.thinking == ("想" if in_stream else "")
    assert len(server.bodies) == 2
    messages = server.bodies[1]["messages"]
    assert isinstance(messages, list)
    assert messages[0] == {"role": "user", "content": "查"}
    told = dumps(messages[1])
    assert WHY in told
    assert '"kode' in told.replace("\\", "")
    assert "rejected" in told
    assert 1_900 < told.count("x") < 2_010
    assert {**server.bodies[1], "messages": []} == {**server.bodies[0], "messages": []}


async def test_a_second_rejection_is_an_error() -> None:
    async with model_server(error_reply(REJECTED)) as server:
        answer = await answer_of(a_provider(server.url))
    assert answer.error is not None
    assert answer.error.category == "bad_request"
    assert len(server.bodies) == 2


async def test_a_rejection_after_visible_text_is_an_error_at_once() -> None:
    async with model_server(sse(delta(content="我查"), REJECTED, done=False), GOOD) as server:
        answer = await answer_of(a_provider(server.url))
    assert (answer.text, len(server.bodies)) == ("我查", 1)
    assert answer.error is not None
    assert answer.error.category == "server"


# Requests


@pytest.mark.parametrize(
    ("base_url", "name"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://desk.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("https://api.deepseek.com", "max_tokens"),
        ("http://127.0.0.1:11434/v1", "max_tokens"),
    ],
)
def test_the_longest_answer_has_the_name_that_the_host_knows(base_url: str, name: str) -> None:
    names = {"max_tokens", "max_completion_tokens"}
    endpoint, request = Endpoint(base_url=base_url, model="m"), replace(a_request(), max_output_tokens=500)
    swapped = frozenset({"other_max_tokens"})
    for steps, sent in ((frozenset[str](), {name}), (swapped, names - {name})):
        options = request_options(request, endpoint, steps)
        assert {key: value for key, value in options.items() if key in names} == dict.fromkeys(sent, 500)
    assert not names & request_options(a_request(), endpoint, frozenset()).keys()


async def test_a_refused_name_of_the_longest_answer_is_swapped_once() -> None:
    words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    request = replace(a_request(), max_output_tokens=500)
    async with model_server(refusal(words), GOOD) as server:
        assert (await answer_of(a_provider(server.url), request)).text == "好"
    assert [("max_tokens" in body, body.get("max_completion_tokens")) for body in server.bodies] == [
        (True, None), (False, 500),
    ]  # fmt: skip
    async with model_server(refusal(words)) as server:
        assert (await answer_of(a_provider(server.url), request)).error is not None
    assert len(server.bodies) == 2


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        ("Thinking mode does not support this tool_choice", '"tool_choice"'),
        ("invalid params, invalid message role: system (2013)", '"system"'),
        ('[{"type":"extra_forbidden","loc":["body","stream_options"]}]', '"stream_options"'),
    ],
)
async def test_what_a_refusal_names_is_left_out(words: str, gone: str) -> None:
    async with model_server(refusal(words), GOOD) as server:
        answer = await answer_of(a_provider(server.url), a_request(system="你是读盘人", tools=("quote",)))
    assert answer.text == "好"
    assert [gone in dumps(body) for body in server.bodies] == [True, False]


async def test_no_tuning_parameter_is_sent_and_every_answer_is_streamed() -> None:
    async with model_server(GOOD) as server:
        await answer_of(a_provider(server.url), a_request(tools=("quote",)))
    assert server.bodies[0].keys() == {"model", "messages", "stream", "stream_options", "tools", "tool_choice"}
    assert server.bodies[0]["stream"] is True


@pytest.mark.parametrize(
    "empty",
    [
        AssistantMessage(),
        AssistantMessage(parts=(TextPart(text=""),)),
        AssistantMessage(parts=(TextPart(text=" \n"),)),
        AssistantMessage(parts=(ThinkingPart(text="想"), TextPart(text=""))),
    ],
    ids=["nothing", "no text", "white space", "reasoning only"],
)
def test_empty_answers_of_the_model_are_not_sent(empty: Message) -> None:
    history = (UserMessage(text="查"), empty, UserMessage(text="再查"))
    for base_url in ("https://api.moonshot.cn/v1", "https://api.openai.com/v1"):
        endpoint = Endpoint(base_url=base_url, model="kimi-k2")
        assert request_messages(a_request(*history), endpoint, frozenset()) == [
            {"role": "user", "content": "查"},
            {"role": "user", "content": "再查"},
        ]


# Answers that are none


async def test_reasoning_that_takes_all_the_room_is_its_own_error() -> None:
    counted: JsonObject = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 50}}
    answer = await streamed(delta(reasoning_content="想"), delta("length", content="\n"), counted)
    assert (answer.thinking, answer.usage, answer.finish) == ("想", Usage(input=3, output=50), None)
    assert answer.error is not None
    assert (answer.error.category, answer.error.key) == ("incomplete", "providers.incomplete_no_room")
    assert not answer.error.retryable
    for language in LANGUAGES:
        assert "some-model" in Texts(language).error(answer.error)
        assert KEY not in Texts(language).error(answer.error)


@pytest.mark.parametrize(
    "item", [delta(content="先看"), delta(tool_calls=[call_delta(0, "a", "quote", '{"n":')])], ids=["text", "a call"]
)
async def test_a_truncated_answer_is_no_empty_one(item: JsonObject) -> None:
    answer = await streamed(item, delta("length"))
    assert (answer.calls, answer.finish, answer.error) == ([], "length", None)


@pytest.mark.parametrize(
    ("body", "category"),
    [
        ({"detail": "Unauthorized"}, "auth"), ([{"error": {"message": "bad key", "status": "UNAUTHENTICATED"}}], "auth"),
        ({"code": "invalid", "error": "Incorrect API key provided"}, "auth"),
    ],
    ids=["mistral", "in a list", "xai"],
)  # fmt: skip
async def test_errors_in_every_shape(body: JsonValue, category: str) -> None:
    async with model_server(replace(error_reply(body, 401), content_type="application/octet-stream")) as server:
        answer = await answer_of(a_provider(server.url))
    assert answer.error is not None
    assert answer.error.category == category
    assert "{" not in str(answer.error.fields["detail"])
