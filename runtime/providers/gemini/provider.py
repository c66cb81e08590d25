"""The provider for the Gemini API."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from runtime.core.json import JsonObject
from runtime.providers.base import Capabilities, Chunk, FinishChunk, ModelRequest
from runtime.providers.gemini.assembly import ResponseAssembler
from runtime.providers.gemini.request import NO_THINKING, Circumstances, request_config, request_contents
from runtime.providers.gemini.transport import Transport
from runtime.providers.wire.account import Account, NetworkProvider
from runtime.providers.wire.problems import EndpointFailure, Problem, Refusal
from runtime.providers.wire.steps import about_the_request
from runtime.providers.wire.wire_request import own_chunk, wire_request
from runtime.providers.wire.wire_tools import WireTools


class GeminiProvider(NetworkProvider):
    """One model of the Gemini API.

    Args:
        account: whom to ask, and how.
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
        account = self._account
        tools = WireTools(request.tools, "gemini")
        asked, assembler = wire_request(request, tools), ResponseAssembler()
        try:
            async with aclosing(self._items(asked, assembler)) as items:
                async for item in items:
                    for chunk in assembler.feed(item):
                        yield account.priced(chunk)
            for chunk in assembler.finish():
                if isinstance(chunk, FinishChunk) and not assembler.has_usage:
                    sent = f"{request.system}{request_contents(asked, self._about)}"
                    yield account.estimated(sent, "".join(assembler.received))
                yield own_chunk(chunk, tools)
        except EndpointFailure as failure:
            raise account.error(failure.problem, request) from None

    @property
    def _about(self) -> Circumstances:
        account = self._account
        return Circumstances(
            model=account.endpoint.model,
            name=account.name,
            reasoning=self._capabilities.reasoning,
            steps=account.memory.of(account.endpoint),
        )

    async def _items(self, request: ModelRequest, assembler: ResponseAssembler) -> AsyncGenerator[JsonObject, None]:
        """The responses; what the endpoint refuses is left out of a second request."""
        while True:
            about, begun = self._about, False
            contents, config = request_contents(request, about), request_config(request, about)
            stream = self._transport.items(request, contents, config, lambda: assembler.ended)
            try:
                async with aclosing(stream) as items:
                    async for item in items:
                        begun = True
                        yield item
                return
            except EndpointFailure as failure:
                step = None if begun else _next_step(failure.problem, about.steps)
                if step is None:
                    raise
                self._account.memory.learn(self._account.endpoint, step)


def _next_step(problem: Problem, taken: frozenset[str]) -> str | None:
    """The step down that a refusal asks for, if it is one of an optional part."""
    match problem:
        case Refusal() if about_the_request(problem) and "thinking" in problem.words and NO_THINKING not in taken:
            return NO_THINKING
        case _:
            return None
