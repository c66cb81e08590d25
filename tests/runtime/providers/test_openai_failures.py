"""What goes wrong is one error that says what to do, never holds the key, and leaves no connection open."""

from __future__ import annotations

import asyncio
import logging
import socket
import tomllib
from contextlib import aclosing
from typing import cast

import httpx2
import openai
import pytest

from runtime.core.json import JsonObject, dumps
from runtime.paths import resource
from runtime.providers.base import ProviderError, TextChunk
from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.errors import provider_error, quoted
from runtime.providers.wire.failures import sdk_problem
from runtime.texts import LANGUAGES, Texts
from tests.support.answers import KEY, Answer, a_provider, a_request, answer_of
from tests.support.streams import ChunkStream, Reply, call_delta, delta, model_server, sse

HTML = b"<!DOCTYPE html><html><head><title>Welcome to the hotel network</title></head><body>log in</body></html>"


def spoken(error: ProviderError, language: str = "zh_CN") -> str:
    return Texts(language).error(error)


async def refused(status: int, body: JsonObject | bytes, *headers: tuple[str, str]) -> ProviderError:
    raw = body if isinstance(body, bytes) else dumps(body).encode()
    async with model_server(Reply(body=raw, status=status, content_type="application/json", headers=headers)) as server:
        return error_of(await answer_of(a_provider(server.url)))


def error_of(answer: Answer) -> ProviderError:
    assert answer.error is not None
    assert answer.finish is None
    for language in LANGUAGES:
        assert KEY not in spoken(answer.error, language)
    return answer.error


async def test_a_wrong_key_says_so_and_repeats_no_piece_of_it() -> None:
    message = f"Incorrect API key provided: {KEY[:7]}***********{KEY[-4:]} ({KEY}). Ends with {KEY[-6:]}."
    error = await refused(401, {"error": {"message": message, "code": "invalid_api_key"}})
    assert (error.category, error.retryable) == ("auth", False)
    assert "密钥" in spoken(error)
    for piece in (KEY, KEY[:7], KEY[-4:], KEY[-6:]):
        assert piece not in spoken(error)
        assert piece not in str(error)


@pytest.mark.parametrize(
    ("status", "body", "category"),
    [
        (402, {"error": {"message": "Insufficient Balance"}}, "quota"),
        (403, {"code": 30011, "message": "Sorry, top up"}, "quota"),
        (401, {"type": "error", "error": {"type": "CreditsError", "message": "Insufficient funds"}}, "quota"),
        (429, {"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}, "quota"),
        (429, {"error": {"code": "rate_limit_exceeded", "message": "Slow down"}}, "rate_limit"),
        (403, {"error": {"code": "unsupported_country_region_territory", "message": "no"}}, "region"),
        (400, [{"error": {"code": 400, "message": "User location is not supported for the API use."}}], "region"),
        (400, {"code": "Client", "error": "Argument not supported on this model: presencePenalty"}, "bad_request"),
        (400, {"error": {"code": "data_inspection_failed", "message": "Input data may contain…"}}, "blocked"),
        (404, {"error": {"message": "model 'q' not found, try pulling it first"}}, "model_not_found"),
        (400, {"error": {"message": "Model Not Exist"}}, "model_not_found"),
        (404, {"error": {"message": "Invalid URL (POST /v1/chat)"}}, "not_a_model"),
        (404, b"404 page not found", "not_a_model"),
        (403, HTML, "not_a_model"),
        (502, HTML, "server"),
        (503, {"error": {"message": "overloaded"}}, "server"),
        (504, b"", "timeout"),
        (413, b"", "context_length"),
        (400, {"error": {"message": "the request exceeds the available context size"}}, "context_length"),
        (400, {"error": {"message": "Provider returned error", "metadata": {"raw": '{"error":"prompt too long"}'}}}, "context_length"),
        (429, {"error": {"message": "Request too large for gpt: Limit 30000, Requested 50000"}}, "context_length"),
        (400, {"error": {"message": "q does not support tools"}}, "bad_request"),
    ],
)  # fmt: skip
async def test_status_and_words_together_decide(status: int, body: JsonObject | bytes, category: str) -> None:
    error = await refused(status, body)
    assert error.category == category
    assert error.retryable == (category in {"rate_limit", "timeout", "server"})
    assert error.fields["detail"]


async def test_a_model_without_tools_has_its_own_words() -> None:
    error = await refused(400, {"error": {"message": "llama does not support tools"}})
    assert "工具" in spoken(error)


@pytest.mark.parametrize(
    ("headers", "message", "seconds"),
    [
        ((("retry-after", "3"),), "slow", 3.0),
        ((("retry-after-ms", "250"), ("retry-after", "1")), "slow", 0.25),
        ((("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"),), "slow", None),
        ((), "Please try again in 1.5s.", 1.5),
        ((), "slow", None),
    ],
)
async def test_how_long_to_wait(headers: tuple[tuple[str, str], ...], message: str, seconds: float | None) -> None:
    error = await refused(429, {"error": {"message": message}}, *headers)
    assert error.retry_after_s == seconds


@pytest.mark.parametrize("body", [HTML, b"", b'{"status":"ok"}', b"pong"], ids=["page", "empty", "json", "text"])
async def test_a_wrong_base_url_that_answers_200(body: bytes) -> None:
    async with model_server(Reply(body=body, content_type="text/html")) as server:
        error = error_of(await answer_of(a_provider(server.url)))
    assert error.category == "not_a_model"
    assert server.url in spoken(error)
    assert "/v1" in spoken(error)
    if body == HTML:
        assert "hotel network" in spoken(error)


async def test_an_error_in_a_200_body_and_at_the_head_of_a_stream() -> None:
    body = b'{"error":{"code":"1113","message":"\xe4\xbd\x99\xe9\xa2\x9d\xe4\xb8\x8d\xe8\xb6\xb3"}}'
    for raw in (body, b"data: " + body + b"\n\n"):
        async with model_server(Reply(body=raw, content_type="application/json")) as server:
            assert error_of(await answer_of(a_provider(server.url))).category == "quota"


async def test_nobody_listens_on_this_machine() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = error_of(await answer_of(a_provider(f"http://127.0.0.1:{port}/v1", key="")))
    assert (error.category, error.retryable) == ("network", True)
    assert "Ollama" in spoken(error)
    assert f"127.0.0.1:{port}" in spoken(error)


async def test_this_machine_is_reached_without_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with model_server(sse(delta("stop", content="好"))) as server:
        assert (await answer_of(a_provider(server.url))).text == "好"


async def test_a_proxy_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "carrier-pigeon://127.0.0.1:9")
    error = error_of(await answer_of(a_provider("https://model.invalid/v1")))
    assert error.category == "network"
    assert "ALL_PROXY" in spoken(error)


@pytest.mark.parametrize(
    ("cause", "key"),
    [
        (httpx2.ConnectError("[Errno -2] Name or service not known"), "providers.network_dns"),
        (httpx2.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate"), "providers.network_tls"),
        (httpx2.ConnectError("[Errno 111] Connection refused"), "providers.network_refused"),
        (httpx2.ProxyError("502 Bad Gateway"), "providers.network_proxy"),
        (httpx2.RemoteProtocolError("peer closed connection"), "providers.network_cut"),
        (httpx2.ConnectTimeout(""), "providers.timeout_connect"),
        (httpx2.ReadTimeout(""), "providers.timeout_read"),
        (httpx2.LocalProtocolError(f"Illegal header value b'Bearer {KEY}'"), "providers.auth_malformed"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_what_the_network_says_becomes_advice(cause: Exception, key: str) -> None:
    endpoint = Endpoint(base_url="https://model.invalid/v1", model="some-model")
    for failure in (cause, wrapped(cause)):
        error = provider_error(sdk_problem(openai, failure), endpoint, KEY, connect_timeout_s=10)
        assert error.key == key
        assert error.retryable == (error.category != "auth")
        assert KEY not in spoken(error) + str(error)


def wrapped(cause: Exception) -> Exception:
    """The same failure as the SDK raises it before the head of a response."""
    request = httpx2.Request("POST", "https://model.invalid/v1")
    timeout = isinstance(cause, httpx2.TimeoutException)
    failure = openai.APITimeoutError(request) if timeout else openai.APIConnectionError(request=request)
    failure.__cause__ = cause
    return failure


async def test_a_stream_that_ends_within_its_first_event_is_incomplete() -> None:
    for body in (b'data: {"choi', b": keep-alive\n\n", b"data: [DONE]\n\n"):
        async with model_server(body) as server:
            assert error_of(await answer_of(a_provider(server.url))).category == "incomplete"


@pytest.mark.parametrize("then", ["abort", "end"], ids=["reset", "ended early"])
async def test_a_cut_keeps_the_text_and_runs_nothing(then: str) -> None:
    body = sse(delta(content="先看"), delta(tool_calls=[call_delta(0, "a", "quote", "{}")]), done=False)
    reply = Reply(body=body, then="abort") if then == "abort" else Reply(body=body + b'data: {"choi')
    async with model_server(reply) as server:
        answer = await answer_of(a_provider(server.url))
    error = error_of(answer)
    assert (answer.text, answer.calls) == ("先看", [])
    assert error.category == ("network" if then == "abort" else "incomplete")
    assert error.retryable


async def test_closing_the_iterator_closes_the_connection() -> None:
    async with model_server(Reply(body=sse(delta(content="先看"), done=False), then="stall")) as server:
        provider = a_provider(server.url)
        async with asyncio.timeout(5), aclosing(cast("ChunkStream", provider.stream(a_request()))) as chunks:
            assert await anext(chunks) == TextChunk(text="先看")
        async with asyncio.timeout(0.5):
            await server.client_gone.wait()
        await provider.aclose()


@pytest.mark.parametrize("body", [sse(delta(content="先看"), done=False), b""], ids=["in the answer", "before it"])
async def test_cancelling_closes_the_connection(body: bytes) -> None:
    async with model_server(Reply(body=body, then="stall")) as server:
        provider = a_provider(server.url)
        task = asyncio.create_task(answer_of(provider))
        async with asyncio.timeout(5):
            await server.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(0.5):
            await server.client_gone.wait()
        await provider.aclose()


@pytest.mark.parametrize("key", ["sk-密钥-123456", "sk-two words", "sk-line\nbreak"])
async def test_a_key_that_cannot_be_sent_is_an_error_without_it(key: str) -> None:
    error = error_of(await answer_of(a_provider("https://model.invalid/v1", key=key)))
    assert error.category == "auth"
    assert key not in spoken(error) + str(error)


async def test_the_key_is_in_no_log_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    body = dumps({"error": {"message": f"bad key {KEY}"}}).encode()
    async with model_server(sse(delta("stop", content="好")), Reply(body=body, status=401)) as server:
        provider = a_provider(server.url)
        await answer_of(provider)
        error_of(await answer_of(a_provider(server.url)))
    assert any(KEY in head for head in server.heads)
    assert caplog.records
    assert KEY not in caplog.text


def test_quoted_words_are_short_and_on_one_line() -> None:
    words = quoted("第一行\n" + "长" * 500, KEY)
    assert len(words) == 200
    assert "\n" not in words


def test_both_languages_have_the_same_texts() -> None:
    chinese, english = (
        tomllib.loads(resource("i18n", name, "providers.toml").read_text("utf-8")) for name in LANGUAGES
    )
    assert chinese.keys() == english.keys()
    fields = dict.fromkeys(("model", "host", "base_url", "detail", "seconds", "variable", "id", "url", "presets"), "x")
    fields |= dict.fromkeys(("known", "provider", "name", "reason", "call", "spent", "limit", "tool", "api"), "x")
    for name in chinese:
        assert Texts("zh_CN")(f"providers.{name}", **fields)
        assert Texts("en")(f"providers.{name}", **fields)
