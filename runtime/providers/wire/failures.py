"""The exceptions of the SDKs and of the transport below them, as problems."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final, Protocol, cast

from runtime.core.json import JsonValue
from runtime.providers.wire.problems import Break, BreakKind, Problem, refusal_from_body, refusal_from_json

if TYPE_CHECKING:
    import httpx2

_DNS: Final = ("getaddrinfo", "name or service", "nodename nor servname", "name resolution", "no address associated")
_TLS: Final = ("certificate", "ssl", "tls")


class SdkErrors(Protocol):
    """The exception tree that the SDKs of OpenAI and Anthropic share."""

    @property
    def APIError(self) -> type[Exception]:  # noqa: N802 - the SDK's name
        """The root of what a server says."""
        ...

    @property
    def APIStatusError(self) -> type[Exception]:  # noqa: N802
        """A status of 400 and above, or an error inside a stream."""
        ...

    @property
    def APIConnectionError(self) -> type[Exception]:  # noqa: N802
        """No connection."""
        ...

    @property
    def APITimeoutError(self) -> type[Exception]:  # noqa: N802
        """Silence."""
        ...


def failures(*roots: type[Exception]) -> tuple[type[Exception], ...]:
    """What an SDK raises: its own roots, and what leaks from below it, its transport and decoding."""
    import httpx2

    # ValueError covers JSON and encoding errors, TypeError a body in an unexpected shape (both measured to leak);
    # an SDK that reads ahead of the server's end meets sockets itself (OSError, TimeoutError).
    return (*roots, httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError, TypeError)


def sdk_problem(sdk: SdkErrors, failure: Exception, *, started: bool = False) -> Problem:
    """The problem behind an exception of OpenAI's or Anthropic's SDK.

    Args:
        sdk: the SDK's module.
        failure: what it raised.
        started: whether the stream had begun.
    """
    if isinstance(failure, sdk.APIStatusError):
        response = cast("httpx2.Response", vars(failure)["response"])
        if response.status_code < 400:  # an error event inside a stream
            return _said_in_stream(failure, started=started)
        return refusal_from_body(response.status_code, response.text, retry_after(response))
    if isinstance(failure, sdk.APITimeoutError):
        connecting = any(type(cause).__name__ in ("ConnectTimeout", "PoolTimeout") for cause in _causes(failure))
        return Break(kind="connect_timeout" if connecting else "read_timeout")
    if isinstance(failure, sdk.APIConnectionError):
        return _connection(failure)
    if isinstance(failure, sdk.APIError):
        return _said_in_stream(failure, started=started)
    return transport_problem(failure, started=started)


def _said_in_stream(failure: Exception, *, started: bool) -> Problem:
    fields = vars(failure)
    said = cast("JsonValue", fields.get("body")) or str(fields.get("message", failure))
    return refusal_from_json(0, said, started=started)


def transport_problem(failure: Exception, *, started: bool) -> Problem:
    """What leaks from below an SDK, as a problem."""
    import httpx2

    match failure:
        case httpx2.ConnectTimeout() | httpx2.PoolTimeout():
            return Break(kind="connect_timeout")
        case httpx2.TimeoutException() | TimeoutError():
            return Break(kind="read_timeout")
        case httpx2.TransportError() | OSError():
            return _connection(failure)
        case httpx2.InvalidURL():
            return Break(kind="not_a_model", detail="URL")
        case UnicodeEncodeError():
            return Break(kind="bad_key")
        case json.JSONDecodeError():
            return Break(kind="incomplete" if started else "not_a_model", detail=f"JSON: {failure.msg}")
        case _:
            return Break(kind="incomplete" if started else "not_a_model", detail=type(failure).__name__)


def retry_after(response: httpx2.Response) -> float | None:
    """How long the headers ask to wait, in seconds; both forms of `retry-after` are in use."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = response.headers.get(name, "").strip()
        try:
            seconds = float(value) * unit
        except ValueError:
            seconds = _until(value)
        if 0 < seconds < float("inf"):
            return seconds
    return None


def _until(value: str) -> float:
    """Seconds until an HTTP date; 0 when it is none."""
    try:
        return (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError):
        return 0.0


def _causes(failure: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    current: BaseException | None = failure
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or current.__context__
    return chain


def _connection(failure: Exception) -> Problem:
    causes = _causes(failure)
    names = {type(cause).__name__ for cause in causes}
    words = " ".join(str(cause) for cause in causes).lower()
    if "LocalProtocolError" in names:  # a header that cannot be sent; its text quotes the key
        return Break(kind="bad_key")
    if "UnsupportedProtocol" in names:
        return Break(kind="not_a_model", detail="URL")
    kind: BreakKind = "cut"
    if "ProxyError" in names:
        kind = "proxy"
    elif any(word in words for word in _DNS):
        kind = "dns"
    elif "ConnectError" in names:
        kind = "tls" if any(word in words for word in _TLS) else "refused"
    return Break(kind=kind, detail=_last_words(causes))


def _last_words(causes: list[BaseException]) -> str:
    """The innermost message, which says most."""
    return next((str(cause) for cause in reversed(causes) if str(cause).strip()), "")
