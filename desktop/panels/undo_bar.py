"""A bar that offers to take something back, until its time is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from desktop.context import Ui
from desktop.widgets import button, icon_button, label

SHOWN_MS: Final = 8000


class UndoBar(QFrame):
    """Centred above another widget.

    Args:
        ui: shared parts.
        parent: what it floats over.
        below: the widget that it stands on.
    """

    def __init__(self, ui: Ui, parent: QWidget, below: QWidget) -> None:
        super().__init__(parent)
        self._below = below
        self.setObjectName("undoBar")
        self.setProperty("role", "undo")
        self.setFixedHeight(40)
        self._undo: Callable[[], object] | None = None
        self._text = label("")
        self._button = button(ui.texts("desktop.undo"), "outline", small=True)
        self._button.clicked.connect(self._take_back)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 8, 0)
        row.addWidget(self._text)
        row.addWidget(self._button)
        row.addWidget(icon_button("x", ui.texts("desktop.close"), ui.theme, self.hide))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        self.hide()

    def offer(self, text: str, undo: Callable[[], object]) -> None:
        """Say what was done, and how to take it back."""
        self._undo = undo
        self._text.setText(text)
        self.adjustSize()
        self.place()
        self.show()
        self.raise_()
        self._timer.start()

    def place(self) -> None:
        """Centre it, 12 px above what it stands on."""
        parent = self.parentWidget()
        if parent is not None:
            corner = self._below.mapTo(parent, QPoint(0, 0))
            self.move(corner.x() + (self._below.width() - self.width()) // 2, corner.y() - self.height() - 12)

    def _take_back(self) -> None:
        self.hide()
        if self._undo is not None:
            self._undo()
