"""Where the person writes. Enter sends, Shift+Enter breaks the line; an input method that is composing never sends.

`@` offers stocks by code, name or pinyin; ↑ in an empty composer brings back what was sent before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPlainTextEdit,
    QToolButton,
    QVBoxLayout,
)

from desktop.context import Ui
from desktop.icons import icon
from desktop.theme import font
from desktop.widgets import button, icon_button, label
from runtime.core.symbols import Instrument

MIN_HEIGHT: Final = 44
MAX_HEIGHT: Final = 220
DRAFT_MS: Final = 500  # after the last key; a crash loses less than a second of typing
SUGGESTIONS: Final = 6
Search = Callable[[str, int], tuple[Instrument, ...]]


class Editor(QPlainTextEdit):
    """The text field: knows when an input method is composing."""

    submitted = Signal()
    moved = Signal(int)  # through suggestions or history: -1 up, 1 down
    chosen = Signal()  # the marked suggestion
    dismissed = Signal()
    focused = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.is_composing = False
        self.suggesting = False
        self.setProperty("plain", "true")
        self.setFont(font("body"))
        self.setTabChangesFocus(True)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Follow the composition."""
        self.is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys with a meaning; everything else is typing. While composing nothing has one."""
        if self.is_composing:
            super().keyPressEvent(event)
            return
        key = event.key()
        enter = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if self.suggesting and (enter or key == Qt.Key.Key_Tab):
            self.chosen.emit()
        elif self.suggesting and key == Qt.Key.Key_Escape:
            self.dismissed.emit()
        elif enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.submitted.emit()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and (self.suggesting or not self.toPlainText()):
            self.moved.emit(-1 if key == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring."""
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the ring; a composition that is given up is over."""
        super().focusOutEvent(event)
        self.is_composing = False
        self.focused.emit(False)


class Composer(QFrame):
    """The editor with its tools.

    Args:
        ui: shared parts.
        search: finds stocks for `@`; until it is set nothing is offered.
    """

    sent = Signal(str)
    stopped = Signal()
    draft_changed = Signal(str)
    model_chosen = Signal(str)

    def __init__(self, ui: Ui, search: Search | None = None) -> None:
        super().__init__()
        self.setObjectName("composerBox")
        self.setProperty("role", "composer")
        self._ui = ui
        self._search = search
        self._history: list[str] = []
        self._position = 0
        self._busy = False
        self._editor = self._make_editor()
        self._suggestions = self._make_suggestions()
        self._draft = QTimer(self)
        self._draft.setSingleShot(True)
        self._draft.setInterval(DRAFT_MS)
        self._draft.timeout.connect(lambda: self.draft_changed.emit(self._editor.toPlainText()))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.setSpacing(4)
        layout.addWidget(self._editor)
        layout.addLayout(self._tools())
        self.set_busy(busy=False)
        ui.themes.changed.connect(lambda _theme: self._retint())

    def set_search(self, search: Search) -> None:
        """From now on stocks can be named with `@`."""
        self._search = search

    def text(self) -> str:
        """What is typed."""
        return self._editor.toPlainText()

    def set_text(self, text: str) -> None:
        """Show a text, for example a draft."""
        self._editor.setPlainText(text)
        self._editor.moveCursor(QTextCursor.MoveOperation.End)
        self._draft.stop()

    def focus(self) -> None:
        """Type here."""
        self._editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_busy(self, *, busy: bool) -> None:
        """A turn runs in this conversation, or not."""
        self._busy = busy
        self._stop.setVisible(busy)
        self._hint.setText(self._ui.texts("desktop.enter_queues" if busy else "desktop.enter_sends"))

    def set_queue(self, waiting: list[str]) -> None:
        """Show how many messages wait."""
        self._waiting.setText(self._ui.texts("desktop.queued", count=len(waiting)) if waiting else "")

    def set_models(self, models: list[tuple[str, str]], current: str) -> None:
        """Offer models as (id, label); the current one is shown."""
        menu = QMenu(self)
        for model_id, name in models:
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(model_id == current)
            action.triggered.connect(lambda _=False, chosen=model_id: self.model_chosen.emit(chosen))
        self._models.setMenu(menu)
        self._models.setText(next((name for model_id, name in models if model_id == current), current))

    def _make_editor(self) -> Editor:
        editor = Editor()
        editor.setObjectName("composer")
        editor.setAccessibleName(self._ui.texts("desktop.composer"))
        editor.setPlaceholderText(self._ui.texts("desktop.composer_hint"))
        editor.setFixedHeight(MIN_HEIGHT)
        editor.textChanged.connect(self._changed)
        editor.submitted.connect(self._submit)
        editor.moved.connect(self._moved)
        editor.chosen.connect(self._take_suggestion)
        editor.dismissed.connect(lambda: self._suggest([]))
        editor.focused.connect(self._mark_focus)
        return editor

    def _make_suggestions(self) -> QListWidget:
        found = QListWidget(self._editor)
        found.setWindowFlags(Qt.WindowType.ToolTip)
        found.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        found.setObjectName("stockSuggestions")
        found.itemClicked.connect(lambda _item: self._take_suggestion())
        return found

    def _tools(self) -> QHBoxLayout:
        texts, theme = self._ui.texts, self._ui.theme
        self._at = icon_button("at-sign", texts("desktop.mention"), theme, self._begin_mention)
        self._models = QToolButton()
        self._models.setObjectName("modelPicker")
        self._models.setProperty("text", "true")
        self._models.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._models.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._models.setIconSize(QSize(14, 14))
        self._models.setAccessibleName(texts("desktop.model_picker"))
        self._waiting = label("", "small", tone="accent")
        self._hint = label("", "small", tone="3")
        self._stop = button(texts("desktop.stop"), small=True, name="stopButton")
        self._stop.clicked.connect(self.stopped)
        self._send = button("", "primary", name="sendButton")
        self._send.setFixedSize(32, 28)
        self._send.setAccessibleName(texts("desktop.send"))
        self._send.clicked.connect(self._submit)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self._at)
        row.addWidget(self._models)
        row.addStretch(1)
        for widget in (self._waiting, self._hint, self._stop, self._send):
            row.addWidget(widget)
        self._retint()
        return row

    def _retint(self) -> None:
        theme = self._ui.theme
        self._at.setIcon(icon("at-sign", theme.color("text.2")))
        self._models.setIcon(icon("cpu", theme.color("text.2"), 14))
        self._stop.setIcon(icon("square", theme.color("text.1"), 12))
        self._send.setIcon(icon("arrow-up", theme.color("accent.on")))

    def _mark_focus(self, on: bool) -> None:
        self.setProperty("focused", "true" if on else "false")
        self.style().unpolish(self)
        self.style().polish(self)
        if not on:
            self._suggest([])

    def _submit(self) -> None:
        text = self.text().strip()
        if not text:
            return
        self._history.append(text)
        self._position = len(self._history)
        self._editor.clear()
        self._draft.stop()
        self.draft_changed.emit("")
        self.sent.emit(text)

    def _changed(self) -> None:
        lines = self._editor.document().size().height()
        height = int(lines * self._editor.fontMetrics().lineSpacing()) + 14
        self._editor.setFixedHeight(max(MIN_HEIGHT, min(MAX_HEIGHT, height)))
        self._draft.start()
        mention = self._mention()
        search = self._search
        self._suggest([] if search is None or not mention else list(search(mention, SUGGESTIONS)))

    def _moved(self, step: int) -> None:
        if self._editor.suggesting:
            count = self._suggestions.count()
            self._suggestions.setCurrentRow((self._suggestions.currentRow() + step) % count)
        elif self._history:
            self._position = max(0, min(len(self._history), self._position + step))
            self.set_text(self._history[self._position] if self._position < len(self._history) else "")

    def _begin_mention(self) -> None:
        self._editor.insertPlainText("@")
        self.focus()

    def _mention(self) -> str:
        """What stands between the last `@` and the cursor; empty when nothing is being named."""
        cursor = self._editor.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        _, mark, word = before.rpartition("@")
        return word if mark and word and " " not in word else ""

    def _suggest(self, found: list[Instrument]) -> None:
        self._suggestions.clear()
        for instrument in found:
            item = QListWidgetItem(f"{instrument.name}  {instrument.symbol}")
            item.setData(Qt.ItemDataRole.UserRole, instrument.name)
            self._suggestions.addItem(item)
        self._editor.suggesting = bool(found)
        self._suggestions.setVisible(bool(found))
        if not found:
            return
        self._suggestions.setCurrentRow(0)
        row = self._suggestions.sizeHintForRow(0) or 24
        self._suggestions.resize(280, row * len(found) + 8)
        corner = self._editor.mapToGlobal(QPoint(0, 0))
        self._suggestions.move(corner.x(), corner.y() - self._suggestions.height() - 8)

    def _take_suggestion(self) -> None:
        if self._suggestions.currentRow() < 0:
            return
        item = self._suggestions.currentItem()
        word = self._mention()
        cursor = self._editor.textCursor()
        for _ in range(len(word) + 1):
            cursor.deletePreviousChar()
        cursor.insertText(f"{item.data(Qt.ItemDataRole.UserRole)} ")
        self._suggest([])
