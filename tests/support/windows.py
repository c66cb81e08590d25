"""A whole window on a temporary home, and ways to wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from desktop.app import create_window
from desktop.chat.editor import Editor
from desktop.desk import Desk
from runtime.clock import FixedClock
from runtime.paths import Home
from runtime.providers.base import LLMProvider
from tests.support.desks import NOW

PATIENCE_S = 20.0  # a condition that never comes fails the test after this


@asynccontextmanager
async def open_window(
    home: Home, provider: LLMProvider | None = None, before: Callable[[Desk], None] | None = None
) -> AsyncIterator[Desk]:
    """A shown window, closed at the end; `before` acts on it while the program still starts."""
    window = create_window(home.root, clock=FixedClock(NOW), provider=provider)
    desk = window.desk
    assert desk is not None
    assert desk.lifetime is not None
    window.show()
    if before is not None:
        before(desk)
    await until(lambda: desk.started)
    try:
        yield desk
    finally:
        desk.closed.set()
        await desk.lifetime
        window.deleteLater()


async def until(condition: Callable[[], object], *, patience_s: float = PATIENCE_S) -> None:
    """Let the loop run until the condition holds."""
    async with asyncio.timeout(patience_s):
        while not condition():  # noqa: ASYNC110 - conditions of widgets have no event
            await asyncio.sleep(0.005)


W = TypeVar("W", bound=QWidget)


def child(parent: QWidget, kind: type[W], name: str) -> W:
    """A widget by its object name, which must be there."""
    found = parent.findChild(kind, name)
    assert found is not None, name
    return found


def editor(desk: Desk) -> Editor:
    """Where the person types."""
    return child(desk.window, Editor, "composer")


def say(desk: Desk, text: str) -> None:
    """Type into the composer and press Enter."""
    write(editor(desk), text)
    press(editor(desk), Qt.Key.Key_Return)


async def ended(desk: Desk) -> None:
    """Wait until no turn runs in the shown conversation and the last one knows its place."""
    await until(lambda: desk.chat.run is None and desk.transcript.turns[-1].questions.ids)


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
