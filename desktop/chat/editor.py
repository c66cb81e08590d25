"""The text field of the composer: what keys mean, and that none means anything while an input method composes."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit

from desktop.theme import font

ENTER: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
# Keys that act on a composition; when one gets here while composing, the input method let it through: it must do nothing.
OF_COMPOSITION: Final = (*ENTER, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Tab, Qt.Key.Key_Escape)


class Editor(QPlainTextEdit):
    """Plain text, with the keys of a composer.

    Attributes:
        is_composing: an input method has not committed yet.
        suggesting: a list of suggestions is open.
        recalling: what is shown was sent before, and is not changed yet.
    """

    submitted = Signal()
    moved = Signal(int)  # through suggestions or history: -1 up, 1 down
    chosen = Signal()  # the marked suggestion
    dismissed = Signal()
    escaped = Signal()
    focused = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.is_composing = False
        self.suggesting = False
        self.recalling = False
        self.setProperty("plain", "true")
        self.setFont(font("body"))
        self.setTabChangesFocus(True)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Follow the composition."""
        self.is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys with a meaning; everything else is typing. While composing nothing has one."""
        key = event.key()
        if self.is_composing:
            if key not in OF_COMPOSITION:
                super().keyPressEvent(event)
            return
        if self.suggesting and key in (*ENTER, Qt.Key.Key_Tab):
            self.chosen.emit()
        elif self.suggesting and key == Qt.Key.Key_Escape:
            self.dismissed.emit()
        elif key == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif key in ENTER and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.submitted.emit()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and (self.suggesting or self.recalling or not self.toPlainText()):
            self.moved.emit(-1 if key == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab stays here while it means something."""
        return not (self.suggesting or self.is_composing) and super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring."""
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the ring; a composition that is given up is over."""
        super().focusOutEvent(event)
        self.is_composing = False
        self.focused.emit(False)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Only text comes in, without pictures or styles."""
        if source.hasText():
            self.insertPlainText(source.text())
