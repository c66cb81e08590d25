"""Keys: session and keyring before anything else, a vendor's key only to the vendor, nothing ever in the open."""

from __future__ import annotations

import logging

import pytest

from runtime.redact import MASK, Redactor
from runtime.secrets import VENDOR_KEYS, SecretStore
from tests.support.keyrings import LockedKeyring, MemoryKeyring

KEY = "kk-0123456789abcdef"


def _locked() -> LockedKeyring:
    return LockedKeyring()  # type: ignore[no-untyped-call]


async def test_a_key_is_kept_in_the_keyring_and_found_by_another_store() -> None:
    keyring = MemoryKeyring()
    assert await SecretStore({}, Redactor(), keyring).set("model:a", KEY) == "keyring"
    assert await SecretStore({}, Redactor(), keyring).get("model:a") == KEY
    assert await SecretStore({}, Redactor(), keyring).get("model:b") is None


async def test_a_locked_keyring_keeps_the_key_for_the_session_only(caplog: pytest.LogCaptureFixture) -> None:
    store = SecretStore({}, Redactor(), _locked())
    assert await store.set("model:a", KEY) == "session"
    assert await store.get("model:a") == KEY
    assert await SecretStore({}, Redactor(), _locked()).get("model:a") is None
    assert KEY not in caplog.text


async def test_the_keyring_takes_over_from_the_session_once_it_opens() -> None:
    store = SecretStore({}, Redactor(), _locked())
    await store.set("a", "first-secret")
    keyring = MemoryKeyring()
    store._backend = keyring
    assert await store.set("a", KEY) == "keyring"
    assert await store.get("a") == KEY
    assert store._session == {}


async def test_a_deleted_key_is_gone_and_deleting_nothing_is_no_error() -> None:
    store = SecretStore({}, Redactor(), MemoryKeyring())
    await store.set("a", KEY)
    await store.delete("a")
    await store.delete("a")
    assert await store.get("a") is None
    locked = SecretStore({}, Redactor(), _locked())
    await locked.set("a", KEY)
    await locked.delete("a")
    assert await locked.get("a") is None


@pytest.mark.parametrize(("variable", "host"), VENDOR_KEYS.items())
def test_an_environment_key_goes_to_its_vendors_own_host(variable: str, host: str) -> None:
    store = SecretStore({variable: KEY}, Redactor(), MemoryKeyring())
    assert store.vendor_key(f"https://{host}/v1") == KEY
    assert store.vendor_key(f"https://{host.upper()}:443/v1") == KEY


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/v1", "https://api.openai.com.evil.example/v1", "https://evil-api.openai.com.example", "https://xapi.openai.com",
        "https://api.openai.com@evil.example/v1", "http://127.0.0.1:11434/v1", "", "api.openai.com/v1", "https://evil.example/api.openai.com",
    ],
)  # fmt: skip
def test_it_goes_to_nobody_else(url: str) -> None:
    store = SecretStore(dict.fromkeys(VENDOR_KEYS, KEY), Redactor(), MemoryKeyring())
    assert store.vendor_key(url) is None


async def test_every_key_that_was_seen_is_known_to_the_redactor() -> None:
    redactor = Redactor()
    store = SecretStore({"X_KEY": "from-environment-1"}, redactor, MemoryKeyring())
    await store.set("a", "from-the-person-1")
    store.from_environment("X_KEY")
    assert redactor.text("from-environment-1 from-the-person-1") == f"{MASK} {MASK}"


async def test_reading_a_key_logs_nothing_of_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    store = SecretStore({}, Redactor(), MemoryKeyring())
    await store.set("a", KEY)
    await store.get("a")
    assert KEY not in caplog.text
