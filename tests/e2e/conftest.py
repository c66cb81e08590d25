"""One screen for all tests, one home for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.screen import virtual_screen
from tests.support.terminal import Terminal


@pytest.fixture(scope="session")
def screen() -> Iterator[str]:
    """A display that nobody else uses."""
    with virtual_screen() as display:
        yield display


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """A terminal on a home that does not exist yet."""
    return Terminal(home=tmp_path / "home", folder=tmp_path)
