"""The main window: conversations on the left, the transcript and the composer in the middle, charts on the right, status at the bottom.

It puts the panels together and gives each its room; it decides nothing itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QByteArray, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QMainWindow, QSplitter, QVBoxLayout, QWidget

from desktop.charts.panel import ChartPanel
from desktop.chat.composer import Composer
from desktop.chat.transcript_view import TranscriptView
from desktop.context import Ui
from desktop.icons import icon
from desktop.keyboard_focus import KeyboardFocus
from desktop.onboarding import Onboarding
from desktop.panels.conversation_list import ConversationPanel
from desktop.panels.status_line import StatusLine
from desktop.panels.tasks_panel import TasksPanel
from desktop.panels.undo_bar import UndoBar
from desktop.viewmodels.transcript import TranscriptModel
from desktop.widgets import Elided, icon_button

if TYPE_CHECKING:
    from desktop.desk import Desk

WIDE: Final = (1440, 900)
SMALLEST: Final = (560, 480)
COLUMNS: Final = (240, 688, 512)
NARROW: Final = (
    1180  # below this the chart takes the place of the chat when it is asked for, and stands aside otherwise
)
FOLD: Final = 900  # below this the sidebar is a strip of icons
MEASURE: Final = 720  # the composer is as wide as the text above it


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
        self.setMinimumSize(*SMALLEST)
        self._ui = ui
        self._may_close = False
        self._chart_wanted = False  # beside the chat, where there is room
        self._chart_over = False  # in its place, where there is not
        self._fold_choice: bool | None = None
        self.desk: Desk | None = None
        self.conversations = ConversationPanel(ui)
        self.transcript = TranscriptView(ui, transcript)
        self.onboarding = Onboarding(ui)
        self.composer = Composer(ui)
        self.onboarding.prompt_chosen.connect(self.composer.send)
        self.charts = ChartPanel(ui)
        self.status = StatusLine(ui)
        self._title = Elided("", "title")
        self._chart_button = icon_button("panel-right", ui.texts("desktop.toggle_chart"), ui.theme)
        self._chart_button.setObjectName("chartButton")
        self._chart_button.setCheckable(True)
        self._chart_button.toggled.connect(lambda on: self.show_charts(visible=on, asked=True))
        self._chat = self._chat_page()
        self._middle = QFrame()
        self._middle_column = self._fill_middle()
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._put_together()
        self.undo_bar = UndoBar(ui, self, self.composer)
        self.tasks = TasksPanel(ui, self, self.status)
        self.status.tasks_asked.connect(self.tasks.toggle)
        self.resize(_first_size())
        self._shortcuts()
        self._keyboard = KeyboardFocus(self)
        app = QApplication.instance()
        if app is not None:
            app.installEventFilter(self._keyboard)
        ui.themes.changed.connect(lambda _theme: self._retint())
        self.charts.closed.connect(lambda: self.show_charts(visible=False, asked=True))
        self.conversations.fold_asked.connect(self._toggle_fold)

    def set_title(self, title: str) -> None:
        """The title of the shown conversation."""
        self._title.set_whole(title or self._ui.texts("desktop.new_conversation"))

    def show_empty(self, *, empty: bool) -> None:
        """Show the onboarding in place of an empty transcript."""
        self.onboarding.setVisible(empty)
        self.transcript.setVisible(not empty)

    def show_charts(self, *, visible: bool, asked: bool = False) -> None:
        """Show or hide the chart panel; the composer keeps the focus.

        Args:
            visible: to be seen, where there is room for it.
            asked: the person wants it; then it also takes the place of the chat in a narrow window.
        """
        if self.width() >= NARROW or not asked:
            self._chart_wanted = visible
        if asked or not visible:
            self._chart_over = visible
        self._arrange()

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
        """Give every part its room, and keep what floats in its place."""
        super().resizeEvent(event)
        before, now = event.oldSize().width(), event.size().width()
        if (before < FOLD) != (now < FOLD):
            self._fold_choice = None
        if now < NARROW <= before:
            self._chart_over = False
        self._arrange()
        self.undo_bar.place()
        self.tasks.place()

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

    def _arrange(self) -> None:
        narrow = self.width() < NARROW
        docked = self._splitter.indexOf(self.charts) >= 0
        if narrow and docked:
            self._middle_column.addWidget(self.charts, 1)
        elif not narrow and not docked:
            self._splitter.addWidget(self.charts)
            self._splitter.setSizes(COLUMNS)
        shown = self._chart_over if narrow else self._chart_wanted
        self.charts.setVisible(shown)
        self._chat.setVisible(not (narrow and shown))
        self._chart_button.blockSignals(True)
        self._chart_button.setChecked(shown)
        self._chart_button.blockSignals(False)
        folded = self.width() < FOLD if self._fold_choice is None else self._fold_choice
        if folded != self.conversations.folded:
            self.conversations.set_folded(folded=folded)
            _, *others = self._splitter.sizes()
            self._splitter.setSizes([self.conversations.minimumWidth() if folded else COLUMNS[0], *others])

    def _toggle_fold(self) -> None:
        self._fold_choice = not self.conversations.folded
        self._arrange()

    def _put_together(self) -> None:
        for widget in (self.conversations, self._middle, self.charts):
            self._splitter.addWidget(widget)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(1)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes(COLUMNS)
        self.charts.hide()
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._splitter, 1)
        column.addWidget(self.status)
        self.setCentralWidget(centre)

    def _fill_middle(self) -> QVBoxLayout:
        self._middle.setProperty("role", "canvas")
        column = QVBoxLayout(self._middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header())
        column.addWidget(self._chat, 1)
        return column

    def _chat_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.onboarding, 1)
        column.addWidget(self.transcript, 1)
        holder = QHBoxLayout()
        holder.setContentsMargins(24, 4, 24, 16)
        self.composer.setMaximumWidth(MEASURE)
        holder.addWidget(self.composer)
        column.addLayout(holder)
        return page

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
            ("Ctrl+B", self._toggle_fold),
            ("Ctrl+J", self.tasks.toggle),
            ("Ctrl+Q", self.close),
            ("Ctrl+Shift+D", self.theme_toggled.emit),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(act)

    def _retint(self) -> None:
        self._chart_button.setIcon(icon("panel-right", self._ui.theme.color("text.2")))


def _first_size() -> QSize:
    """As drawn, where the screen is large enough; the offscreen platform's screen is nobody's."""
    if QGuiApplication.platformName() == "offscreen":
        return QSize(*WIDE)
    return QSize(*WIDE).boundedTo(QGuiApplication.primaryScreen().availableSize())
