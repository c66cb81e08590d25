"""Where the person writes. Enter sends, Shift+Enter breaks the line; an input method that is composing never sends.

`@` offers stocks by code, name or pinyin; ↑ in an empty composer brings back what was sent before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QMoveEvent, QPainter, QPixmap, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QVBoxLayout

from desktop.chat.editor import Editor
from desktop.chat.queue_bar import QueueBar
from desktop.chat.suggestions import StockSuggestions
from desktop.context import Ui
from desktop.icons import icon
from desktop.widgets import button, icon_button, label, spaced_icon
from runtime.core.symbols import Instrument

MIN_HEIGHT: Final = 32
MAX_HEIGHT: Final = 220
LINE: Final = 22
DRAFT_MS: Final = 500  # after the last key; a crash loses less than a second of typing
SUGGESTIONS: Final = 6
Search = Callable[[str, int], tuple[Instrument, ...]]


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
    unqueued = Signal(int)

    def __init__(self, ui: Ui, search: Search | None = None) -> None:
        super().__init__()
        self.setObjectName("composerBox")
        self.setProperty("role", "composer")
        self._ui = ui
        self._search = search
        self._history: list[str] = []
        self._position = 0
        self._accepting = self._wanted = False
        self._editor = self._make_editor()
        self._suggestions = StockSuggestions(ui, self._editor)
        self._suggestions.taken.connect(self._take)
        self._editor.chosen.connect(self._suggestions.take)
        self._queue = QueueBar(ui)
        self._queue.removed.connect(self.unqueued)
        self._draft = QTimer(self)
        self._draft.setSingleShot(True)
        self._draft.setInterval(DRAFT_MS)
        self._draft.timeout.connect(self.keep_draft)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.setSpacing(4)
        layout.addWidget(self._queue)
        layout.addWidget(self._editor)
        layout.addLayout(self._tools())
        self.set_busy(busy=False)
        self._changed()
        self._draft.stop()
        ui.themes.changed.connect(lambda _theme: self._retint())

    def set_search(self, search: Search) -> None:
        """From now on stocks can be named with `@`."""
        self._search = search

    def text(self) -> str:
        """What is typed."""
        return self._editor.toPlainText()

    def set_text(self, text: str) -> None:
        """Show a text, for example a draft that is kept already."""
        self._editor.setPlainText(text)
        self._editor.moveCursor(QTextCursor.MoveOperation.End)
        self._draft.stop()

    def show_draft(self, draft: str) -> None:
        """Show what was typed earlier; it never takes the place of what was typed while the program started."""
        if self._accepting or not self.text():
            self.set_text(draft)

    def accept_messages(self) -> None:
        """From now on somebody takes messages; one that was sent while the program started goes out."""
        self._accepting = True
        if self._wanted:
            self._submit()

    def send(self, text: str) -> None:
        """Send a text as if it had been typed."""
        self.set_text(text)
        self._submit()

    def give_back(self, text: str) -> None:
        """Put a text that was not sent before what is typed."""
        typed = self.text()
        self.set_text(f"{text}\n{typed}" if typed.strip() else text)
        self.keep_draft()

    def keep_draft(self) -> None:
        """Hand over what is typed."""
        self._draft.stop()
        self.draft_changed.emit(self.text())

    def keep_pending_draft(self) -> None:
        """Hand over what is typed, if that was not done since the last key."""
        if self._draft.isActive():
            self.keep_draft()

    def set_history(self, said: Sequence[str]) -> None:
        """What the person sent in this conversation, the oldest first; ↑ brings it back."""
        self._history = list(dict.fromkeys(said))
        self._position = len(self._history)

    def focus(self) -> None:
        """Type here."""
        self._editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_busy(self, *, busy: bool) -> None:
        """A turn runs in this conversation, or not."""
        self._stop.setVisible(busy)
        self._hint.setText(self._ui.texts("desktop.enter_queues" if busy else "desktop.enter_sends"))

    def set_queue(self, waiting: list[str]) -> None:
        """Show what waits."""
        self._queue.show_queue(waiting)

    def set_models(self, models: list[tuple[str, str]], current: str) -> None:
        """Offer models as (id, label); the current one is shown."""
        old, menu = self._models.menu(), QMenu(self)
        for model_id, name in models:
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(model_id == current)
            action.triggered.connect(lambda _=False, chosen=model_id: self.model_chosen.emit(chosen))
        self._models.setMenu(menu)
        if old is not None:
            old.deleteLater()
        name = next((name for model_id, name in models if model_id == current), current)
        self._models.setText(name)
        self._models.setToolTip(f"{self._ui.texts('desktop.model_picker')}: {name}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The suggestions go along."""
        super().resizeEvent(event)
        self._suggestions.place()

    def moveEvent(self, event: QMoveEvent) -> None:
        """The suggestions go along."""
        super().moveEvent(event)
        self._suggestions.place()

    def _make_editor(self) -> Editor:
        editor = Editor()
        editor.setObjectName("composer")
        editor.setAccessibleName(self._ui.texts("desktop.composer"))
        editor.setPlaceholderText(self._ui.texts("desktop.composer_hint"))
        editor.document().setDocumentMargin(2)
        editor.textChanged.connect(self._changed)
        editor.submitted.connect(self._submit)
        editor.moved.connect(self._moved)
        editor.dismissed.connect(lambda: self._suggest([]))
        editor.escaped.connect(self._escaped)
        editor.focused.connect(self._mark_focus)
        return editor

    def _tools(self) -> QHBoxLayout:
        texts, theme = self._ui.texts, self._ui.theme
        self._at = icon_button("at-sign", texts("desktop.mention"), theme, self._begin_mention)
        self._models = QToolButton()
        self._models.setObjectName("modelPicker")
        self._models.setProperty("text", "true")
        self._models.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._models.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._models.setIconSize(QSize(18, 14))
        self._models.setAccessibleName(texts("desktop.model_picker"))
        self._hint = label("", "small", tone="3")
        self._stop = button(texts("desktop.stop"), small=True, name="stopButton")
        self._stop.setIconSize(QSize(16, 10))
        self._stop.clicked.connect(self.stopped)
        self._send = button("", "primary", name="sendButton")
        self._send.setProperty("square", "true")
        self._send.setFixedSize(28, 28)
        self._send.setAccessibleName(texts("desktop.send"))
        self._send.setToolTip(texts("desktop.send"))
        self._send.clicked.connect(self._submit)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self._at)
        row.addWidget(self._models)
        row.addStretch(1)
        row.addWidget(self._hint)
        row.addSpacing(6)
        row.addWidget(self._stop)
        row.addSpacing(4)
        row.addWidget(self._send)
        self._retint()
        return row

    def _retint(self) -> None:
        theme = self._ui.theme
        self._at.setIcon(icon("at-sign", theme.color("text.2")))
        self._models.setIcon(spaced_icon("cpu", theme.color("text.2"), 14, gap=4))
        square = QPixmap(32, 20)  # with room before the text
        square.fill(Qt.GlobalColor.transparent)
        painter = QPainter(square)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(theme.color("text.1"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(0, 0, 20, 20, 4, 4)
        painter.end()
        self._stop.setIcon(square)
        self._mark_ready()

    def _mark_ready(self) -> None:
        """There is something to send, or not."""
        ready = bool(self.text().strip())
        self._send.setEnabled(ready)
        self._send.setIcon(icon("arrow-up", self._ui.theme.color("accent.on" if ready else "text.off")))

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
        if not self._accepting:
            self._wanted = True
            return
        self.set_history([*(item for item in self._history if item != text), text])
        self._editor.clear()
        self.keep_draft()
        self.sent.emit(text)

    def _escaped(self) -> None:
        if self._stop.isVisible():
            self.stopped.emit()

    def _changed(self) -> None:
        self._editor.recalling = False
        lines = int(self._editor.document().size().height())
        self._editor.setFixedHeight(max(MIN_HEIGHT, min(MAX_HEIGHT, lines * LINE + 10)))
        self._draft.start()
        self._mark_ready()
        mention = self._mention()
        search = self._search
        self._suggest([] if search is None or not mention else list(search(mention, SUGGESTIONS)))

    def _moved(self, step: int) -> None:
        if self._editor.suggesting:
            self._suggestions.step(step)
        elif self._history:
            self._position = max(0, min(len(self._history), self._position + step))
            inside = self._position < len(self._history)
            self.set_text(self._history[self._position] if inside else "")
            self._editor.recalling = inside

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
        self._editor.suggesting = bool(found)
        self._suggestions.offer(found)

    def _take(self, name: str) -> None:
        """The stock's name takes the place of what was typed after `@`."""
        cursor = self._editor.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(self._mention()) + 1)
        cursor.insertText(f"{name} ")
        self._suggest([])
