"""A real keyring of the operating system: gnome-keyring behind the SecretService of a message bus of its own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

_PROGRAMS: Final = ("dbus-daemon", "gnome-keyring-daemon")
_LIMIT_S: Final = 20.0
_PASSWORD: Final = b"opens the keyring of this test"


@contextmanager
def secret_service(folder: Path) -> Iterator[dict[str, str]]:
    """An unlocked, empty keyring; yields the environment in which programs find it.

    Args:
        folder: where its files are kept.
    """
    missing = [name for name in _PROGRAMS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"no keyring to test against: {', '.join(missing)} not installed")
    runtime = folder / "run"
    runtime.mkdir(mode=0o700, parents=True)
    (folder / ".cache").mkdir()
    variables = {"HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "XDG_RUNTIME_DIR": str(runtime)}
    with subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address"],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as bus:
        assert bus.stdout is not None
        variables["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
        try:
            subprocess.run(
                ["gnome-keyring-daemon", "--unlock", "--components=secrets"],
                env=variables,
                input=_PASSWORD,
                capture_output=True,
                check=True,
                timeout=_LIMIT_S,
            )
            yield variables | {"PYTHON_KEYRING_BACKEND": "keyring.backends.SecretService.Keyring"}
        finally:
            bus.terminate()  # the keyring ends with its bus
