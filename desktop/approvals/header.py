"""The head of an approval: what kind of write it is, its place among those that wait, stop and close."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.icons import pixmap
from desktop.widgets import Elided, button, icon_button, icon_label, label
from runtime.core.approvals import ApprovalRequest


class Header(QWidget):
    """Title, tool, position.

    Args:
        ui: shared parts.
        request: what is asked.
    """

    stop_asked = Signal()
    close_asked = Signal()

    def __init__(self, ui: Ui, request: ApprovalRequest) -> None:
        super().__init__()
        self._ui = ui
        texts = ui.texts
        count = len(request.preview.positions) if request.preview is not None else 0
        title = texts("approvals.title", name=request.display_name, count=count) if count else request.display_name
        self._asked = texts("approvals.only_here", tool=request.tool)
        self._line = Elided(self._asked, "small", tone="3")
        self._position = label("", "small", tone="2")
        self._position.setObjectName("approvalPosition")
        stop = button(texts("desktop.stop_turn"), "ghost", small=True, name="approvalStop")
        stop.clicked.connect(self.stop_asked)
        close = icon_button("x", texts("desktop.close"), ui.theme)
        close.setObjectName("approvalClose")
        close.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        close.clicked.connect(self.close_asked)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(label(title, "title"))
        words.addWidget(self._line)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(_IconSquare(ui, "wallet"))
        row.addLayout(words, 1)
        for widget in (self._position, stop, close):
            row.addWidget(widget)

    def show_position(self, number: int, count: int) -> None:
        """Its place in the queue; nothing is said while it is alone."""
        self._position.setText(self._ui.texts("approvals.position", number=number, count=count))
        self._position.setVisible(count > 1)

    def show_editing(self, *, editing: bool) -> None:
        """Say that what was asked will not be run while it is being changed."""
        self._line.set_whole(self._ui.texts("approvals.editing") if editing else self._asked)


def warning_line(ui: Ui, text: str) -> tuple[QWidget, QLabel]:
    """A line with the amber icon, and the label that holds its words."""
    holder = QFrame()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(6)
    words = wrapped(text, tone="warn")
    row.addWidget(icon_label("triangle-alert", ui.theme, "warn", 14), 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(words, 1)
    return holder, words


def wrapped(text: str, *, tone: str = "1") -> QLabel:
    """A small label whose height follows from its width."""
    result = label(text, "small", tone=tone, wrap=True)
    policy = result.sizePolicy()
    policy.setHeightForWidth(True)
    result.setSizePolicy(policy)
    return result


class _IconSquare(QWidget):
    """An icon on a tinted square."""

    def __init__(self, ui: Ui, name: str) -> None:
        super().__init__()
        self._ui = ui
        self._name = name
        self.setFixedSize(32, 32)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the square and the icon in the colours of the moment."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._ui.theme.color("accent.tint"))
        painter.drawRoundedRect(QRectF(0, 0, 32, 32), 6, 6)
        painter.drawPixmap(7, 7, pixmap(self._name, self._ui.theme.color("accent"), 18, 2.0))
