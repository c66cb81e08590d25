"""Homes for the commands: an empty one, and one with cash and a holding."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.terminal import Terminal


@pytest.fixture(scope="session")
def prepared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """200,000 yuan and 1,000 shares of 云溪股份, bought in June: two entries in the ledger."""
    folder = tmp_path_factory.mktemp("prepared")
    terminal = Terminal(home=folder / "home", folder=folder)
    cash = terminal.run("portfolio", "set-cash", "200000", "--yes")
    assert cash.code == 0, cash.err
    holding = terminal.run(
        "portfolio", "add", "云溪股份", "--shares", "1000", "--cost", "7.1", "--date", "2026-06-01", "--yes"
    )
    assert holding.code == 0, holding.err
    return terminal.home


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """A terminal on a home that does not exist yet."""
    return Terminal(home=tmp_path / "home", folder=tmp_path)


@pytest.fixture
def desk(prepared_home: Path, tmp_path: Path) -> Terminal:
    """A terminal on a home with cash and a holding."""
    shutil.copytree(prepared_home, tmp_path / "home")
    return Terminal(home=tmp_path / "home", folder=tmp_path)
