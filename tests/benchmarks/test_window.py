"""Measurements of the window; printed, not asserted (`pytest -m benchmark -s`). Targets: design, "Behaviour"."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_API", "pyside6")
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")

import pytest
from PySide6.QtWidgets import QApplication
from sqlalchemy import insert

from desktop.desk import Desk
from desktop.loop import loop_factory, settle
from runtime.core.codec import to_json
from runtime.core.messages import AssistantMessage, Message, TextPart, UserMessage
from runtime.paths import Home
from runtime.providers.base import Chunk, FinishChunk, ModelRequest, TextChunk
from runtime.storage.schema import conversation, message
from tests.support.desks import NOW, open_desk
from tests.support.scripted import ScriptedProvider
from tests.support.windows import open_window, until

pytestmark = pytest.mark.benchmark
RUNS = 3
MESSAGES = 2000
CHARACTERS = 8000
CHUNKS_PER_S = 200
BEAT_S = 0.004
LONG = "c-long"
FIRST_PAINT = """
import sys, time, asyncio
begun = time.perf_counter()
from pathlib import Path
from PySide6.QtCore import QEvent, QObject
from desktop import app as window_app, loop
from runtime.paths import Home
app = window_app.application()
async def main():
    window = window_app._paint(app, Home(root=Path(sys.argv[1])))[2]
    window.show()
    window.repaint()
    app.processEvents()
    print(time.perf_counter() - begun)
    window.allow_close()
    window.close()
    return 0
loop.run(app, main())
"""
PARAGRAPH = (
    "长江新能自 7 月中旬进入吸筹区间 **11.92–14.20**，10-29 的 Spring 与 11-12 的 Test 都缩量，供给在减少；"
    "但还没有放量上破的 SOS，目前处在 C 段末。\n\n"
    "| 事件 | 日期 | 最低 |\n|---|---|--:|\n| SC | 07-14 | 11.92 |\n| Spring | 10-29 | 11.66 |\n\n"
    "- 放量站上 13.40\n- 回踩不破 12.64\n\n```python\nrisk = equity * 0.01\n```\n\n"
)


class Streaming(ScriptedProvider):
    """Says 8,000 characters at 200 chunks a second."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        text = (PARAGRAPH * (CHARACTERS // len(PARAGRAPH) + 1))[:CHARACTERS]
        step = 4
        started = time.perf_counter()
        for number, position in enumerate(range(0, len(text), step), start=1):
            yield TextChunk(text=text[position : position + step])
            await asyncio.sleep(max(0.0, started + number / CHUNKS_PER_S - time.perf_counter()))
        yield FinishChunk(reason="stop")


@pytest.fixture
def runner(qapp: QApplication) -> Iterator[asyncio.Runner]:
    qapp.setQuitOnLastWindowClosed(False)
    with asyncio.Runner(loop_factory=loop_factory(qapp)) as made:
        yield made


async def fill(home: Home) -> None:
    """A conversation of 2,000 messages."""
    async with open_desk(home) as workspace:
        rows = []
        for number in range(MESSAGES):
            said: Message = (
                UserMessage(text=f"第 {number} 问：现在走到哪一步了？")
                if number % 2 == 0
                else AssistantMessage(parts=(TextPart(text=PARAGRAPH),), model="m")
            )
            rows.append(
                {
                    "id": f"m{number}",
                    "conversation_id": LONG,
                    "parent_id": f"m{number - 1}" if number else None,
                    "turn_id": f"t{number // 2}",
                    "role": said.role,
                    "status": "complete",
                    "body": to_json(said),
                    "created_at": NOW,
                }
            )
        with workspace.stores.database.engine.begin() as connection:
            connection.execute(
                insert(conversation).values(
                    id=LONG, title="长对话", created_at=NOW, updated_at=NOW, head_id=rows[-1]["id"]
                )
            )
            connection.execute(insert(message), rows)


@asynccontextmanager
async def heartbeat() -> AsyncIterator[list[float]]:
    """How late each 4 ms beat of the loop came, in ms."""
    late: list[float] = []

    async def beat() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(BEAT_S)
            late.append((time.perf_counter() - before - BEAT_S) * 1000)

    task = asyncio.create_task(beat())
    try:
        yield late
    finally:
        task.cancel()
        await asyncio.wait({task})


def percentiles(late: list[float]) -> str:
    ordered = sorted(late)
    points = {name: ordered[min(len(ordered) - 1, int(len(ordered) * share))] for name, share in _SHARES}
    shown = " ".join(f"{name} {value:.1f}" for name, value in points.items())
    return f"{shown} max {ordered[-1]:.1f} ms of {len(ordered)} beats"


_SHARES = (("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999))


async def open_long(desk: Desk) -> float:
    """Open the long conversation and wait until it stands; returns milliseconds to its first paint."""
    started = time.perf_counter()
    await desk.chat.open(LONG)
    desk.window.transcript.viewport().repaint()
    return (time.perf_counter() - started) * 1000


def test_first_paint_of_an_empty_profile(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    took = []
    for number in range(RUNS):
        done = subprocess.run(
            [sys.executable, "-c", FIRST_PAINT, str(tmp_path / f"home{number}")],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
            env=environment,
        )
        took.append(float(done.stdout.split()[-1]))
    print(f"\nfirst paint: {', '.join(f'{value:.2f} s' for value in took)} after the interpreter (target 1.0 s)")


def test_opening_and_streaming_in_a_long_conversation(runner: asyncio.Runner, tmp_path: Path) -> None:
    async def once(number: int) -> None:
        home = Home(root=tmp_path / f"home{number}")
        await fill(home)
        async with open_window(home, Streaming()) as desk:
            settle()  # as the program does
            async with heartbeat() as late:
                opened = await open_long(desk)
                await asyncio.sleep(0.5)
            print(f"\nopening {MESSAGES:,} messages: {opened:.0f} ms to first paint (target 300); {percentiles(late)}")
            cpu = time.process_time()
            async with heartbeat() as late:
                desk.chat.send("再看一遍")
                await until(lambda: desk.chat.run is None, patience_s=60)
                await asyncio.sleep(0.5)
            print(
                f"streaming {CHARACTERS:,} characters: {percentiles(late)} (target p99.9 50, max 150); "
                f"{time.process_time() - cpu:.1f} CPU-s"
            )

    for number in range(RUNS):
        runner.run(once(number))


def test_idle_window_takes_no_processor_time(runner: asyncio.Runner, tmp_path: Path) -> None:
    async def once(number: int) -> None:
        async with open_window(Home(root=tmp_path / f"home{number}")):
            await asyncio.sleep(1)
            before = time.process_time()
            await asyncio.sleep(3)
            print(f"\nidle: {(time.process_time() - before) / 3 * 100:.2f} % of one core (target about 0)")

    for number in range(RUNS):
        runner.run(once(number))
