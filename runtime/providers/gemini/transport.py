"""The SDK's client and one streamed answer of it. Whatever fails leaves here as an `EndpointFailure`."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final, cast

from runtime.core.json import JsonObject, JsonValue
from runtime.providers.base import ModelRequest
from runtime.providers.wire.bodies import is_event_stream, no_model, whole_answer
from runtime.providers.wire.client import SdkClient, http_client, time_limits
from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.failures import failures, retry_after, transport_problem
from runtime.providers.wire.problems import (
    EndpointFailure,
    Problem,
    refusal_from_body,
    refusal_from_json,
)

if TYPE_CHECKING:
    import httpx2
    from google.genai import Client, types

_API_VERSION: Final = "v1beta"  # where function calls and thoughts are
_NO_KEY: Final = "none"  # the SDK insists on a key
_NOTHING: Final[JsonObject] = {"candidates": []}
_LINGER_S: Final = 2.0  # for what may still come after the end of an answer: an error, or the end of the connection


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
        self._http: httpx2.AsyncClient | None = None
        self._response: httpx2.Response | None = None
        self._limits: dict[str, float | None] = {}

    async def items(
        self,
        request: ModelRequest,
        contents: list[dict[str, Any]],
        config: types.GenerateContentConfig,
        ended: Callable[[], bool],
    ) -> AsyncGenerator[JsonObject, None]:
        """Send a request and yield the responses of its stream, in order.

        Args:
            request: for its time-outs.
            contents: the history.
            config: everything else.
            ended: whether the answer is complete: the server may keep the line open after that.

        Raises:
            EndpointFailure: the server refused or could not be reached, the connection broke, or it sent no stream.
        """
        client = await self._client.ready()
        from google.genai import errors

        self._response, self._limits = None, time_limits(request).as_dict()
        seen = 0
        try:
            stream = await client.aio.models.generate_content_stream(
                model=self._endpoint.model, contents=contents, config=config
            )
            async with aclosing(cast("_Stream", stream)) as responses:
                while (response := await _next(responses, linger=ended())) is not None:
                    item = _item(response)
                    if item != _NOTHING:  # any JSON object reads like a response without content
                        seen += 1
                        yield item
        except failures(errors.APIError) as problem:
            raise EndpointFailure(self._problem(problem, started=seen > 0)) from None
        if not seen:
            yield self._unstreamed()

    async def aclose(self) -> None:
        """Close the connections."""
        client, http = self._client.taken(), self._http
        if client is not None:
            await client.aio.aclose()
        if http is not None:
            self._http = None
            await http.aclose()

    def _build(self) -> Client:
        from google.genai import Client
        from google.genai.types import HttpOptions

        # Values that are newer than the SDK pass through; its warning about them is nothing for a person.
        warnings.filterwarnings("ignore", message=r".*is not a valid", module=r"google\.genai")
        self._http = http_client(self._endpoint, self._proxy, without_comments=True)
        self._http.event_hooks["request"].append(self._limit)
        self._http.event_hooks["response"].append(self._notice)
        return Client(
            vertexai=False,
            api_key=self._key or _NO_KEY,
            http_options=HttpOptions(
                base_url=_root(self._endpoint.base_url),
                api_version=_API_VERSION,
                headers={"Accept-Encoding": "identity"},
                httpx_async_client=self._http,
            ),
        )

    async def _limit(self, request: httpx2.Request) -> None:
        """The SDK knows one time-out for everything, or none."""
        request.extensions["timeout"] = dict(self._limits)

    async def _notice(self, response: httpx2.Response) -> None:
        self._response = response

    def _problem(self, failure: Exception, *, started: bool) -> Problem:
        """The problem behind an exception; the body says more than the SDK's reading of it."""
        response = self._response
        if response is not None and response.status_code >= 400 and response.is_stream_consumed:
            return refusal_from_body(response.status_code, response.text, retry_after(response))
        details: JsonValue = getattr(failure, "details", None)
        if details:
            return refusal_from_json(0, details, started=started)
        if response is not None and not started:
            try:
                whole_answer(response)
            except EndpointFailure as found:
                return found.problem
            if not is_event_stream(response):
                return no_model(response).problem
        return transport_problem(failure, started=started)

    def _unstreamed(self) -> JsonObject:
        """The answer of a server that sends plain JSON.

        Raises:
            EndpointFailure: there is no answer.
        """
        if self._response is None:
            raise EndpointFailure(refusal_from_json(0, "no response"))
        answer = whole_answer(self._response)
        if "candidates" in answer or "promptFeedback" in answer:
            return answer
        raise no_model(self._response)


def _root(base_url: str) -> str:
    """The address without the version that the SDK appends."""
    for version in ("/v1beta", "/v1"):
        base_url = base_url.removesuffix(version)
    return base_url


class _Stream(AsyncIterator["types.GenerateContentResponse"]):
    """What `aclosing` needs: the SDK streams from an async generator."""

    async def aclose(self) -> None: ...


async def _next(responses: _Stream, *, linger: bool) -> types.GenerateContentResponse | None:
    """The next response; None at the end, and when nothing more comes soon after a complete answer."""
    if not linger:
        return await anext(responses, None)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_LINGER_S):
            return await anext(responses, None)
    return None


def _item(response: types.GenerateContentResponse) -> JsonObject:
    """A response as the JSON that the server sent, as far as it is of use; dumping it would warn about unknown values."""
    feedback, counts = response.prompt_feedback, response.usage_metadata
    item: JsonObject = _NOTHING | {
        "candidates": [_candidate(candidate) for candidate in (response.candidates or [])[:1]]
    }
    if feedback is not None and feedback.block_reason:
        words = feedback.block_reason_message or ""
        item["promptFeedback"] = {"blockReason": _value(feedback.block_reason), "blockReasonMessage": words}
    if counts is not None:
        item["usageMetadata"] = {
            "promptTokenCount": counts.prompt_token_count,
            "cachedContentTokenCount": counts.cached_content_token_count,
            "candidatesTokenCount": counts.candidates_token_count,
            "thoughtsTokenCount": counts.thoughts_token_count,
        }
    return item


def _candidate(candidate: types.Candidate) -> JsonObject:
    parts = candidate.content.parts if candidate.content is not None else None
    found: JsonObject = {"content": {"parts": [_part(part) for part in parts or []]}}
    if candidate.finish_reason is not None:
        found["finishReason"] = _value(candidate.finish_reason)
        found["finishMessage"] = candidate.finish_message or ""
    return found


def _part(part: types.Part) -> JsonObject:
    found: JsonObject = {}
    if part.text is not None:
        found["text"] = part.text
    if part.thought:
        found["thought"] = True
    if part.thought_signature:
        found["thoughtSignature"] = base64.b64encode(part.thought_signature).decode("ascii")
    call = part.function_call
    if call is not None:
        found["functionCall"] = {"id": call.id, "name": call.name, "args": call.args}
    return found


def _value(choice: object) -> str:
    """The text of one of the SDK's choices, known to it or not."""
    return str(getattr(choice, "value", choice))
