"""The line under a form of the settings: one act at a time, a spinner while it runs, and in words how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget
from shiboken6 import isValid

from desktop.context import Ui
from desktop.widgets import Spinner, label
from runtime.errors import WyckoffError

Act: TypeAlias = Callable[[], Coroutine[Any, Any, None]]


class Work(QWidget):
    """Runs the acts of one page.

    Args:
        ui: shared parts.
        name: object name of the words.
    """

    busy_changed = Signal(bool)
    spoke = Signal(QWidget)  # the words, which are new

    def __init__(self, ui: Ui, name: str) -> None:
        super().__init__()
        self._ui = ui
        self._task: asyncio.Task[None] | None = None
        self._waiting: QWidget | None = None  # had the focus when the act began; the act may have taken it away
        self.busy = False
        self._said = label("", wrap=True)
        self._said.setObjectName(name)
        self._said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._spinner = Spinner(ui.spinners)
        self._spinner.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._spinner, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._said, 1)

    @property
    def words(self) -> QLabel:
        """What was said last."""
        return self._said

    def start(self, act: Act) -> None:
        """Run an act, unless one runs; its failure is said."""
        if self.busy:
            return
        self._said.setText("")
        self._set_busy(busy=True)
        self._task = asyncio.ensure_future(self._run(act))

    def say(self, text: str, *, warn: bool = False) -> None:
        """Say how it went."""
        self._said.setProperty("t", "warn" if warn else "1")
        self._said.style().unpolish(self._said)
        self._said.style().polish(self._said)
        self._said.setText(text)
        self.spoke.emit(self._said)

    async def aclose(self) -> None:
        """End what runs."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _run(self, act: Act) -> None:
        try:
            await act()
        except WyckoffError as error:
            self.say(self._ui.texts.error(error), warn=True)
        finally:
            self._set_busy(busy=False)

    def _set_busy(self, *, busy: bool) -> None:
        """The keyboard waits here for its disabled button, instead of going on to the next one."""
        held = self._focused()
        self.busy = busy
        self._spinner.setVisible(busy)
        self.busy_changed.emit(busy)
        if held is not None and not held.isEnabled():
            self._waiting = held
            self.setFocus()
        elif held is self and not busy and self._waiting is not None and isValid(self._waiting):
            self._waiting.setFocus()

    def _focused(self) -> QWidget | None:
        """Where keys of this window go; nowhere before the first one was asked for."""
        return self.window().focusWidget()
