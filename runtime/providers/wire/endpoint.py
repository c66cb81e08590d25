"""One model behind one address."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit


def is_loopback(base_url: str) -> bool:
    """Whether the address is on this machine: no key is needed and no proxy is used."""
    host = urlsplit(base_url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One model behind one address."""

    base_url: str
    model: str

    @property
    def host(self) -> str:
        """Host and port, as shown to the person."""
        parts = urlsplit(self.base_url)
        return parts.netloc.rpartition("@")[2] or self.base_url

    @property
    def is_loopback(self) -> bool:
        """Whether the server runs on this machine."""
        return is_loopback(self.base_url)

    @property
    def plain_address(self) -> str:
        """The address without user, password or query."""
        scheme, _, rest = self.base_url.partition("://")
        path = rest.partition("/")[2].partition("?")[0]
        return f"{scheme}://{self.host}/{path}".rstrip("/")

    def on(self, *hosts: str) -> bool:
        """Whether the server belongs to one of these domains."""
        host = urlsplit(self.base_url).hostname or ""
        return any(host == name or host.endswith(f".{name}") for name in hosts)
