"""A layout that sets its widgets in lines, like words: chips and answers to choose from never push a card wider than its column."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Left to right, then the next line.

    Args:
        parent: the widget that is filled.
        spacing: between widgets and between lines, px.
    """

    def __init__(self, parent: QWidget | None = None, spacing: int = 6) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        """Another widget at the end."""
        self._items.append(item)

    def count(self) -> int:
        """How many there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """The widget at a place; None past the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Take a widget out."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """It takes no more room than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Narrower means taller."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all lines."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        """Set the widgets."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        """One line of the widest widget at least."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Room for the tallest; a wide widget is cut to the width there is."""
        margins = self.contentsMargins()
        tallest = max((item.sizeHint().height() for item in self._items), default=0)
        return QSize(margins.left() + margins.right(), tallest + margins.top() + margins.bottom())

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        margins = self.contentsMargins()
        inside = rect.marginsRemoved(margins)
        x, y, line = inside.x(), inside.y(), 0
        for item in self._items:
            hint = item.sizeHint()
            width = min(hint.width(), inside.width())
            if x > inside.x() and x + width > inside.right() + 1:
                x, y, line = inside.x(), y + line + self.spacing(), 0
            if move:
                item.setGeometry(QRect(x, y, width, hint.height()))
            x, line = x + width + self.spacing(), max(line, hint.height())
        return y + line - rect.y() + margins.bottom()
