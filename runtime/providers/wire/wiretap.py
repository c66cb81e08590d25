"""Watches the bytes of a response on their way to the SDK, which hides what decides about the worth of an answer.

It remembers whether `[DONE]` came, keeps the beginning of the body for answers that are no stream at all, takes away what an SDK cannot
read (a byte order mark, comment lines), and closes a last event that the server left without a blank line (the SDK would drop it).
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    import httpx2

HEAD_LIMIT: Final = 262_144  # bytes kept of the body: enough for a whole answer in plain JSON
_EXTENSION: Final = "wiretap"
_DONE: Final = re.compile(rb"(?:^|[\r\n])data: ?\[DONE\]")
_CARRY: Final = 16  # bytes that may hold the beginning of the mark
_BOM: Final = b"\xef\xbb\xbf"


class Wiretap:
    """What was seen of one response.

    Args:
        plain: the body is not compressed, so that it can be read here.
        without_comments: comment lines are taken out.
    """

    def __init__(self, *, plain: bool, without_comments: bool = False) -> None:
        self.done = False
        self._plain = plain
        self._comments = _Comments() if without_comments else None
        self._head = bytearray()
        self._carry = b""
        self._start = b""
        self._begun = False

    @property
    def head(self) -> str:
        """The beginning of the body; empty when the body is compressed."""
        return self._head.decode("utf-8", "replace") if self._plain else ""

    def watch(self, piece: bytes) -> bytes:
        """Note a piece and return it as the SDK may see it."""
        if not self._plain:
            return piece
        if not self._begun:
            piece = self._without_mark(piece)
        if len(self._head) < HEAD_LIMIT:
            self._head += piece[: HEAD_LIMIT - len(self._head)]
        window = self._carry + piece
        self.done = self.done or _DONE.search(window) is not None
        self._carry = window[-_CARRY:]
        return piece if self._comments is None else self._comments.taken_out(piece)

    @property
    def ending(self) -> bytes:
        """What is still held back, and what closes a last event."""
        if not self._plain:
            return b""
        return self._start + b"\n\n"

    def _without_mark(self, piece: bytes) -> bytes:
        """The beginning of the body without its byte order mark, which may come in pieces."""
        start = self._start + piece
        if len(start) < len(_BOM) and _BOM.startswith(start):
            self._start = start
            return b""
        self._start, self._begun = b"", True
        return start.removeprefix(_BOM)


class _Comments:
    """Takes lines that begin with a colon out of a stream, whatever its line ends."""

    def __init__(self) -> None:
        self._at_start = True
        self._inside = False

    def taken_out(self, piece: bytes) -> bytes:
        kept = bytearray()
        for line in re.split(rb"(?<=[\r\n])", piece):
            if not line:
                continue
            if self._at_start:
                self._inside = line.startswith(b":")
            if not self._inside:
                kept += line
            self._at_start = line[-1:] in (b"\n", b"\r")
        return bytes(kept)


def watch_responses(*, without_comments: bool) -> Callable[[httpx2.Response], Awaitable[None]]:
    """A response hook of the HTTP client that puts a wiretap on successful responses."""

    async def install(response: httpx2.Response) -> None:
        import httpx2

        if response.status_code >= 300:
            return
        plain = response.headers.get("content-encoding", "identity") == "identity"
        tap = Wiretap(plain=plain, without_comments=without_comments)
        source = cast("httpx2.AsyncByteStream", response.stream)

        class Watched(httpx2.AsyncByteStream):
            """The stream of the response, watched; defined here because the transport is imported when first used."""

            async def __aiter__(self) -> AsyncIterator[bytes]:
                async for piece in source:
                    if seen := tap.watch(piece):
                        yield seen
                if ending := tap.ending:
                    yield ending

            async def aclose(self) -> None:
                await source.aclose()

        response.stream = Watched()
        response.extensions[_EXTENSION] = tap

    return install


def wiretap_of(response: httpx2.Response) -> Wiretap:
    """The wiretap of a response."""
    tap = response.extensions.get(_EXTENSION)
    return tap if isinstance(tap, Wiretap) else Wiretap(plain=False)
