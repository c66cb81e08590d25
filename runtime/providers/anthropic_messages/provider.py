"""The provider for the Messages API."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from runtime.core.json import JsonValue, dumps
from runtime.providers.anthropic_messages.adaptation import is_about_history, next_step
from runtime.providers.anthropic_messages.assembly import MessageAssembler
from runtime.providers.anthropic_messages.request import Circumstances, request_body
from runtime.providers.anthropic_messages.transport import Response, Transport
from runtime.providers.base import Capabilities, Chunk, ModelRequest
from runtime.providers.wire.account import Account, NetworkProvider
from runtime.providers.wire.problems import Break, EndpointFailure, Refusal
from runtime.providers.wire.wire_request import own_chunk, wire_request
from runtime.providers.wire.wire_tools import WireTools

_MOST_PAUSES = 3  # a server that pauses for ever is a server that does not answer


class AnthropicProvider(NetworkProvider):
    """One model behind one address of the Messages API.

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
        tools = WireTools(request.tools, "anthropic")
        asked = wire_request(request, tools)
        paused: list[JsonValue] = []
        try:
            for _ in range(_MOST_PAUSES):
                assembler = MessageAssembler()
                async with aclosing(self._answer(asked, assembler, paused)) as chunks:
                    async for chunk in chunks:
                        yield self._account.priced(own_chunk(chunk, tools))
                if assembler.paused is None:
                    return
                paused += assembler.paused
            raise EndpointFailure(Break(kind="incomplete"))  # noqa: TRY301 - it leaves through the same door
        except EndpointFailure as failure:
            raise self._account.error(failure.problem, request) from None

    async def _answer(
        self, request: ModelRequest, assembler: MessageAssembler, paused: list[JsonValue]
    ) -> AsyncGenerator[Chunk, None]:
        """One response; its ending is left out when the server only paused."""
        response, sent = await self._open(request, paused)
        try:
            async with aclosing(response.events()) as events:
                async for event in events:
                    for chunk in assembler.feed(event):
                        yield chunk
                    if event.get("type") == "message_stop":
                        break  # some servers keep the line open after it
        finally:
            await response.aclose()
        ending = tuple(assembler.finish())
        if assembler.paused is not None:
            return
        if not assembler.has_usage:
            yield self._account.estimated(sent, "".join(assembler.received))
        for chunk in ending:
            yield chunk

    async def _open(self, request: ModelRequest, paused: list[JsonValue]) -> tuple[Response, str]:
        """The response and the text of what was sent; parts that the endpoint refuses are dropped one by one."""
        account, bare = self._account, False
        while True:
            steps = account.memory.of(account.endpoint)
            about = Circumstances(
                model=account.endpoint.model,
                name=account.name,
                reasoning=self._capabilities.reasoning,
                steps=steps,
                bare=bare,
            )
            body = request_body(request, about)
            if paused:
                body["messages"] = [*_list(body["messages"]), {"role": "assistant", "content": [*paused]}]
            try:
                return await self._transport.open(request, body, steps), dumps(body)
            except EndpointFailure as failure:
                match failure.problem:
                    case Refusal() as refusal if is_about_history(refusal) and not bare:
                        bare = True
                    case Refusal() as refusal if (step := next_step(refusal, steps)) is not None:
                        account.memory.learn(account.endpoint, step)
                    case _:
                        raise


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
