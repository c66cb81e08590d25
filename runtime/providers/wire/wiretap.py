"""Watches the bytes of a response on their way to the SDK, which hides three things that decide what an answer is worth.

It remembers whether `[DONE]` came, keeps the beginning of the body for answers that are no stream at all, and closes a last event that the
server left without a blank line (the SDK would drop it).
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    import httpx2

HEAD_LIMIT: Final = 262_144  # bytes kept of the body: enough for a whole answer in plain JSON
_EXTENSION: Final = "wiretap"
_DONE: Final = re.compile(rb"(?:^|[\r\n])data: ?\[DONE\]")
_CARRY: Final = 16  # bytes that may hold the beginning of the mark
_BOM: Final = b"\xef\xbb\xbf"


class Wiretap:
    """What was seen of one response."""

    def __init__(self, *, plain: bool) -> None:
        self.done = False
        self._plain = plain
        self._head = bytearray()
        self._carry = b""

    @property
    def head(self) -> str:
        """The beginning of the body; empty when the body is compressed."""
        return self._head.decode("utf-8", "replace") if self._plain else ""

    def watch(self, piece: bytes) -> bytes:
        """Note a piece and return it as the SDK may see it."""
        if not self._plain:
            return piece
        first = not self._head
        if len(self._head) < HEAD_LIMIT:
            self._head += piece[: HEAD_LIMIT - len(self._head)]
        window = self._carry + piece
        self.done = self.done or _DONE.search(window) is not None
        self._carry = window[-_CARRY:]
        return piece.removeprefix(_BOM) if first else piece

    @property
    def ending(self) -> bytes:
        """What closes a last event."""
        return b"\n\n" if self._plain else b""


async def install(response: httpx2.Response) -> None:
    """Put a wiretap on a successful response (a response hook of the client)."""
    import httpx2

    if response.status_code >= 300:
        return
    tap = Wiretap(plain=response.headers.get("content-encoding", "identity") == "identity")
    source = cast("httpx2.AsyncByteStream", response.stream)

    class Watched(httpx2.AsyncByteStream):
        """The stream of the response, watched; defined here because the SDK's transport is imported when first used."""

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in source:
                yield tap.watch(piece)
            yield tap.ending

        async def aclose(self) -> None:
            await source.aclose()

    response.stream = Watched()
    response.extensions[_EXTENSION] = tap


def wiretap_of(response: httpx2.Response) -> Wiretap:
    """The wiretap of a response."""
    tap = response.extensions.get(_EXTENSION)
    return tap if isinstance(tap, Wiretap) else Wiretap(plain=False)
