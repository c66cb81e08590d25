"""The recorded streams and their replayer, which live beside the project; tests that need them are skipped where they are absent."""

from __future__ import annotations

import importlib.util
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Protocol, cast

import pytest

from runtime.core.json import JsonObject, loads_object
from tests.support.streams import settled

SHARED = Path(__file__).resolve().parents[3] / "shared"
STREAMS = SHARED / "cases" / "streams"
_TOOL = SHARED / "tools" / "replay_server.py"

needs_recordings = pytest.mark.skipif(
    not (STREAMS.is_dir() and _TOOL.is_file()), reason=f"no recorded streams at {STREAMS}"
)


class RunningReplayer(Protocol):
    """A replayer that listens on loopback."""

    url: str
    requests: list[JsonObject]
    outcomes: list[JsonObject]


class _ReplayerFactory(Protocol):
    def __call__(self, recordings: list[str], **options: object) -> AbstractAsyncContextManager[RunningReplayer]: ...


def recordings(provider_api: str) -> list[str]:
    """Names of the recordings of one API; none where they are absent."""
    if not STREAMS.is_dir():
        return []
    return sorted(path.stem for path in STREAMS.glob("*.json") if recording(path.stem)["provider_api"] == provider_api)


@cache
def recording(name: str) -> JsonObject:
    """One recording."""
    return loads_object((STREAMS / f"{name}.json").read_text("utf-8"))


@asynccontextmanager
async def replay(*names: str, **options: object) -> AsyncIterator[RunningReplayer]:
    """Serve recordings in this order; the last one repeats."""
    factory = cast("_ReplayerFactory", _module().Replayer)
    async with settled(), factory([str(STREAMS / f"{name}.json") for name in names], **options) as server:
        yield server


@cache
def _module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("replay_server", _TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
