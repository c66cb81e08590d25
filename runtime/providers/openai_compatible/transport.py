"""The SDK's client and one streamed response of it.

The SDK is imported and its client built in a thread at the first request; it never retries, never reads the environment for keys or
addresses, and uses no proxy for this machine. Whatever fails leaves here as an `EndpointFailure`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Final, cast

from runtime.core.json import JsonObject, JsonValue, loads
from runtime.providers.base import ModelRequest
from runtime.providers.openai_compatible.failures import failures, problem_of
from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.problems import (
    Break,
    EndpointFailure,
    page_words,
    refusal_from_json,
)
from runtime.providers.wire.wiretap import install, wiretap_of

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

_NO_KEY: Final = "none"  # the SDK insists on a key; servers on this machine ignore it
_READ_MARGIN_S: Final = 30.0  # the runtime's idle time-out comes first; this one only ends what nobody watches
_WRITE_TIMEOUT_S: Final = 60.0  # a long history over a slow line


class Transport:
    """Opens streams at one endpoint.

    Args:
        endpoint: where.
        key: the key; "" for servers on this machine.
    """

    def __init__(self, endpoint: Endpoint, key: str) -> None:
        self._endpoint = endpoint
        self._key = key
        self._client: AsyncOpenAI | None = None
        self._building = asyncio.Lock()

    async def open(self, request: ModelRequest, messages: list[JsonObject], options: JsonObject) -> Response:
        """Send a request and wait for the head of the response.

        Raises:
            EndpointFailure: the server refused, or could not be reached.
        """
        client = await self._ready()
        import httpx2

        silence = max(request.idle_timeout_s, request.reasoning_idle_timeout_s) + _READ_MARGIN_S
        timeout = httpx2.Timeout(silence, connect=request.connect_timeout_s, write=_WRITE_TIMEOUT_S)
        try:
            stream = await client.chat.completions.create(
                model=self._endpoint.model,
                messages=cast("list[ChatCompletionMessageParam]", messages),
                stream=True,
                extra_body=options,
                timeout=timeout,
            )
        except failures() as problem:
            raise EndpointFailure(problem_of(problem)) from None
        return Response(stream)

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _ready(self) -> AsyncOpenAI:
        if self._key and not (self._key.isascii() and self._key.isprintable() and " " not in self._key):
            raise EndpointFailure(Break(kind="bad_key"))
        async with self._building:
            if self._client is None:
                self._client = await asyncio.to_thread(self._build)
            return self._client

    def _build(self) -> AsyncOpenAI:
        import httpx2
        from openai import AsyncOpenAI

        try:
            http = httpx2.AsyncClient(
                trust_env=not self._endpoint.is_loopback,
                follow_redirects=False,
                event_hooks={"response": [install]},
            )
        except (ImportError, ValueError) as problem:  # a proxy in the environment that cannot be used
            raise EndpointFailure(Break(kind="proxy", detail=str(problem))) from None
        client = AsyncOpenAI(
            api_key=self._key or _NO_KEY,
            base_url=self._endpoint.base_url,
            max_retries=0,
            http_client=http,
            default_headers={"Accept-Encoding": "identity"},  # the wiretap reads the bytes as they come
        )
        client.organization = client.project = None  # OPENAI_ORG_ID is nobody else's business
        return client


class Response:
    """One streamed response."""

    def __init__(self, stream: AsyncStream[ChatCompletionChunk]) -> None:
        self._stream = stream
        self._tap = wiretap_of(stream.response)
        self._items = 0

    @property
    def done(self) -> bool:
        """Whether the server said that it is done."""
        return self._tap.done

    @property
    def _is_stream(self) -> bool:
        """Whether the body begins like a stream of events."""
        return self._tap.head.lstrip("\ufeff \r\n").startswith(("data:", ":", "event:", "id:"))

    async def items(self) -> AsyncGenerator[JsonObject, None]:
        """The JSON objects of the stream, in order.

        Raises:
            EndpointFailure: the connection broke, the server reported an error, or it sent no stream.
        """
        try:
            async for chunk in self._stream:
                item = plain(chunk)
                if isinstance(item, dict):
                    self._items += 1
                    yield item
        except failures() as problem:
            started = self._items > 0 or (isinstance(problem, ValueError) and self._is_stream)
            raise EndpointFailure(problem_of(problem, started=started)) from None
        if not self._items:
            yield self._whole_answer()

    async def aclose(self) -> None:
        """Close the connection now."""
        await self._stream.close()

    def _whole_answer(self) -> JsonObject:
        """The answer of a server that ignores `stream` and sends plain JSON.

        Raises:
            EndpointFailure: the body is an error, or nothing that a model sends.
        """
        head = self._tap.head
        if self._is_stream:
            raise EndpointFailure(Break(kind="incomplete"))
        try:
            value = loads(head) if head.strip() else None
        except (ValueError, RecursionError):
            value = None
        answer = value if isinstance(value, dict) else {}
        choices = answer.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(choice, dict) and isinstance(choice.get("message"), dict):
            return {**answer, "choices": [{**choice, "delta": choice["message"]}]}
        if answer.get("error"):
            raise EndpointFailure(refusal_from_json(0, answer))
        raise EndpointFailure(Break(kind="not_a_model", detail=self._looks_like()))

    def _looks_like(self) -> str:
        """What came instead of a stream."""
        response = self._stream.response
        kind = response.headers.get("content-type", "").partition(";")[0]
        return " ".join(part for part in (f"HTTP {response.status_code}", kind, page_words(self._tap.head)) if part)


def plain(value: object) -> JsonValue:
    """The JSON of an SDK object as the server sent it; dumping it would warn about every field that the SDK does not expect."""
    match value:
        case None | str() | bool() | int() | float():
            return value
        case dict():
            return {str(name): plain(item) for name, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            fields = {**vars(value), **(getattr(value, "model_extra", None) or {})}
            return {name: plain(item) for name, item in fields.items()}
