"""The SDK's client and one streamed response of it. Whatever fails leaves here as an `EndpointFailure`."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Final, cast

from runtime.core.json import JsonObject
from runtime.providers.base import ModelRequest
from runtime.providers.wire.bodies import is_event_stream, no_model, plain, whole_answer
from runtime.providers.wire.client import PLAIN_BODIES, SdkClient, http_client, time_limits
from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.failures import failures, sdk_problem
from runtime.providers.wire.problems import EndpointFailure
from runtime.providers.wire.wiretap import wiretap_of

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

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

    async def open(self, request: ModelRequest, messages: list[JsonObject], options: JsonObject) -> Response:
        """Send a request and wait for the head of the response.

        Raises:
            EndpointFailure: the server refused, or could not be reached.
        """
        client = await self._client.ready()
        import openai

        try:
            stream = await client.chat.completions.create(
                model=self._endpoint.model,
                messages=cast("list[ChatCompletionMessageParam]", messages),
                stream=True,
                extra_body=options,
                timeout=time_limits(request),
            )
        except failures(openai.OpenAIError) as problem:
            raise EndpointFailure(sdk_problem(openai, problem)) from None
        return Response(stream)

    async def aclose(self) -> None:
        """Close the connections."""
        client = self._client.taken()
        if client is not None:
            await client.close()

    def _build(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        client = AsyncOpenAI(
            api_key=self._key or _NO_KEY,
            base_url=self._endpoint.base_url,
            max_retries=0,
            http_client=http_client(self._endpoint, self._proxy),
            default_headers=PLAIN_BODIES,
        )
        client.organization = client.project = None  # OPENAI_ORG_ID is nobody else's business
        return client


class Response:
    """One streamed response."""

    def __init__(self, stream: AsyncStream[ChatCompletionChunk]) -> None:
        self._stream = stream
        self._items = 0

    @property
    def done(self) -> bool:
        """Whether the server said that it is done."""
        return wiretap_of(self._stream.response).done

    async def items(self) -> AsyncGenerator[JsonObject, None]:
        """The JSON objects of the stream, in order.

        Raises:
            EndpointFailure: the connection broke, the server reported an error, or it sent no stream.
        """
        import openai

        try:
            async for chunk in self._stream:
                item = plain(chunk)
                if isinstance(item, dict):
                    self._items += 1
                    yield item
        except failures(openai.OpenAIError) as problem:
            started = self._items > 0 or (isinstance(problem, ValueError) and is_event_stream(self._stream.response))
            raise EndpointFailure(sdk_problem(openai, problem, started=started)) from None
        if not self._items:
            yield self._unstreamed()

    async def aclose(self) -> None:
        """Close the connection now."""
        await self._stream.close()

    def _unstreamed(self) -> JsonObject:
        """The answer of a server that ignores `stream` and sends plain JSON, in the shape of a chunk.

        Raises:
            EndpointFailure: there is no answer.
        """
        answer = whole_answer(self._stream.response)
        choices = answer.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(choice, dict) and isinstance(choice.get("message"), dict):
            return {**answer, "choices": [{**choice, "delta": choice["message"]}]}
        raise no_model(self._stream.response)
