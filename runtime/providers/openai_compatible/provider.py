"""The provider for OpenAI-compatible endpoints."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from runtime.core.json import JsonObject, dumps
from runtime.providers.base import Capabilities, Chunk, FinishChunk, ModelRequest, TextChunk
from runtime.providers.openai_compatible.adaptation import next_step
from runtime.providers.openai_compatible.assembly import StreamAssembler
from runtime.providers.openai_compatible.rejected import asked_again
from runtime.providers.openai_compatible.request import request_messages, request_options
from runtime.providers.openai_compatible.transport import Response, Transport
from runtime.providers.wire.account import Account, NetworkProvider
from runtime.providers.wire.problems import EndpointFailure, Refusal
from runtime.providers.wire.wire_request import own_chunk, wire_request
from runtime.providers.wire.wire_tools import WireTools


class OpenAIProvider(NetworkProvider):
    """One model behind one OpenAI-compatible address.

    Args:
        account: whom to ask, and how; the address includes its version, for example `https://api.openai.com/v1`.
        capabilities: what the model can do.
    """

    def __init__(self, account: Account, capabilities: Capabilities) -> None:
        self._transport = Transport(account.endpoint, account.key, account.proxy)
        super().__init__(account, capabilities, self._transport)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Answer one request.

        Raises:
            ProviderError: while iterating.
        """
        tools = WireTools(request.tools, "openai")
        asked = wire_request(request, tools)
        final = False  # text was shown, or the model had its second try
        try:
            while True:
                try:
                    async with aclosing(self._answer(asked)) as chunks:
                        async for chunk in chunks:
                            final = final or isinstance(chunk, TextChunk)
                            yield self._account.priced(own_chunk(chunk, tools))
                    return
                except EndpointFailure as failure:
                    again = None if final else asked_again(asked, failure.problem)
                    if again is None:
                        raise
                    asked, final = again, True
        except EndpointFailure as failure:
            raise self._account.error(failure.problem, request) from None

    async def _answer(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """One answer of the endpoint."""
        assembler = StreamAssembler(request.tools)
        response, sent = await self._open(request)
        try:
            async with aclosing(response.items()) as items:
                async for item in items:
                    for chunk in assembler.feed(item):
                        yield chunk
            for chunk in assembler.finish(done=response.done):
                if isinstance(chunk, FinishChunk) and not assembler.has_usage:
                    yield self._account.estimated(sent, "".join(assembler.received))
                yield chunk
        finally:
            await response.aclose()

    async def _open(self, request: ModelRequest) -> tuple[Response, str]:
        """The response and the text of what was sent; parts that the endpoint refuses are dropped one by one."""
        account, endpoint = self._account, self._account.endpoint
        while True:
            steps = account.memory.of(endpoint)
            messages = request_messages(request, endpoint, steps, account.name)
            options = request_options(request, endpoint, steps)
            try:
                return await self._transport.open(request, messages, options), _text(messages, options)
            except EndpointFailure as failure:
                match failure.problem:
                    case Refusal() as refusal:
                        step = next_step(refusal, endpoint, steps, tools=bool(request.tools))
                    case _:
                        step = None
                if step is None:
                    raise
                account.memory.learn(endpoint, step)


def _text(messages: list[JsonObject], options: JsonObject) -> str:
    return dumps({"messages": [*messages], "options": options})
