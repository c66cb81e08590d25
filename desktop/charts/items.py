"""Chart items: candles and volume drawn as arrays of what is visible, an opaque grid, and labels that keep their size.

At most one bar for two pixels is drawn; buckets are aligned to absolute indices, so that nothing shimmers while panning.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyqtgraph as pg
from pyqtgraph.Qt import internals
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from desktop.charts.series import Series
from desktop.theme import Theme, font

BODY: Final = 0.36  # half width of a candle's body, in bars
LABEL_HEIGHT: Final = 16
LABEL_STEP: Final = 20
LEADER: Final = 10


class _BarItem(pg.GraphicsObject):  # type: ignore[misc]
    """What candles and volume share: which bars are visible, and their buckets."""

    def __init__(self, series: Series) -> None:
        super().__init__()
        self._series = series
        self._key: tuple[int, int, int] | None = None

    def _visible(self) -> tuple[int, int, int]:
        """First and last visible bar, and the width in pixels."""
        box = self.viewRect()
        first = max(0, int(box.left()) - 1)
        last = min(len(self._series), int(box.right()) + 2)
        return first, max(first, last), int(self.getViewBox().width())

    def _buckets(self, first: int, last: int, width: int) -> tuple[int, int, int]:
        """First index, number of buckets, bars in a bucket."""
        size = max(1, int((last - first) / max(1, width / 2)))
        start = first - first % size
        return start, -(-(last - start) // size), size


class Candles(_BarItem):
    """Candles: up hollow, down solid, wicks of one pixel."""

    def __init__(self, series: Series, theme: Theme) -> None:
        super().__init__(series)
        low, high = float(series.low.min()), float(series.high.max())
        self._bounds = QRectF(-0.5, low, len(series), max(high - low, 1e-9))
        self._lines = [internals.PrimitiveArray(QLineF, 4) for _ in range(2)]
        self._bodies = [internals.PrimitiveArray(QRectF, 4) for _ in range(2)]
        self._pens = [pg.mkPen(theme.market.up), pg.mkPen(theme.market.down)]
        self._brushes = [pg.mkBrush(theme.color("bg.canvas")), pg.mkBrush(theme.market.down)]

    def boundingRect(self) -> QRectF:
        """All bars."""
        return self._bounds

    def paint(self, painter: QPainter, *_rest: object) -> None:
        """Draw what is visible, in two batches."""
        key = self._visible()
        if key[1] <= key[0]:
            return
        if key != self._key:
            self._fill(*key)
            self._key = key
        for kind in range(2):
            painter.setPen(self._pens[kind])
            painter.drawLines(*self._lines[kind].drawargs())
            painter.setBrush(self._brushes[kind])
            painter.drawRects(*self._bodies[kind].drawargs())

    def _fill(self, first: int, last: int, width: int) -> None:
        start, count, size = self._buckets(first, last, width)
        edges = start + np.arange(count) * size
        stops = np.minimum(edges + size, len(self._series)) - 1
        opens, closes = self._series.open[edges], self._series.close[stops]
        highs = np.maximum.reduceat(self._series.high[start : stops[-1] + 1], edges - start)
        lows = np.minimum.reduceat(self._series.low[start : stops[-1] + 1], edges - start)
        middles = edges + (size - 1) / 2
        up = closes >= opens
        for kind, mask in enumerate((up, ~up)):
            number = int(mask.sum())
            self._lines[kind].resize(number)
            self._bodies[kind].resize(number)
            if not number:
                continue
            lines, bodies = self._lines[kind].ndarray(), self._bodies[kind].ndarray()
            lines[:, 0] = lines[:, 2] = middles[mask]
            lines[:, 1], lines[:, 3] = lows[mask], highs[mask]
            bodies[:, 0] = middles[mask] - BODY * size
            bodies[:, 1] = np.minimum(opens[mask], closes[mask])
            bodies[:, 2] = 2 * BODY * size
            bodies[:, 3] = np.abs(closes[mask] - opens[mask])


class Volume(_BarItem):
    """Volume under the candles, in their colours."""

    def __init__(self, series: Series, theme: Theme) -> None:
        super().__init__(series)
        self._bounds = QRectF(-0.5, 0, len(series), max(float(series.volume.max()), 1.0))
        self._bars = [internals.PrimitiveArray(QRectF, 4) for _ in range(2)]
        self._brushes = [pg.mkBrush(theme.color("bg.canvas")), pg.mkBrush(theme.market.down)]
        self._pens = [pg.mkPen(theme.market.up), pg.mkPen(theme.market.down)]

    def boundingRect(self) -> QRectF:
        """All bars."""
        return self._bounds

    def paint(self, painter: QPainter, *_rest: object) -> None:
        """Draw what is visible, in two batches."""
        key = self._visible()
        if key[1] <= key[0]:
            return
        if key != self._key:
            self._fill(*key)
            self._key = key
        for kind in range(2):
            painter.setPen(self._pens[kind])
            painter.setBrush(self._brushes[kind])
            painter.drawRects(*self._bars[kind].drawargs())

    def _fill(self, first: int, last: int, width: int) -> None:
        start, count, size = self._buckets(first, last, width)
        edges = start + np.arange(count) * size
        stops = np.minimum(edges + size, len(self._series)) - 1
        volumes = np.maximum.reduceat(self._series.volume[start : stops[-1] + 1], edges - start)
        up = self._series.close[stops] >= self._series.open[edges]
        middles = edges + (size - 1) / 2
        for kind, mask in enumerate((up, ~up)):
            number = int(mask.sum())
            self._bars[kind].resize(number)
            if number:
                bars = self._bars[kind].ndarray()
                bars[:, 0] = middles[mask] - BODY * size
                bars[:, 1] = 0
                bars[:, 2] = 2 * BODY * size
                bars[:, 3] = volumes[mask]


class Grid(pg.GraphicsObject):  # type: ignore[misc]
    """Opaque horizontal lines at the ticks of an axis; pyqtgraph's own grid costs 40 ms a frame."""

    def __init__(self, axis: Any, theme: Theme) -> None:  # noqa: ANN401 - pyqtgraph has no types
        super().__init__()
        self._axis = axis
        self._pen = pg.mkPen(theme.color("chart.grid"))
        self.setZValue(-20)

    def boundingRect(self) -> QRectF:
        """What is visible."""
        box: QRectF = self.viewRect()
        return box

    def viewRangeChanged(self, *_rest: object) -> None:
        """The visible part is another."""
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_rest: object) -> None:
        """Draw the lines."""
        box = self.viewRect()
        low, high = sorted((box.top(), box.bottom()))
        painter.setPen(self._pen)
        for value in self._axis.tickValues(low, high, self.getViewBox().height())[0][1]:
            painter.drawLine(QPointF(box.left(), value), QPointF(box.right(), value))


class Mark(pg.GraphicsObject):  # type: ignore[misc]
    """A label of fixed size at a bar: above a high or below a low, with a leader line; overlapping ones step away."""

    def __init__(self, text: str, *, below: bool, step: int, theme: Theme, taken_back: bool) -> None:
        super().__init__()
        self._text = text
        self._below = below
        self._font = font("axis")
        self._colors = _MarkColors(theme, taken_back=taken_back)
        width = QFontMetricsF(self._font).horizontalAdvance(text) + 10
        offset = LEADER + step * LABEL_STEP
        top = offset if below else -offset - LABEL_HEIGHT
        self._box = QRectF(-width / 2, top, width, LABEL_HEIGHT)
        self.setFlag(self.GraphicsItemFlag.ItemIgnoresTransformations)
        self.setZValue(20)
        self.chosen = False

    def boundingRect(self) -> QRectF:
        """The label and its leader, in pixels."""
        return self._box.united(QRectF(-1, -1, 2, 2)).adjusted(-2, -2, 2, 2)

    def set_chosen(self, *, chosen: bool) -> None:
        """Mark it as the one that is explained."""
        self.chosen = chosen
        self.update()

    def paint(self, painter: QPainter, *_rest: object) -> None:
        """Draw leader, box and text."""
        colors = self._colors
        edge = self._box.top() if self._below else self._box.bottom()
        painter.setPen(QPen(colors.line, 1))
        painter.drawLine(QPointF(0, 3 if self._below else -3), QPointF(0, edge))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(colors.chosen if self.chosen else colors.fill)
        painter.drawRoundedRect(self._box, 3, 3)
        painter.setFont(self._font)
        painter.setPen(colors.chosen_text if self.chosen else colors.text)
        painter.drawText(self._box, Qt.AlignmentFlag.AlignCenter, self._text)


class _MarkColors:
    """Colours of a mark; one that was taken back is pale."""

    def __init__(self, theme: Theme, *, taken_back: bool) -> None:
        self.line: QColor = theme.color("line.strong")
        self.fill: QColor = theme.color("bg.canvas")
        self.text: QColor = theme.color("text.off" if taken_back else "text.1")
        self.chosen: QColor = theme.color("accent.fill")
        self.chosen_text: QColor = theme.color("accent.on")
