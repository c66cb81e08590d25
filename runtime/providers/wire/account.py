"""Whom a provider asks, and how: what all providers do with it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from runtime.core.messages import Usage
from runtime.providers.base import Capabilities, Chunk, ModelRequest, ProviderError, UsageChunk
from runtime.providers.tokens import estimate_tokens
from runtime.providers.windows import Prices, cost_of
from runtime.providers.wire.client import SYSTEM_PROXY
from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.errors import provider_error
from runtime.providers.wire.problems import Problem
from runtime.providers.wire.steps import AdaptationMemory

_NO_TOOLS: Final = "no_tools"
_KNOWS_NO_TOOLS: Final = "providers.bad_request_no_tools"


class Closable(Protocol):
    """Connections that can be closed."""

    async def aclose(self) -> None:
        """Close them."""
        ...


class NetworkProvider:
    """What all providers have that ask somebody over the network; each adds its own `stream`.

    Args:
        account: whom to ask, and how.
        capabilities: what the model can do.
        transport: its connections.
    """

    def __init__(self, account: Account, capabilities: Capabilities, transport: Closable) -> None:
        self._account = account
        self._capabilities = capabilities
        self._connections = transport

    @property
    def name(self) -> str:
        """Which model answers, as shown to the person."""
        return self._account.name

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        return self._account.able(self._capabilities)

    async def aclose(self) -> None:
        """Close connections."""
        await self._connections.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One model behind one address.

    Attributes:
        name: the model as shown to the person.
        endpoint: address and the vendor's name of the model.
        key: the key; "" for servers on this machine.
        prices: what tokens cost; None = unknown.
        memory: what endpoints refused before; shared between providers so that it outlives them.
        proxy: `system`, `none`, or the proxy's address.
    """

    name: str
    endpoint: Endpoint
    key: str = field(repr=False)
    prices: Prices | None = None
    memory: AdaptationMemory = field(default_factory=AdaptationMemory)
    proxy: str = SYSTEM_PROXY

    def priced(self, chunk: Chunk) -> Chunk:
        """The chunk, with its cost where it counts tokens and prices are known."""
        match chunk:
            case UsageChunk(usage=usage) if self.prices is not None:
                return UsageChunk(usage=replace(usage, cost=cost_of(usage, self.prices)))
            case _:
                return chunk

    def estimated(self, sent: str, received: str) -> Chunk:
        """A rough count for a server that reports none, marked as estimated."""
        model = self.endpoint.model
        usage = Usage(input=estimate_tokens(sent, model), output=estimate_tokens(received, model), estimated=True)
        return self.priced(UsageChunk(usage=usage))

    def error(self, problem: Problem, request: ModelRequest) -> ProviderError:
        """The error for the person. A model that turns out to know no tools is not offered any again."""
        error = provider_error(problem, self.endpoint, self.key, connect_timeout_s=request.connect_timeout_s)
        if error.key == _KNOWS_NO_TOOLS:
            self.memory.learn(self.endpoint, _NO_TOOLS)
        return error

    def able(self, capabilities: Capabilities) -> Capabilities:
        """What the model can do, as far as the endpoint did not say otherwise."""
        if _NO_TOOLS in self.memory.of(self.endpoint):
            return replace(capabilities, tools=False)
        return capabilities
