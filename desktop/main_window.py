"""The main window: conversations on the left, the transcript and the composer in the middle, charts on the right, status at the bottom.

It puts the panels together and connects them to the models; it decides nothing itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMainWindow, QSplitter, QVBoxLayout, QWidget

from desktop.charts.panel import ChartPanel
from desktop.chat.composer import Composer
from desktop.chat.transcript_view import TranscriptView
from desktop.context import Ui
from desktop.icons import icon
from desktop.onboarding import Onboarding
from desktop.panels.conversation_list import ConversationPanel
from desktop.panels.status_line import StatusLine
from desktop.panels.undo_bar import UndoBar
from desktop.viewmodels.transcript import TranscriptModel
from desktop.widgets import Elided, icon_button

if TYPE_CHECKING:
    from desktop.desk import Desk

WIDE = 1440, 900
NARROW = 1180  # below this the chart panel gives way


class MainWindow(QMainWindow):
    """The one window.

    Args:
        ui: shared parts.
        transcript: the model of the shown conversation.
    """

    close_asked = Signal()
    theme_toggled = Signal()

    def __init__(self, ui: Ui, transcript: TranscriptModel) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setWindowTitle(ui.texts("desktop.product"))
        self.resize(*WIDE)
        self._ui = ui
        self._may_close = False
        self.desk: Desk | None = None
        self.conversations = ConversationPanel(ui)
        self.transcript = TranscriptView(ui, transcript)
        self.onboarding = Onboarding(ui)
        self.composer = Composer(ui)
        self.charts = ChartPanel(ui)
        self.status = StatusLine(ui)
        self._title = Elided("", "title")
        self._chart_button = icon_button("panel-right", ui.texts("desktop.toggle_chart"), ui.theme)
        self._chart_button.setCheckable(True)
        self._chart_button.toggled.connect(self.charts.setVisible)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        for widget in (self.conversations, self._middle(), self.charts):
            self._splitter.addWidget(widget)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(1)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([240, 688, 512])
        self.charts.hide()
        self.charts.closed.connect(lambda: self.show_charts(visible=False))
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._splitter, 1)
        column.addWidget(self.status)
        self.setCentralWidget(centre)
        self.undo_bar = UndoBar(ui, self)
        self._shortcuts()
        ui.themes.changed.connect(lambda _theme: self._retint())

    def set_title(self, title: str) -> None:
        """The title of the shown conversation."""
        self._title.set_whole(title or self._ui.texts("desktop.new_conversation"))

    def show_empty(self, *, empty: bool) -> None:
        """Show the onboarding in place of an empty transcript."""
        self.onboarding.setVisible(empty)
        self.transcript.setVisible(not empty)

    def show_charts(self, *, visible: bool) -> None:
        """Show or hide the chart panel; the composer keeps the focus."""
        if visible and self.width() < NARROW:
            return
        self.charts.setVisible(visible)
        self._chart_button.blockSignals(True)
        self._chart_button.setChecked(visible)
        self._chart_button.blockSignals(False)

    def allow_close(self) -> None:
        """The next close is final."""
        self._may_close = True

    def closeEvent(self, event: QCloseEvent) -> None:
        """Closing is asked for; the application stops its turns first."""
        if self._may_close:
            event.accept()
        else:
            event.ignore()
            self.close_asked.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep what floats in its place."""
        super().resizeEvent(event)
        self.undo_bar.place()
        if self.width() < NARROW and self.charts.isVisible():
            self.show_charts(visible=False)

    def remembered(self) -> tuple[str, str]:
        """Geometry and column widths as text."""
        geometry, columns = self.saveGeometry(), self._splitter.saveState()
        return bytes(geometry.toBase64().data()).decode(), bytes(columns.toBase64().data()).decode()

    def restore(self, geometry: str, columns: str) -> None:
        """Take up remembered geometry; a place off the screens is left by Qt itself."""
        if geometry:
            self.restoreGeometry(QByteArray.fromBase64(geometry.encode()))
        if columns:
            self._splitter.restoreState(QByteArray.fromBase64(columns.encode()))

    def _middle(self) -> QWidget:
        middle = QFrame()
        middle.setProperty("role", "canvas")
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header())
        column.addWidget(self.onboarding, 1)
        column.addWidget(self.transcript, 1)
        holder = QHBoxLayout()
        holder.setContentsMargins(24, 4, 24, 14)
        holder.addWidget(self.composer)
        column.addLayout(holder)
        return middle

    def _header(self) -> QFrame:
        header = QFrame()
        header.setProperty("role", "header")
        header.setFixedHeight(48)
        row = QHBoxLayout(header)
        row.setContentsMargins(24, 0, 16, 0)
        row.addWidget(self._title, 1)
        row.addWidget(self._chart_button)
        return header

    def _shortcuts(self) -> None:
        for keys, act in (
            ("Ctrl+N", self.conversations.new_asked.emit),
            ("Ctrl+L", self.composer.focus),
            ("Ctrl+Shift+D", self.theme_toggled.emit),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(act)

    def _retint(self) -> None:
        self._chart_button.setIcon(icon("panel-right", self._ui.theme.color("text.2")))
