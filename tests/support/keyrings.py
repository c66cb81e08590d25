"""Keyrings in memory: one that works, one that is locked."""

from __future__ import annotations

from keyring.backend import KeyringBackend
from keyring.errors import InitError, PasswordDeleteError


class MemoryKeyring(KeyringBackend):
    """Keeps secrets until the test ends."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if (service, username) not in self.kept:
            raise PasswordDeleteError(username)
        del self.kept[service, username]


class LockedKeyring(KeyringBackend):
    """Refuses everything, as a keyring without a desktop does."""

    priority = 1

    def get_password(self, service: str, username: str) -> str | None:
        raise InitError("Failed to create the collection: Prompt dismissed..")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise InitError("Failed to create the collection: Prompt dismissed..")

    def delete_password(self, service: str, username: str) -> None:
        raise InitError("Failed to create the collection: Prompt dismissed..")
