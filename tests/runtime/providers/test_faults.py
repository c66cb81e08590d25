"""Whatever goes wrong on the way, all three APIs end in one error that says what to do: never in silence, never in half a call."""

from __future__ import annotations

import asyncio
import socket
from contextlib import aclosing
from typing import cast

import pytest

from runtime.core.json import JsonObject, dumps
from runtime.providers.base import ProviderError, TextChunk
from runtime.providers.wire.client import http_client
from runtime.providers.wire.endpoint import Endpoint
from runtime.texts import LANGUAGES, Texts
from tests.support.answers import KEY, Answer, a_request, answer_of
from tests.support.apis import (
    ANTHROPIC,
    APIS,
    GEMINI,
    OPENAI,
    Api,
    candidate,
    events,
    message_start,
    responses,
    text_block,
)
from tests.support.streams import ChunkStream, Reply, delta, model_server, sse

EACH = pytest.mark.parametrize("api", APIS, ids=[api.kind for api in APIS])
PAGE = b"<!DOCTYPE html><html><head><title>Welcome to the hotel network</title></head><body>log in</body></html>"
BEGUN = {
    "openai": sse(delta(content="先看"), done=False),
    "anthropic": events(message_start(), *text_block(0, "先看")),
    "gemini": responses(candidate({"text": "先看"})),
}


async def answered(api: Api, *replies: Reply | bytes, key: str = KEY) -> tuple[Answer, str]:
    async with model_server(*replies) as server:
        return await answer_of(api.provider(server.url, key=key), a_request(tools=("quote",))), server.url


def error_of(answer: Answer) -> ProviderError:
    assert answer.error is not None
    assert answer.finish is None
    assert answer.calls == []
    for language in LANGUAGES:
        said = Texts(language).error(answer.error)
        assert said
        assert KEY not in said
        assert "Traceback" not in said
    return answer.error


@EACH
async def test_an_answer_and_a_call(api: Api) -> None:
    answer, _ = await answered(api, api.answer)
    assert (answer.text, answer.finish, answer.error) == ("好", "stop", None)
    called, _ = await answered(api, api.call)
    assert [(call.name, call.args) for call in called.calls] == [("quote", {"a": 1})]
    assert called.finish == "tool_calls"


@EACH
async def test_a_stream_that_ends_cleanly_before_its_end_runs_nothing(api: Api) -> None:
    answer, _ = await answered(api, api.open_call)
    assert error_of(answer).category == "incomplete"
    assert answer.error is not None
    assert answer.error.retryable


@EACH
@pytest.mark.parametrize("then", ["end", "abort"])
async def test_a_broken_stream_keeps_what_was_said(api: Api, then: str) -> None:
    reply = Reply(body=BEGUN[api.kind], then="abort" if then == "abort" else "end")
    answer, _ = await answered(api, reply)
    assert answer.text == "先看"
    assert error_of(answer).category == ("network" if then == "abort" else "incomplete")


@EACH
async def test_a_stalled_stream_is_left_at_once(api: Api) -> None:
    async with model_server(Reply(body=BEGUN[api.kind], then="stall")) as server:
        provider = api.provider(server.url)
        async with aclosing(cast("ChunkStream", provider.stream(a_request()))) as chunks:
            while not isinstance(await anext(chunks), TextChunk):
                pass
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await anext(chunks)
        async with asyncio.timeout(1):
            await server.client_gone.wait()
        await provider.aclose()


@EACH
@pytest.mark.parametrize(
    "body",
    [PAGE, b"", b'{"status":"ok"}', b"pong", b"\x00\xff\xfe garbage"],
    ids=["page", "empty", "json", "text", "garbage"],
)
async def test_a_wrong_address_that_answers_200(api: Api, body: bytes) -> None:
    answer, url = await answered(api, Reply(body=body, content_type="text/html"))
    error = error_of(answer)
    assert (error.category, error.retryable) == ("not_a_model", False)
    assert url in Texts("zh_CN").error(error)
    if body == PAGE:
        assert "hotel network" in Texts("zh_CN").error(error)


@EACH
@pytest.mark.parametrize(
    ("body", "category"),
    [
        ({"error": {"code": "1113", "message": "余额不足"}}, "quota"),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "server"),
        ({"error": {"code": 503, "status": "UNAVAILABLE", "message": "The model is overloaded."}}, "server"),
        ({"error": {"message": "maximum context length is 100 tokens"}}, "context_length"),
    ],
    ids=["quota", "overloaded", "unavailable", "context"],
)
async def test_an_error_object_in_a_200_answer(api: Api, body: JsonObject, category: str) -> None:
    raw = dumps(body).encode()
    answer, _ = await answered(api, Reply(body=raw, content_type="application/json"))
    assert error_of(answer).category == category


@EACH
async def test_an_overload_in_mid_stream_keeps_the_text_and_may_be_tried_again(api: Api) -> None:
    ends = {
        "openai": b'data: {"error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
        "anthropic": b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
        "gemini": b'{\n "error": {\n  "code": 503,\n  "message": "Overloaded",\n  "status": "UNAVAILABLE"\n }\n}\n',
    }
    answer, _ = await answered(api, BEGUN[api.kind] + ends[api.kind])
    error = error_of(answer)
    assert (error.category, error.retryable) == ("server", True)
    assert answer.text == "先看"


@EACH
@pytest.mark.parametrize("comment", [b": keep-alive\n\n", b":\r\n\r\n", b": PROCESSING\r\r"], ids=["lf", "crlf", "cr"])
async def test_comments_in_a_stream_are_nothing(api: Api, comment: bytes) -> None:
    first, _, rest = api.call.partition(b"\n\n") if b"\n\n" in api.call else api.call.partition(b"\r\n\r\n")
    end = b"\n\n" if b"\n\n" in api.call else b"\r\n\r\n"
    answer, _ = await answered(api, comment + first + end + comment + comment + rest)
    assert [call.args for call in answer.calls] == [{"a": 1}]
    assert answer.finish == "tool_calls"


@EACH
@pytest.mark.parametrize(
    ("status", "body", "category"),
    [
        (401, b'{"error":{"message":"bad key"}}', "auth"),
        (402, b"", "quota"),
        (404, PAGE, "not_a_model"),
        (429, b'{"error":{"message":"Too many requests"}}', "rate_limit"),
        (500, b"", "server"),
        (502, PAGE, "server"),
        (504, b"", "timeout"),
        (529, b'{"error":{"message":"Overloaded"}}', "server"),
    ],
)
async def test_a_status_alone_is_enough(api: Api, status: int, body: bytes, category: str) -> None:
    answer, _ = await answered(api, Reply(body=body, status=status, content_type="application/json"))
    assert error_of(answer).category == category


@EACH
async def test_how_long_to_wait_is_read(api: Api) -> None:
    headers = (("retry-after", "3"),)
    answer, _ = await answered(api, Reply(body=b"{}", status=429, headers=headers))
    assert error_of(answer).retry_after_s == 3.0


@EACH
async def test_nobody_listens_on_this_machine(api: Api) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = error_of(await answer_of(api.provider(f"http://127.0.0.1:{port}", key="")))
    assert (error.category, error.retryable) == ("network", True)


@EACH
async def test_the_proxy_of_the_system_is_not_used_for_this_machine(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    answer, _ = await answered(api, api.answer)
    assert answer.text == "好"


@EACH
async def test_a_proxy_that_cannot_be_used_is_named(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "carrier-pigeon://127.0.0.1:9")
    error = error_of(await answer_of(api.provider("https://model.invalid/v1")))
    assert error.category == "network"
    assert "ALL_PROXY" in Texts("zh_CN").error(error)


@EACH
async def test_a_key_with_line_breaks_or_chinese_is_not_sent(api: Api) -> None:
    for key in ("sk-ab\ncd", "密钥在这里", "two words"):
        async with model_server(api.answer) as server:
            error = error_of(await answer_of(api.provider(server.url, key=key)))
            assert server.heads == []
        assert error.category == "auth"
        assert key not in str(error)


@EACH
async def test_the_key_goes_where_the_api_reads_it(api: Api) -> None:
    async with model_server(api.answer) as server:
        await answer_of(api.provider(server.url))
    [head] = server.heads
    assert KEY in head
    assert KEY not in head.splitlines()[0]


async def test_the_path_is_the_same_whether_or_not_the_version_was_typed() -> None:
    for api, path in ((ANTHROPIC, "/v1/messages"), (GEMINI, "/v1beta/models/some-model:streamGenerateContent")):
        async with model_server(api.answer) as server:
            root = server.url.removesuffix("/v1")
            for url in (root, f"{root}/v1"):
                await answer_of(api.provider(url))
        assert [head.split()[1].partition("?")[0] for head in server.heads] == [path, path]


async def test_a_gateway_that_reads_only_the_old_header_finds_the_key_there() -> None:
    async with model_server(ANTHROPIC.answer) as server:
        await answer_of(ANTHROPIC.provider(server.url))
    assert f"x-api-key: {KEY}".lower() in server.heads[0].lower()


async def test_a_socks_proxy_of_the_system_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    client = http_client(Endpoint(base_url="https://model.invalid/v1", model="m"), "system")
    await client.aclose()


async def test_a_proxy_of_ones_own_is_used_and_none_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "carrier-pigeon://127.0.0.1:9")
    for proxy in ("none", "http://127.0.0.1:9"):
        client = http_client(Endpoint(base_url="https://model.invalid/v1", model="m"), proxy)
        await client.aclose()


async def test_a_chat_server_that_answers_without_a_stream_is_understood() -> None:
    message: JsonObject = {"choices": [{"message": {"role": "assistant", "content": "好"}, "finish_reason": "stop"}]}
    answer, _ = await answered(OPENAI, Reply(body=dumps(message).encode(), content_type="application/json"))
    assert (answer.text, answer.finish) == ("好", "stop")


async def test_the_other_two_without_a_stream_are_understood_too() -> None:
    whole: JsonObject = {
        "id": "m",
        "type": "message",
        "content": [{"type": "text", "text": "好"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    answer, _ = await answered(ANTHROPIC, Reply(body=dumps(whole).encode(), content_type="application/json"))
    assert (answer.text, answer.finish) == ("好", "stop")
    body = dumps(candidate({"text": "好"}, finish="STOP")).encode()
    answer, _ = await answered(GEMINI, Reply(body=body, content_type="application/json"))
    assert (answer.text, answer.finish) == ("好", "stop")
