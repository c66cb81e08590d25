"""What the person said: a box on the right, as wide as its words and no wider than most of the column."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from desktop.context import Ui
from desktop.theme import font
from desktop.widgets import label

WIDEST: Final = 0.78  # of the measure
PADDING: Final = 12
UNBREAKABLE: Final = re.compile(r"[!-~]{48}")  # longer than a line may be, for example an address


class Bubble(QWidget):
    """One message of the person.

    Args:
        ui: shared parts.
        text: what was said.
        measure: width of the column, px.
    """

    def __init__(self, ui: Ui, text: str, measure: int) -> None:
        super().__init__()
        widest = int(measure * WIDEST)
        bubble = QFrame()
        bubble.setProperty("role", "bubble")
        words = self._broken(ui, text) if UNBREAKABLE.search(text) else self._words(text)
        inside = QHBoxLayout(bubble)
        inside.setContentsMargins(PADDING, 8, PADDING, 8)
        inside.addWidget(words)
        longest = max(words.fontMetrics().horizontalAdvance(line) for line in text.split("\n"))
        wide = min(longest + 2 * PADDING + 4, widest)
        bubble.setMaximumWidth(wide)
        bubble.setMinimumWidth(min(wide, 240))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(bubble, 1000)

    def _words(self, text: str) -> QLabel:
        words = label(text, "body", wrap=True)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return words

    def _broken(self, ui: Ui, text: str) -> QWidget:
        """Text with a word that is wider than the box: it is broken anywhere."""
        from desktop.chat.text_view import TextView

        view = TextView(ui.theme)
        view.setFont(font("body"))
        view.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        view.setPlainText(text)
        return view
