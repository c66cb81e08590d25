"""The HTTP client below every SDK, and the SDK's own client, built once and off the event loop.

It never retries, follows no redirect, reads neither keys nor addresses from the environment, and uses no proxy for this machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from runtime.providers.base import ModelRequest
from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.problems import Break, EndpointFailure
from runtime.providers.wire.wiretap import watch_responses

if TYPE_CHECKING:
    import httpx2

Client = TypeVar("Client")

SYSTEM_PROXY: Final = "system"
NO_PROXY: Final = "none"
# The wiretap reads the bytes as they come.
PLAIN_BODIES: Final = {"Accept-Encoding": "identity"}
_READ_MARGIN_S: Final = 30.0  # the runtime's idle time-out comes first; this one only ends what nobody watches
_WRITE_TIMEOUT_S: Final = 60.0  # a long history over a slow line


def http_client(endpoint: Endpoint, proxy: str, *, without_comments: bool = False) -> httpx2.AsyncClient:
    """The HTTP client for an endpoint.

    Args:
        endpoint: where it will talk to.
        proxy: `system`, `none`, or the proxy's address.
        without_comments: take comment lines out of streams, for an SDK that cannot read them.

    Raises:
        EndpointFailure: the proxy cannot be used.
    """
    import httpx2

    local = endpoint.is_loopback
    try:
        return httpx2.AsyncClient(
            trust_env=proxy == SYSTEM_PROXY and not local,
            proxy=None if local or proxy in (SYSTEM_PROXY, NO_PROXY) else proxy,
            follow_redirects=False,
            event_hooks={"response": [watch_responses(without_comments=without_comments)]},
        )
    except (ImportError, ValueError) as problem:
        raise EndpointFailure(Break(kind="proxy", detail=str(problem))) from None


def time_limits(request: ModelRequest) -> httpx2.Timeout:
    """The transport's time-outs for a request."""
    import httpx2

    silence = max(request.idle_timeout_s, request.reasoning_idle_timeout_s) + _READ_MARGIN_S
    return httpx2.Timeout(silence, connect=request.connect_timeout_s, write=_WRITE_TIMEOUT_S)


class SdkClient(Generic[Client]):
    """An SDK's client, built in a thread when it is first needed: importing an SDK takes seconds.

    Args:
        key: the key that it will send.
        build: makes the client; may raise `EndpointFailure`.
    """

    def __init__(self, key: str, build: Callable[[], Client]) -> None:
        self._key = key
        self._build = build
        self._client: Client | None = None
        self._building = asyncio.Lock()

    async def ready(self) -> Client:
        """The client.

        Raises:
            EndpointFailure: the key cannot be sent, or the client cannot be built.
        """
        if self._key and not (self._key.isascii() and self._key.isprintable() and " " not in self._key):
            raise EndpointFailure(Break(kind="bad_key"))
        async with self._building:
            if self._client is None:
                self._client = await asyncio.to_thread(self._build)
            return self._client

    def taken(self) -> Client | None:
        """Give the client up, for closing."""
        client, self._client = self._client, None
        return client
