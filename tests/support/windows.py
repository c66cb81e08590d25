"""A whole window on a temporary home, and ways to wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from desktop.app import create_window
from desktop.desk import Desk
from runtime.clock import FixedClock
from runtime.paths import Home
from runtime.providers.base import LLMProvider
from tests.support.desks import NOW

PATIENCE_S = 20.0  # a condition that never comes fails the test after this


@asynccontextmanager
async def open_window(home: Home, provider: LLMProvider | None = None) -> AsyncIterator[Desk]:
    """A shown window, closed at the end."""
    window = create_window(home.root, clock=FixedClock(NOW), provider=provider)
    desk = window.desk
    assert desk is not None
    assert desk.lifetime is not None
    window.show()
    await until(lambda: desk.started)
    try:
        yield desk
    finally:
        desk.closed.set()
        await desk.lifetime
        window.deleteLater()


async def until(condition: Callable[[], object]) -> None:
    """Let the loop run until the condition holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.005)  # noqa: ASYNC110 - conditions of widgets have no event


def click(widget: QWidget, at: QPoint | None = None) -> None:
    """A real click in the middle of a widget."""
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at or widget.rect().center())


def press(widget: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """A real key."""
    QTest.keyClick(widget, key, modifier)


def write(widget: QWidget, text: str) -> None:
    """Type a text the way Chinese is typed: an input method composes it, then commits it."""
    compose(widget, text)
    event = QInputMethodEvent()
    event.setCommitString(text)
    QApplication.sendEvent(widget, event)


def compose(widget: QWidget, text: str) -> None:
    """An input method composes a text and has not committed it."""
    QApplication.sendEvent(widget, QInputMethodEvent(text, []))
