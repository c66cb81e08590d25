"""The SDK's client and one streamed response of it. Whatever fails leaves here as an `EndpointFailure`."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from typing import TYPE_CHECKING, Final

from runtime.core.json import JsonObject, loads
from runtime.providers.anthropic_messages.adaptation import OLD_VERSION
from runtime.providers.base import ModelRequest
from runtime.providers.wire.bodies import is_event_stream, no_model, plain, whole_answer
from runtime.providers.wire.client import PLAIN_BODIES, SdkClient, http_client, time_limits
from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.failures import failures, sdk_problem
from runtime.providers.wire.problems import Break, EndpointFailure, refusal_from_json
from runtime.providers.wire.wiretap import HEAD_LIMIT, wiretap_of

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic, AsyncStream
    from anthropic.types import RawMessageStreamEvent

_VENDOR: Final = "anthropic.com"
_OLD_VERSION: Final = {"anthropic-version": "2023-06-01"}
_NO_KEY: Final = "none"  # the SDK insists on a key; servers on this machine ignore it


class Transport:
    """Opens streams at one endpoint.

    Args:
        endpoint: where.
        key: the key; "" for servers on this machine.
        proxy: `system`, `none`, or the proxy's address.
    """

    def __init__(self, endpoint: Endpoint, key: str, proxy: str) -> None:
        self._endpoint = endpoint
        self._key = key
        self._proxy = proxy
        self._client = SdkClient(key, self._build)

    async def open(self, request: ModelRequest, body: JsonObject, steps: frozenset[str]) -> Response:
        """Send a request and wait for the head of the response.

        Raises:
            EndpointFailure: the server refused, or could not be reached.
        """
        client = await self._client.ready()
        import anthropic

        try:
            stream = await client.messages.create(
                model="",  # the body says it all; what is named here the SDK has opinions about
                max_tokens=0,
                messages=[],
                stream=True,
                extra_body=body,
                extra_headers=_OLD_VERSION if OLD_VERSION in steps else None,
                timeout=time_limits(request),
            )
        except failures(anthropic.AnthropicError) as problem:
            raise EndpointFailure(sdk_problem(anthropic, problem)) from None
        return Response(stream)

    async def aclose(self) -> None:
        """Close the connections."""
        client = self._client.taken()
        if client is not None:
            await client.close()

    def _build(self) -> AsyncAnthropic:
        from anthropic import AsyncAnthropic

        headers = dict(PLAIN_BODIES)
        if self._key and not self._endpoint.on(_VENDOR):
            headers["X-Api-Key"] = self._key  # the SDK sends a bearer token; many gateways read only this one
        return AsyncAnthropic(
            api_key=self._key or _NO_KEY,
            base_url=self._endpoint.base_url.removesuffix("/v1"),  # the SDK appends /v1/messages
            max_retries=0,
            http_client=http_client(self._endpoint, self._proxy),
            default_headers=headers,
        )


class Response:
    """One streamed response."""

    def __init__(self, stream: AsyncStream[RawMessageStreamEvent]) -> None:
        self._stream = stream
        self._events = 0

    async def events(self) -> AsyncGenerator[JsonObject, None]:
        """The events of the stream, in order.

        Raises:
            EndpointFailure: the connection broke, the server reported an error, or it sent no stream.
        """
        import anthropic

        response = self._stream.response
        try:
            async for event in self._stream:
                item = plain(event)
                if isinstance(item, dict):
                    self._events += 1
                    yield item
        except failures(anthropic.AnthropicError) as problem:
            started = self._events > 0 or (isinstance(problem, ValueError) and is_event_stream(response))
            raise EndpointFailure(sdk_problem(anthropic, problem, started=started)) from None
        if not self._events:
            for left in _unread(response):
                yield left

    async def aclose(self) -> None:
        """Close the connection now."""
        await self._stream.close()


def _unread(response: httpx2.Response) -> Iterator[JsonObject]:
    """What a body holds in which the SDK found no event: it skips events without an `event:` line.

    Raises:
        EndpointFailure: there is no answer in it.
    """
    head = wiretap_of(response).head
    if not is_event_stream(response):
        answer = whole_answer(response)
        if not isinstance(answer.get("content"), list):
            raise no_model(response)
        yield {"type": "message_start", "message": answer}
        return
    if len(head) >= HEAD_LIMIT:
        raise EndpointFailure(Break(kind="incomplete"))
    found = False
    for line in head.splitlines():
        event = _event(line)
        if event is None:
            continue
        found = True
        if event.get("type") == "error":
            raise EndpointFailure(refusal_from_json(0, event, started=True))
        yield event
    if not found:
        raise EndpointFailure(Break(kind="incomplete"))


def _event(line: str) -> JsonObject | None:
    name, _, data = line.partition(":")
    if name.lstrip("\ufeff") != "data":
        return None
    try:
        value = loads(data)
    except json.JSONDecodeError:
        return None
    return value if isinstance(value, dict) and "type" in value else None
