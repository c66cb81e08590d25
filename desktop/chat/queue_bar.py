"""What waits to be sent while a turn runs: one line each, the first to go on top; each can be taken out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.widgets import Elided, icon_button, label


class QueueBar(QFrame):
    """The lines above the editor; out of sight while nothing waits.

    Args:
        ui: shared parts.
    """

    removed = Signal(int)  # position

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self.setObjectName("queueBar")
        self._ui = ui
        self._rows: list[QWidget] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 4)
        self._layout.setSpacing(0)
        self.hide()

    def show_queue(self, waiting: Sequence[str]) -> None:
        """Show what waits."""
        for row in self._rows:
            self._layout.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [self._row(position, text) for position, text in enumerate(waiting)]
        for row in self._rows:
            self._layout.addWidget(row)
        self.setVisible(bool(waiting))

    def _row(self, position: int, text: str) -> QWidget:
        texts = self._ui.texts
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(label(texts("desktop.queued", number=position + 1), "small", tone="accent"))
        row.addWidget(Elided(text, "small", tone="2"), 1)
        row.addWidget(icon_button("x", texts("desktop.unqueue"), self._ui.theme, partial(self._remove, position)))
        return holder

    def _remove(self, position: int, _checked: bool = False) -> None:
        self.removed.emit(position)
