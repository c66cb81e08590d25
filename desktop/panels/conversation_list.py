"""The conversations: new, search by title, rename, delete with undo."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QVBoxLayout,
)

from desktop.context import Ui
from desktop.icons import icon, pixmap
from desktop.theme import font
from desktop.widgets import button, label

if TYPE_CHECKING:
    from runtime.storage.conversations import (
        Conversation,  # brings SQLAlchemy along, which the first paint does not need
    )

ID: Final = Qt.ItemDataRole.UserRole
ROW_HEIGHT: Final = 30


class ConversationPanel(QFrame):
    """The left column.

    Args:
        ui: shared parts.
    """

    opened = Signal(str)
    new_asked = Signal()
    searched = Signal(str)
    renamed = Signal(str, str)
    deleted = Signal(str)
    settings_asked = Signal()

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self.setProperty("role", "sidebar")
        self.setMinimumWidth(200)
        self.setMaximumWidth(320)
        self._ui = ui
        self._mark = QLabel()
        self._new = self._row_button("desktop.new_conversation", "newConversationButton")
        self._new.setProperty("kind", "")
        self._new.clicked.connect(self.new_asked)
        self._search = QLineEdit()
        self._search.setObjectName("conversationSearch")
        self._search.setPlaceholderText(ui.texts("desktop.search_conversations"))
        self._search.setAccessibleName(ui.texts("desktop.search_conversations"))
        self._search.setClearButtonEnabled(True)
        self._search.textChanged.connect(self.searched)
        self._list = self._make_list()
        self._settings = self._row_button("desktop.settings", "settingsButton")
        self._settings.clicked.connect(self.settings_asked)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 10, 8, 8)
        layout.setSpacing(6)
        layout.addWidget(self._brand())
        for widget in (self._new, self._search):
            layout.addWidget(widget)
        layout.addWidget(self._list, 1)
        layout.addWidget(self._settings)
        self._retint()
        ui.themes.changed.connect(lambda _theme: self._retint())

    def show_conversations(self, conversations: Sequence[Conversation], current: str, today: date) -> None:
        """Show them grouped by day, the current one marked."""
        self._list.blockSignals(True)
        self._list.clear()
        group = ""
        for conversation in conversations:
            name = self._group(conversation.updated_at.date(), today)
            if name != group:
                group = name
                self._list.addItem(self._heading(name))
            item = QListWidgetItem(conversation.title or self._ui.texts("desktop.untitled"))
            item.setData(ID, conversation.id)
            item.setSizeHint(QSize(0, ROW_HEIGHT))
            item.setToolTip(conversation.title)
            self._list.addItem(item)
            if conversation.id == current:
                self._list.setCurrentItem(item)
        self._list.blockSignals(False)

    def _group(self, day: date, today: date) -> str:
        if day >= today:
            return self._ui.texts("desktop.today")
        if day == today - timedelta(days=1):
            return self._ui.texts("desktop.yesterday")
        return self._ui.texts("desktop.last_week" if day > today - timedelta(days=7) else "desktop.earlier")

    def _heading(self, text: str) -> QListWidgetItem:
        item = QListWidgetItem(text)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setFont(font("small"))
        item.setSizeHint(QSize(0, 26))
        return item

    def _make_list(self) -> QListWidget:
        found = QListWidget()
        found.setObjectName("conversationList")
        found.setAccessibleName(self._ui.texts("desktop.conversations"))
        found.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        found.setTextElideMode(Qt.TextElideMode.ElideRight)
        found.currentItemChanged.connect(self._chosen)
        found.customContextMenuRequested.connect(self._menu)
        return found

    def _chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None and item.data(ID):
            self.opened.emit(item.data(ID))

    def _menu(self, position: QPoint) -> None:
        item = self._list.itemAt(position)
        if item is None or not item.data(ID):
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        conversation = item.data(ID)
        rename = menu.addAction(icon("pencil", self._ui.theme.color("text.2")), self._ui.texts("desktop.rename"))
        rename.triggered.connect(lambda: self._ask_title(conversation, item.text()))
        delete = menu.addAction(icon("trash-2", self._ui.theme.color("text.2")), self._ui.texts("desktop.delete"))
        delete.triggered.connect(lambda: self.deleted.emit(conversation))
        menu.popup(self._list.viewport().mapToGlobal(position))

    def _ask_title(self, conversation: str, title: str) -> None:
        dialog = QInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(self._ui.texts("desktop.rename"))
        dialog.setLabelText(self._ui.texts("desktop.new_title"))
        dialog.setTextValue(title)
        dialog.textValueSelected.connect(lambda text: self._rename(conversation, text))
        dialog.open()

    def _rename(self, conversation: str, title: str) -> None:
        if title.strip():
            self.renamed.emit(conversation, title.strip())

    def _brand(self) -> QFrame:
        holder = QFrame()
        row = QHBoxLayout(holder)
        row.setContentsMargins(6, 0, 0, 4)
        row.addWidget(self._mark)
        row.addWidget(label(self._ui.texts("desktop.product"), "title"))
        row.addStretch(1)
        return holder

    def _row_button(self, key: str, name: str) -> QPushButton:
        result = button(self._ui.texts(key), "row", name=name)
        result.setIconSize(QSize(16, 16))
        return result

    def _retint(self) -> None:
        theme = self._ui.theme
        self._mark.setPixmap(pixmap("chart-candlestick", theme.color("accent"), 20, 2.0))
        self._new.setIcon(icon("square-pen", theme.color("text.1")))
        self._settings.setIcon(icon("settings", theme.color("text.2")))
