"""The conversations: new, search by title, rename, delete with undo. It folds to a strip of icons where the window is narrow."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
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
    QWidget,
)

from desktop.context import Ui
from desktop.icons import icon, pixmap
from desktop.panels.conversation_rows import ID, RUNNING, ConversationDelegate
from desktop.theme import font
from desktop.widgets import button, icon_button, label, spaced_icon

if TYPE_CHECKING:
    from runtime.storage.conversations import (
        Conversation,  # brings SQLAlchemy along, which the first paint does not need
    )

ROW_HEIGHT: Final = 30
HEADING_HEIGHT: Final = 30
WIDTH: Final = (200, 320)
FOLDED: Final = 48


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
    fold_asked = Signal()

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self.setProperty("role", "sidebar")
        self._ui = ui
        self._mark = QLabel()
        self._mark.setObjectName("brandMark")
        self._mark.setFixedSize(24, 24)
        self._mark.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._product = label(ui.texts("desktop.product"), "title")
        self._fold = icon_button("panel-left", ui.texts("desktop.fold_sidebar"), ui.theme, self.fold_asked.emit)
        self._fold.setObjectName("foldButton")
        self._new = self._row_button("desktop.new_conversation", "newConversationButton", "Ctrl N")
        self._new.setProperty("kind", "new")
        self._new.clicked.connect(self.new_asked)
        self._search = self._make_search()
        self._list = self._make_list()
        self._empty = label("", "small", tone="3", wrap=True)
        self._empty.setContentsMargins(10, 10, 10, 0)
        self._settings = self._row_button("desktop.settings", "settingsButton")
        self._settings.clicked.connect(self.settings_asked)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 10, 8, 8)
        layout.setSpacing(4)
        layout.addWidget(self._brand())
        layout.addSpacing(2)
        for widget in (self._new, self._search, self._empty):
            layout.addWidget(widget)
        layout.addWidget(self._list, 1)
        self._filler = QWidget()
        layout.addWidget(self._filler, 1)
        layout.addWidget(self._settings)
        self.set_folded(folded=False)
        self._retint()
        ui.themes.changed.connect(lambda _theme: self._retint())

    @property
    def folded(self) -> bool:
        """Whether only the strip of icons is shown."""
        return self.maximumWidth() == FOLDED

    def set_folded(self, *, folded: bool) -> None:
        """Show the strip, or the whole."""
        self.setMinimumWidth(FOLDED if folded else WIDTH[0])
        self.setMaximumWidth(FOLDED if folded else WIDTH[1])
        self._brand_row.setContentsMargins(2 if folded else 8, 0, 2, 4)
        for widget in (self._mark, self._product, self._search, self._list):
            widget.setVisible(not folded)
        self._filler.setVisible(folded)
        self._empty.setVisible(not folded and bool(self._empty.text()))
        for key, row in (("desktop.new_conversation", self._new), ("desktop.settings", self._settings)):
            row.setText("" if folded else self._ui.texts(key))
            row.setToolTip(self._ui.texts(key) if folded else "")
            row.setProperty("folded", "true" if folded else "false")
            row.style().unpolish(row)
            row.style().polish(row)
            for hint in row.findChildren(QLabel):
                hint.setVisible(not folded)

    def show_conversations(
        self, conversations: Sequence[Conversation], current: str, today: date, running: AbstractSet[str] = frozenset()
    ) -> None:
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
            item.setData(RUNNING, conversation.id in running)
            item.setSizeHint(QSize(0, ROW_HEIGHT))
            item.setToolTip(conversation.title)
            self._list.addItem(item)
            if conversation.id == current:
                self._list.setCurrentItem(item)
        self._list.blockSignals(False)
        nothing = "desktop.no_match" if self._search.text().strip() else "desktop.no_conversations"
        self._empty.setText("" if conversations else self._ui.texts(nothing))
        self._empty.setVisible(not conversations and not self.folded)

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
        item.setSizeHint(QSize(0, HEADING_HEIGHT))
        return item

    def _make_list(self) -> QListWidget:
        found = QListWidget()
        found.setObjectName("conversationList")
        found.setAccessibleName(self._ui.texts("desktop.conversations"))
        found.setItemDelegate(ConversationDelegate(self._ui, found))
        found.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        found.setTextElideMode(Qt.TextElideMode.ElideRight)
        found.currentItemChanged.connect(self._chosen)
        found.customContextMenuRequested.connect(self._menu)
        for keys, act in (("F2", self._rename_current), ("Del", self._delete_current)):
            shortcut = QShortcut(QKeySequence(keys), found)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(act)
        return found

    def _make_search(self) -> QLineEdit:
        text = self._ui.texts("desktop.search_conversations")
        search = QLineEdit()
        search.setObjectName("conversationSearch")
        search.setProperty("kind", "search")
        search.setPlaceholderText(text)
        search.setAccessibleName(text)
        search.setClearButtonEnabled(True)
        self._looking_glass = QLabel(search)
        self._looking_glass.setFixedSize(16, 16)
        self._looking_glass.move(11, 8)
        search.textChanged.connect(self.searched)
        return search

    def _marked(self) -> QListWidgetItem | None:
        """The marked conversation."""
        found = self._list.selectedItems()
        return found[0] if found else None

    def _rename_current(self) -> None:
        item = self._marked()
        if item is not None:
            self._ask_title(item.data(ID), item.text())

    def _delete_current(self) -> None:
        item = self._marked()
        if item is not None:
            self.deleted.emit(item.data(ID))

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
        row.setContentsMargins(8, 0, 2, 4)
        row.setSpacing(8)
        row.addWidget(self._mark)
        row.addWidget(self._product)
        row.addStretch(1)
        row.addWidget(self._fold)
        self._brand_row = row
        return holder

    def _row_button(self, key: str, name: str, keys: str = "") -> QPushButton:
        result = button(self._ui.texts(key), "row", name=name)
        result.setIconSize(QSize(22, 16))
        result.setAccessibleName(self._ui.texts(key))
        if keys:
            hint = label(keys, "small", tone="3")
            hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            row = QHBoxLayout(result)
            row.setContentsMargins(0, 0, 10, 0)
            row.addStretch(1)
            row.addWidget(hint)
        return result

    def _retint(self) -> None:
        theme = self._ui.theme
        self._mark.setPixmap(pixmap("chart-candlestick", theme.color("accent.on"), 16, 2.0))
        self._new.setIcon(spaced_icon("square-pen", theme.color("text.1")))
        self._settings.setIcon(spaced_icon("settings", theme.color("text.2")))
        self._fold.setIcon(icon("panel-left", theme.color("text.2")))
        self._looking_glass.setPixmap(pixmap("search", theme.color("text.3"), 16, 2.0))
        self._list.viewport().update()
