"""`web_fetch`: the text of one public page. It is material, never instructions.

Every hop of a redirect is checked like the first address, and the connection goes to the IP that was checked.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit, urlunsplit

from pydantic import Field

from runtime.clock import Clock
from runtime.core.json import JsonObject
from runtime.errors import ModelFacingError
from runtime.texts import Texts
from runtime.tools.definition import AnyTool, Meta, ToolArgs, ToolContext, ToolDefinition, ToolOutcome
from runtime.tools.local.addresses import Address, checked_address, is_public

if TYPE_CHECKING:
    import httpx2

LARGEST: Final = 1_000_000  # bytes of a page
SHOWN: Final = 8_000  # characters of its text
MOST_REDIRECTS: Final = 5
TIMEOUT_S: Final = 15.0
_TYPES: Final = ("text/", "application/json", "application/xml", "application/xhtml+xml", "application/rss+xml")
_CHARSET: Final = re.compile(rb"<meta[^>]+charset=[\"']?([\w-]+)", re.IGNORECASE)
_HIDDEN: Final = frozenset(("script", "style", "noscript", "template", "svg", "head"))
_BREAKS: Final = frozenset(("p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "section", "article", "table"))


class WebFetchArgs(ToolArgs):
    """Arguments of `web_fetch`."""

    url: str = Field(min_length=8, max_length=2_000, description="完整网址，以 http:// 或 https:// 开头")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebTools:
    """The tool with what it needs.

    Attributes:
        clock: dates what was read.
        texts: for people and the model.
        allowed: which IPs may be asked.
    """

    clock: Clock
    texts: Texts
    allowed: Callable[[Address], bool] = is_public

    def definitions(self) -> tuple[AnyTool, ...]:
        """The definition."""
        return (
            ToolDefinition(
                name="web_fetch",
                args=WebFetchArgs,
                run=self.fetch,
                concurrency_safe=True,
                side_effects=(),
                timeout_s=2 * TIMEOUT_S,
                summary_args=("url",),
                permissions=("web:read",),
                paged=True,
                asset_kinds=(),
            ),
        )

    async def fetch(self, _context: ToolContext, args: WebFetchArgs) -> ToolOutcome:
        """The text of a page.

        Raises:
            ModelFacingError: the address may not be asked, does not answer, or brings no text.
        """
        import httpx2

        url = args.url.strip()
        try:
            async with asyncio.timeout(TIMEOUT_S):
                for _ in range(MOST_REDIRECTS + 1):
                    page = await self._page(url)
                    if page.location is None:
                        return self._outcome(url, page)
                    url = urljoin(url, page.location)
        except (httpx2.HTTPError, TimeoutError, httpx2.InvalidURL) as problem:
            detail = type(problem).__name__
            raise ModelFacingError(
                "tools.url_no_answer", code="no_answer", retriable=True, url=url[:200], detail=detail
            ) from None
        raise ModelFacingError("tools.url_redirects", code="too_many_redirects", url=args.url[:200])

    async def _page(self, url: str) -> _Page:
        """One hop."""
        import httpx2

        host, ip = await checked_address(url, self.allowed)
        parts = urlsplit(url)
        at = f"[{ip}]" if ":" in ip else ip
        pinned = urlunsplit(
            (parts.scheme, at if parts.port is None else f"{at}:{parts.port}", parts.path or "/", parts.query, "")
        )
        headers = {
            "Host": parts.netloc,
            "Accept": "text/html,text/plain,application/json",
            "Accept-Encoding": "identity",
        }
        async with (
            httpx2.AsyncClient(trust_env=False, follow_redirects=False, timeout=TIMEOUT_S) as client,
            client.stream("GET", pinned, headers=headers, extensions={"sni_hostname": host}) as response,
        ):
            if response.is_redirect:
                return _Page(status=response.status_code, location=response.headers.get("location", ""))
            kind = response.headers.get("content-type", "text/plain").lower()
            if not kind.startswith(_TYPES):
                raise ModelFacingError("tools.url_no_text", code="no_text", url=url[:200], kind=kind.partition(";")[0])
            body = await _limited(response)
            return _Page(status=response.status_code, text=_decoded(body, kind), html="html" in kind)

    def _outcome(self, url: str, page: _Page) -> ToolOutcome:
        title, text = _readable(page.text) if page.html else ("", page.text.strip())
        data: JsonObject = {
            "url": url,
            "status": page.status,
            "title": title,
            "content": text[:SHOWN],
            "cut": len(text) > SHOWN,
            "untrusted": self.texts("tools.untrusted"),
        }
        if page.status >= 400:
            raise ModelFacingError("tools.url_status", code="http_error", url=url[:200], status=page.status)
        summary = self.texts(
            "tools.page_read", title=title or urlsplit(url).hostname or url, count=min(len(text), SHOWN)
        )
        meta = Meta(source=url, as_of=self.clock.now().date(), partial=len(text) > SHOWN)
        return ToolOutcome(data=data, summary=summary, meta=meta)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """What one hop brought: a place to go on to, or a text."""

    status: int
    location: str | None = None
    text: str = ""
    html: bool = False


async def _limited(response: httpx2.Response) -> bytes:
    """The body up to its limit."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > LARGEST:
            break
    return bytes(body[:LARGEST])


def _decoded(body: bytes, kind: str) -> str:
    named = kind.partition("charset=")[2].strip("\"' ;")
    found = _CHARSET.search(body[:4096])
    for encoding in (named, found[1].decode("ascii", "replace") if found else "", "utf-8", "gb18030"):
        try:
            if encoding:
                return body.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            continue
    return body.decode("utf-8", "replace")


def _readable(html: str) -> tuple[str, str]:
    """Title and visible text of a page."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.pieces).splitlines())
    return " ".join("".join(reader.title).split()), "\n".join(line for line in lines if line)


class _Reader(HTMLParser):
    """Collects what a person would see."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.title: list[str] = []
        self._hidden = 0
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._in_title = tag == "title"
        if tag in _HIDDEN:
            self._hidden += 1
        elif tag in _BREAKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)
        elif not self._hidden:
            self.pieces.append(data)
