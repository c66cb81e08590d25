"""Keys: the operating system's keyring first, the environment for servers, memory for this session as the last resort.

A key is never written to a file, a database or a log. Only keyrings of the operating system are accepted: file back ends keep plain text.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from runtime.redact import Redactor

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

logger = logging.getLogger(__name__)

SERVICE: Final = "wyckoff-desk"
Kept: TypeAlias = Literal["keyring", "session"]
_SYSTEM_BACKENDS: Final = ("SecretService", "kwallet", "libsecret", "Windows", "macOS")

# An environment key goes only to the host of its own vendor.
VENDOR_KEYS: Final = {
    "ANTHROPIC_API_KEY": "api.anthropic.com",
    "OPENAI_API_KEY": "api.openai.com",
    "GEMINI_API_KEY": "generativelanguage.googleapis.com",
    "DEEPSEEK_API_KEY": "api.deepseek.com",
}


class SecretStore:
    """Reads and keeps keys by name.

    Args:
        environment: the process environment.
        redactor: learns every key that is read.
        backend: a keyring back end, for tests; None = the system's.
    """

    def __init__(
        self, environment: Mapping[str, str], redactor: Redactor, backend: KeyringBackend | None = None
    ) -> None:
        self._environment = environment
        self._redactor = redactor
        self._backend = backend
        self._session: dict[str, str] = {}

    async def get(self, name: str) -> str | None:
        """The key kept under a name, from this session or the keyring; None when there is none."""
        value = self._session.get(name) or await asyncio.to_thread(self._read, name)
        if value:
            self._redactor.learn(value)
        return value

    async def set(self, name: str, secret: str) -> Kept:
        """Keep a key; `session` means that no system keyring took it and it is gone when the program ends."""
        self._redactor.learn(secret)
        if await asyncio.to_thread(self._write, name, secret):
            self._session.pop(name, None)
            return "keyring"
        self._session[name] = secret
        return "session"

    async def delete(self, name: str) -> None:
        """Forget a key everywhere; a key that does not exist is no error."""
        self._session.pop(name, None)
        await asyncio.to_thread(self._erase, name)

    def from_environment(self, variable: str) -> str | None:
        """The key of an environment variable."""
        value = self._environment.get(variable, "").strip()
        if value:
            self._redactor.learn(value)
        return value or None

    def vendor_key(self, base_url: str) -> str | None:
        """The environment key of the vendor whose own host the address names, else None."""
        host = urlsplit(base_url).hostname or ""
        for variable, vendor in VENDOR_KEYS.items():
            if host == vendor:
                return self.from_environment(variable)
        return None

    def backend_name(self) -> str | None:
        """The system keyring in use, for `wyckoff doctor`; None when there is none."""
        backend = self._usable()
        return None if backend is None else f"{type(backend).__module__}.{type(backend).__qualname__}"

    def _usable(self) -> KeyringBackend | None:
        if self._backend is not None:
            return self._backend
        import keyring

        backend = keyring.get_keyring()
        candidates = getattr(backend, "backends", None) or [backend]
        for candidate in candidates:
            module = type(candidate).__module__
            if module.startswith("keyring.backends.") and module.rsplit(".", 1)[1] in _SYSTEM_BACKENDS:
                return candidate  # type: ignore[no-any-return]
        return None

    def _read(self, name: str) -> str | None:
        backend = self._usable()
        if backend is None:
            return None
        try:
            return backend.get_password(SERVICE, name)
        except _keyring_errors() as problem:
            logger.warning("the keyring could not be read: %s", type(problem).__name__)
            return None

    def _write(self, name: str, secret: str) -> bool:
        backend = self._usable()
        if backend is None:
            return False
        try:
            backend.set_password(SERVICE, name, secret)
            return backend.get_password(SERVICE, name) == secret
        except _keyring_errors() as problem:
            logger.warning("the keyring did not take the key: %s", type(problem).__name__)
            return False

    def _erase(self, name: str) -> None:
        backend = self._usable()
        if backend is None:
            return
        try:
            backend.delete_password(SERVICE, name)
        except _keyring_errors() as problem:
            logger.debug("nothing to delete in the keyring: %s", type(problem).__name__)


def _keyring_errors() -> tuple[type[Exception], ...]:
    from keyring.errors import KeyringError

    return (KeyringError, RuntimeError, OSError)
