"""What holds for every test: no leaked asyncio task, no real home, no language of the machine."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from runtime.paths import Home


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every async test is checked for tasks that it leaves running; benchmarks run only when asked for."""
    for item in items:
        if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
            item.fixturenames.insert(0, "no_leaked_tasks")


def pytest_configure(config: pytest.Config) -> None:
    """Leave benchmarks out unless a mark expression names them."""
    if not config.option.markexpr:
        config.option.markexpr = "not benchmark"


@pytest_asyncio.fixture
async def no_leaked_tasks() -> AsyncIterator[None]:
    """Fails a test that ends while tasks of its own still run."""
    before = asyncio.all_tasks()
    yield
    left = {task for task in asyncio.all_tasks() - before if not task.done() and task is not asyncio.current_task()}
    names = sorted(task.get_name() for task in left)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    assert not names, f"tasks left running: {names}"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test sees the keys, settings or home of the machine it runs on."""
    for name in list(os.environ):
        if name.startswith("WYCKOFF_") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("WYCKOFF_MODEL_RETRIES", "0")  # a test that wants retries says so
    monkeypatch.setenv("WYCKOFF_HOME", str(tmp_path / "default-home"))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home."""
    return Home(root=tmp_path / "home")
