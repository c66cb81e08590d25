"""The focus ring is for the keyboard: a widget that gets the focus by Tab, Backtab or a shortcut carries the property `kbd`."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QWidget

_BY_KEYBOARD: Final = frozenset(
    (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)
)
_KINDS: Final = frozenset((QEvent.Type.FocusIn, QEvent.Type.FocusOut))


class KeyboardFocus(QObject):
    """An event filter of the application."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Mark and unmark; every event goes on."""
        if event.type() in _KINDS and isinstance(event, QFocusEvent) and isinstance(watched, QWidget):
            _mark(watched, on=event.gotFocus() and event.reason() in _BY_KEYBOARD)
        return False


def _mark(widget: QWidget, *, on: bool) -> None:
    wanted = "true" if on else "false"
    if (widget.property("kbd") or "false") == wanted:
        return
    widget.setProperty("kbd", wanted)
    widget.style().unpolish(widget)
    widget.style().polish(widget)
