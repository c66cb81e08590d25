"""Stocks to choose from while one is named with `@`. The list never takes the focus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from desktop.context import Ui
from runtime.core.symbols import Instrument

WIDTH: Final = 280
ROW: Final = 32
FRAME: Final = 5  # padding and border above and below


class StockSuggestions(QListWidget):
    """A list above the editor.

    Args:
        ui: shared parts.
        editor: what it stands above.
    """

    taken = Signal(str)  # the stock's name

    def __init__(self, ui: Ui, editor: QWidget) -> None:
        super().__init__(editor)
        self._editor = editor
        self.hide()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setObjectName("stockSuggestions")
        self.setAccessibleName(ui.texts("desktop.mention"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemClicked.connect(lambda _item: self.take())

    def offer(self, found: Sequence[Instrument]) -> None:
        """Offer stocks, the first one marked; without any the list goes."""
        self.clear()
        for instrument in found:
            item = QListWidgetItem(f"{instrument.name}   {instrument.symbol}")
            item.setData(Qt.ItemDataRole.UserRole, instrument.name)
            item.setSizeHint(QSize(0, ROW))
            self.addItem(item)
        if not found:
            self.hide()
            return
        self.setCurrentRow(0)
        self.resize(WIDTH, ROW * len(found) + 2 * FRAME)
        window = self._editor.window()
        if self.parentWidget() is not window:
            self.setParent(window)  # above everything in the window, and no window of its own
        self.place()
        self.show()
        self.raise_()

    def place(self) -> None:
        """Stand above the editor, wherever that is now."""
        if self.parentWidget() is self._editor.window():
            self.move(self._editor.mapTo(self._editor.window(), QPoint(0, -self.height() - 12)))

    def step(self, step: int) -> None:
        """Mark the next or previous one, around the ends."""
        self.setCurrentRow((self.currentRow() + step) % self.count())

    def take(self) -> None:
        """Choose the marked one."""
        if self.currentRow() >= 0:
            self.taken.emit(self.currentItem().data(Qt.ItemDataRole.UserRole))
