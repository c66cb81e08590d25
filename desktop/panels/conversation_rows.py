"""How a row of the conversation list is painted: room on the sides, and a mark at the right while a turn runs in it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.context import Ui
from desktop.icons import pixmap

ID: Final = Qt.ItemDataRole.UserRole
RUNNING: Final = Qt.ItemDataRole.UserRole + 1
MARK: Final = 14
INSET: Final = 10


class ConversationDelegate(QStyledItemDelegate):
    """Paints rows.

    Args:
        ui: shared parts.
        parent: the list.
    """

    def __init__(self, ui: Ui, parent: QWidget) -> None:
        super().__init__(parent)
        self._ui = ui

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Leave room for the mark."""
        super().initStyleOption(option, index)
        if index.data(RUNNING):
            room = option.rect.width() - 3 * INSET - MARK
            option.text = option.fontMetrics.elidedText(str(index.data()), Qt.TextElideMode.ElideRight, room)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """The row, and its mark."""
        super().paint(painter, option, index)
        if index.data(RUNNING):
            rect: QRect = option.rect
            picture = pixmap("loader-circle", self._ui.theme.color("accent"), MARK, 2.0)
            painter.drawPixmap(rect.right() - MARK - INSET, rect.center().y() - MARK // 2 + 1, picture)
