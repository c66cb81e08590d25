"""Axes of a chart: months below with the day under the crosshair, prices with their tags and volumes at the right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from desktop.charts.series import Series
from desktop.theme import Theme, font
from runtime.market.bars import day
from runtime.numbers import format_amount
from runtime.texts import Texts

WIDTH: Final = 54
TAG_HEIGHT: Final = 16
TICK_GAP: Final = 15  # a figure closer to a tag is left out
MONTH_GAP: Final = 56  # pixels that a date needs
MONTH_STEPS: Final = (1, 2, 3, 6, 12, 24, 60, 120)
DAY_WIDTH: Final = 72


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTag:
    """A price that is marked on the axis."""

    price: float
    fill: QColor
    text: QColor


class DateAxis(pg.AxisItem):  # type: ignore[misc]
    """Months under the bars, and the day that the crosshair is on."""

    def __init__(self, drawn: Series, theme: Theme, texts: Texts, *, labels: bool) -> None:
        super().__init__(orientation="bottom")
        self._series = drawn
        self._theme = theme
        self._names = texts("charts.months").split()
        self._labels = labels
        self._pointed: int | None = None
        self._months = drawn.dates.astype("datetime64[M]").astype(np.int64)
        self.setPen(theme.color("line"))
        self.setTextPen(theme.color("text.3"))
        self.setStyle(tickFont=font("axis"), tickLength=0, showValues=labels)
        self.setHeight(22 if labels else 1)

    def point(self, index: int | None) -> None:
        """Mark the day of a bar, or none."""
        if index != self._pointed:
            self._pointed = index
            self.update()

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """The first bar of every month, or of every so many that their names have room."""
        first, last = max(0, int(low)), min(len(self._series), int(high) + 1)
        months = self._months[first:last]
        if not len(months):
            return []
        room = max(1.0, (high - low) / max(size, 1.0) * MONTH_GAP)
        bars_a_month = len(months) / max(1, int(months[-1] - months[0]) + 1)
        step = next((step for step in MONTH_STEPS if step * bars_a_month >= room), MONTH_STEPS[-1])
        groups = months // step
        starts = np.flatnonzero(np.diff(groups, prepend=groups[0])) + first
        return [(1.0, [float(index) for index in starts])]

    def tickStrings(self, values: Iterable[float], _scale: float, _spacing: float) -> list[str]:
        """The month of each bar that has a tick; the first of a year shows the year."""
        return [self._month(int(value)) for value in values]

    def _month(self, index: int) -> str:
        date = day(self._series.dates[index])
        if index and day(self._series.dates[index - 1]).year != date.year:
            return f"{date.year}"
        return self._names[date.month - 1]

    def paint(self, painter: QPainter, option: Any, widget: Any) -> None:  # noqa: ANN401 - pyqtgraph has no types
        """Draw the months, then the pointed day over them."""
        super().paint(painter, option, widget)
        view = self.linkedView()
        if not self._labels or self._pointed is None or view is None:
            return
        x = self.mapFromScene(view.mapViewToScene(QPointF(self._pointed, 0))).x()
        width = self.boundingRect().width()
        box = QRectF(min(max(0.0, x - DAY_WIDTH / 2), width - DAY_WIDTH), 2, DAY_WIDTH, 18)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("text.2"))
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(self._theme.color("bg.canvas"))
        painter.setFont(font("axis"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{day(self._series.dates[self._pointed])}")


class RightAxis(pg.AxisItem):  # type: ignore[misc]
    """Figures at the right, and tags over them; tags of near prices stand under each other."""

    def __init__(self, theme: Theme, *, amounts: bool = False) -> None:
        super().__init__(orientation="right")
        self._amounts = amounts
        self.tags: tuple[PriceTag, ...] = ()
        self.setWidth(WIDTH)
        self.setPen(theme.color("bg.canvas"))
        self.setTextPen(theme.color("text.3"))
        self.setStyle(tickFont=font("axis"), tickLength=0)

    def placed(self) -> list[tuple[PriceTag, float]]:
        """The visible tags with the y of their middle."""
        view = self.linkedView()
        if view is None or not self.tags:
            return []
        low, high = view.viewRange()[1]
        scale = view.height() / max(high - low, 1e-9)
        wanted = [(tag, (high - tag.price) * scale) for tag in self.tags if low <= tag.price <= high]
        return spread(wanted)

    def tickStrings(self, values: Iterable[float], scale: float, spacing: float) -> list[str]:
        """Volumes in 万 and 亿; prices as usual, without those that a tag would cover."""
        values = list(values)
        if self._amounts:
            return [format_amount(value * scale, 0) if value else "" for value in values]
        texts: list[str] = super().tickStrings(values, scale, spacing)
        taken = [y for _, y in self.placed()]
        view = self.linkedView()
        if view is None or not taken:
            return texts
        low, high = view.viewRange()[1]
        a_yuan = view.height() / max(high - low, 1e-9)
        return [
            "" if any(abs((high - value) * a_yuan - y) < TICK_GAP for y in taken) else text
            for value, text in zip(values, texts, strict=True)
        ]

    def paint(self, painter: QPainter, option: Any, widget: Any) -> None:  # noqa: ANN401 - pyqtgraph has no types
        """Draw the figures, then the tags; a tag outside the visible prices is left out."""
        super().paint(painter, option, widget)
        painter.setFont(font("axis"))
        for tag, y in self.placed():
            box = QRectF(0, y - TAG_HEIGHT / 2, self.boundingRect().width(), TAG_HEIGHT)
            painter.fillRect(box, tag.fill)
            painter.setPen(tag.text)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{tag.price:.2f}")


def spread(wanted: Sequence[tuple[PriceTag, float]]) -> list[tuple[PriceTag, float]]:
    """Places without overlap, in the order of the prices: tags that would overlap stand close around their middle."""
    groups: list[list[tuple[PriceTag, float]]] = []
    for item in sorted(wanted, key=lambda one: one[1]):
        groups.append([item])
        while len(groups) > 1 and _top(groups[-1]) < _top(groups[-2]) + TAG_HEIGHT * len(groups[-2]):
            groups[-2:] = [groups[-2] + groups[-1]]
    return [(tag, _top(group) + TAG_HEIGHT * (place + 0.5)) for group in groups for place, (tag, _) in enumerate(group)]


def _top(group: Sequence[tuple[PriceTag, float]]) -> float:
    """The upper edge of tags that stand together."""
    return sum(y for _, y in group) / len(group) - TAG_HEIGHT * len(group) / 2
