"""The provider for OpenAI-compatible endpoints."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace

from runtime.core.json import JsonObject, dumps
from runtime.providers.base import Capabilities, Chunk, FinishChunk, ModelRequest, UsageChunk
from runtime.providers.openai_compatible.adaptation import next_step
from runtime.providers.openai_compatible.assembly import StreamAssembler
from runtime.providers.openai_compatible.request import request_messages, request_options
from runtime.providers.openai_compatible.transport import Response, Transport
from runtime.providers.openai_compatible.usage import estimated_usage
from runtime.providers.windows import Prices, cost_of
from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.errors import provider_error
from runtime.providers.wire.problems import EndpointFailure, Refusal
from runtime.providers.wire.steps import AdaptationMemory


class OpenAIProvider:
    """One model behind one OpenAI-compatible address.

    Args:
        name: the model as shown to the person.
        base_url: address including its version, for example `https://api.openai.com/v1`.
        model: the vendor's name of the model.
        key: the key; "" for servers on this machine.
        capabilities: what the model can do.
        prices: what tokens cost; None = unknown.
        memory: what endpoints refused before; shared between providers so that it outlives them.
    """

    def __init__(
        self,
        *,
        name: str,
        base_url: str,
        model: str,
        key: str,
        capabilities: Capabilities,
        prices: Prices | None = None,
        memory: AdaptationMemory | None = None,
    ) -> None:
        self._name = name
        self._endpoint = Endpoint(base_url=base_url, model=model)
        self._key = key
        self._capabilities = capabilities
        self._prices = prices
        self._memory = memory or AdaptationMemory()
        self._transport = Transport(self._endpoint, key)

    @property
    def name(self) -> str:
        """Which model answers, as shown to the person."""
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        return self._capabilities

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Answer one request.

        Raises:
            ProviderError: while iterating.
        """
        assembler = StreamAssembler(frozenset(tool.name for tool in request.tools))
        try:
            response, sent = await self._open(request)
            try:
                async with aclosing(response.items()) as items:
                    async for item in items:
                        for chunk in assembler.feed(item):
                            yield self._priced(chunk)
                for chunk in assembler.finish(done=response.done):
                    if isinstance(chunk, FinishChunk) and not assembler.has_usage:
                        yield self._priced(UsageChunk(usage=estimated_usage(sent, "".join(assembler.received))))
                    yield chunk
            finally:
                await response.aclose()
        except EndpointFailure as failure:
            raise provider_error(
                failure.problem, self._endpoint, self._key, connect_timeout_s=request.connect_timeout_s
            ) from None

    async def aclose(self) -> None:
        """Close connections."""
        await self._transport.aclose()

    async def _open(self, request: ModelRequest) -> tuple[Response, str]:
        """The response and the text of what was sent; parts that the endpoint refuses are dropped one by one."""
        while True:
            steps = self._memory.of(self._endpoint)
            messages = request_messages(request, self._endpoint, steps)
            options = request_options(request, steps)
            try:
                return await self._transport.open(request, messages, options), _text(messages, options)
            except EndpointFailure as failure:
                match failure.problem:
                    case Refusal() as refusal:
                        step = next_step(refusal, self._endpoint, steps, tools=bool(request.tools))
                    case _:
                        step = None
                if step is None:
                    raise
                self._memory.learn(self._endpoint, step)

    def _priced(self, chunk: Chunk) -> Chunk:
        match chunk:
            case UsageChunk(usage=usage) if self._prices is not None:
                return UsageChunk(usage=replace(usage, cost=cost_of(usage, self._prices)))
            case _:
                return chunk


def _text(messages: list[JsonObject], options: JsonObject) -> str:
    return dumps({"messages": [*messages], "options": options})
