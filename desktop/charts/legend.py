"""The line above a chart: the averages with their colours, or the bar under the crosshair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from desktop.charts.series import Series
from desktop.context import Ui
from desktop.widgets import Elided, label

AVERAGES: Final = ((5, "ma5"), (20, "ma20"), (60, "ma60"))


class Legend(QStackedWidget):
    """The averages at the last bar; while a bar is pointed at, its figures.

    Args:
        ui: shared parts.
    """

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self._line = Elided("", "small", tone="2")
        self._line.setObjectName("chartPointed")
        self._line.setContentsMargins(16, 0, 12, 0)
        self._averages = QWidget()
        self.addWidget(self._averages)
        self.addWidget(self._line)
        self.setFixedHeight(24)

    def show_averages(self, drawn: Series) -> None:
        """The averages of other bars."""
        old, self._averages = self._averages, QWidget()
        row = QHBoxLayout(self._averages)
        row.setContentsMargins(16, 0, 12, 0)
        row.setSpacing(6)
        for length, token in AVERAGES:
            value = last_average(drawn, length)
            if value is not None:
                row.addWidget(_Dash(self._ui.theme.color(token)))
                row.addWidget(label(f"MA{length} {value:.2f}", "small", tone="2"))
                row.addSpacing(6)
        row.addStretch(1)
        self.insertWidget(0, self._averages)
        self.removeWidget(old)
        old.deleteLater()
        self.setCurrentIndex(0)

    def point(self, text: str) -> None:
        """The figures of the pointed bar; nothing pointed shows the averages."""
        self._line.set_whole(text)
        self.setCurrentIndex(1 if text else 0)


def last_average(drawn: Series, length: int) -> float | None:
    """The newest average; None with too few bars."""
    values: Sequence[float] = drawn.average(length)[-1:].tolist()
    return values[0] if values and math.isfinite(values[0]) else None


class _Dash(QWidget):
    """A short line in the colour of an average."""

    def __init__(self, color: QColor) -> None:
        super().__init__()
        self._color = color
        self.setFixedSize(10, 16)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the line."""
        painter = QPainter(self)
        painter.setPen(QPen(self._color, 2))
        painter.drawLine(QPoint(0, 8), QPoint(10, 8))
