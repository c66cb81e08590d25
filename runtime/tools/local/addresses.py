"""Which addresses of the web may be asked: public ones, under their own name, over http or https."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from runtime.errors import ModelFacingError

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_PORTS: Final = {"http": 80, "https": 443}
_LONGEST: Final = 2_000  # characters
_FAKE_IPS: Final = ipaddress.ip_network("198.18.0.0/15")  # handed out for names by local proxies


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public web."""
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_global and not (mapped or address).is_multicast


async def checked_address(url: str, allowed: Callable[[Address], bool] = is_public) -> tuple[str, str]:
    """The host of an address and an IP that it may be asked under, resolved once so that it cannot change in between.

    Args:
        url: absolute address.
        allowed: which IPs may be asked.

    Raises:
        ModelFacingError: no http address, another port, a user in it, or a host that is not public.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _refused("tools.url_bad", "bad_url", url) from None
    usable = parts.scheme in _PORTS and host and len(url) <= _LONGEST and not (parts.username or parts.password)
    if not usable:
        raise _refused("tools.url_bad", "bad_url", url)
    if allowed is is_public and port not in (None, 80, 443):
        raise _refused("tools.url_port", "url_port", url)
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            host, port or _PORTS[parts.scheme], type=socket.SOCK_STREAM
        )
    except (OSError, UnicodeError):
        raise _refused("tools.url_unknown_host", "unknown_host", url) from None
    literal = _literal(host)
    addresses = [ipaddress.ip_address(item[4][0]) for item in found]
    if not addresses or not all(allowed(ip) or (literal is None and ip in _FAKE_IPS) for ip in addresses):
        raise _refused("tools.url_private", "private_address", url)
    return host, str(addresses[0])


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _refused(key: str, code: str, url: str) -> ModelFacingError:
    return ModelFacingError(key, code=code, url=url[:200])
