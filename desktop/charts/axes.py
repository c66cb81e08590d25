"""Axes of a chart: dates below, prices with their tags and volumes at the right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from desktop.charts.series import Series
from desktop.theme import Theme, font
from runtime.market.bars import day
from runtime.numbers import format_amount

WIDTH: Final = 54
TAG_HEIGHT: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTag:
    """A price that is marked on the axis."""

    price: float
    fill: QColor
    text: QColor


class DateAxis(pg.AxisItem):  # type: ignore[misc]
    """Dates under the bars."""

    def __init__(self, drawn: Series, theme: Theme, *, labels: bool) -> None:
        super().__init__(orientation="bottom")
        self._series = drawn
        self.setPen(theme.color("line"))
        self.setTextPen(theme.color("text.3"))
        self.setStyle(tickFont=font("axis"), tickLength=0, showValues=labels)
        self.setHeight(22 if labels else 1)

    def tickStrings(self, values: Iterable[float], _scale: float, _spacing: float) -> list[str]:
        """The day of each bar that has a tick."""
        texts = []
        for value in values:
            index = int(value)
            known = value == index and 0 <= index < len(self._series)
            texts.append(f"{day(self._series.dates[index]):%y-%m-%d}" if known else "")
        return texts


class RightAxis(pg.AxisItem):  # type: ignore[misc]
    """Figures at the right, and tags over them."""

    def __init__(self, theme: Theme, *, amounts: bool = False) -> None:
        super().__init__(orientation="right")
        self._amounts = amounts
        self.tags: list[PriceTag] = []
        self.setWidth(WIDTH)
        self.setPen(theme.color("bg.canvas"))
        self.setTextPen(theme.color("text.3"))
        self.setStyle(tickFont=font("axis"), tickLength=0)

    def tickStrings(self, values: Iterable[float], scale: float, spacing: float) -> list[str]:
        """Volumes in 万 and 亿, prices as usual."""
        if self._amounts:
            return [format_amount(value * scale, 0) for value in values]
        texts: list[str] = super().tickStrings(values, scale, spacing)
        return texts

    def paint(self, painter: QPainter, option: Any, widget: Any) -> None:  # noqa: ANN401 - pyqtgraph has no types
        """Draw the figures, then the tags; a tag outside the visible prices is left out."""
        super().paint(painter, option, widget)
        view = self.linkedView()
        if view is None or not self.tags:
            return
        low, high = view.viewRange()[1]
        painter.setFont(font("axis"))
        for tag in self.tags:
            if low <= tag.price <= high:
                y = self.mapFromScene(view.mapViewToScene(QPointF(0, tag.price))).y()
                box = QRectF(0, y - TAG_HEIGHT / 2, self.boundingRect().width(), TAG_HEIGHT)
                painter.fillRect(box, tag.fill)
                painter.setPen(tag.text)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{tag.price:.2f}")
