"""Chart items: candles and volume drawn as arrays of what is visible, and an opaque grid.

At most one bar for two pixels is drawn; buckets are aligned to absolute indices, so that nothing shimmers while panning.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Final

import numpy as np
import pyqtgraph as pg
from pyqtgraph.functions import arrayToQPolygonF
from pyqtgraph.Qt import internals
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPolygonF

from desktop.charts.series import Series
from desktop.theme import Theme
from runtime.market.bars import Floats

BODY: Final = 0.36  # half width of a candle's body, in bars


class _BarItem(pg.GraphicsObject):  # type: ignore[misc]
    """What all share: which bars are visible, and their buckets."""

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


class _Bodies(_BarItem):
    """What candles and volume share: bodies in two batches, up hollow and down solid."""

    def __init__(self, series: Series, theme: Theme, lowest: float, highest: float) -> None:
        super().__init__(series)
        self._bounds = QRectF(-0.5, lowest, len(series), highest - lowest)
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
            painter.setBrush(self._brushes[kind])
            self._draw(painter, kind)

    def _draw(self, painter: QPainter, kind: int) -> None:
        """Draw the batch of one kind: 0 up, 1 down."""
        painter.drawRects(*self._bodies[kind].drawargs())

    @abstractmethod
    def _fill(self, first: int, last: int, width: int) -> None:
        """Compute the batches of the visible bars."""


class Candles(_Bodies):
    """Candles: up hollow, down solid, wicks of one pixel."""

    def __init__(self, series: Series, theme: Theme) -> None:
        low, high = float(series.low.min()), float(series.high.max())
        super().__init__(series, theme, low, max(high, low + 1e-9))
        self._lines = [internals.PrimitiveArray(QLineF, 4) for _ in range(2)]

    def _draw(self, painter: QPainter, kind: int) -> None:
        painter.drawLines(*self._lines[kind].drawargs())
        super()._draw(painter, kind)

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


class Volume(_Bodies):
    """Volume under the candles, in their colours."""

    def __init__(self, series: Series, theme: Theme) -> None:
        super().__init__(series, theme, 0, max(float(series.volume.max()), 1.0))

    def _fill(self, first: int, last: int, width: int) -> None:
        start, count, size = self._buckets(first, last, width)
        edges = start + np.arange(count) * size
        stops = np.minimum(edges + size, len(self._series)) - 1
        volumes = np.maximum.reduceat(self._series.volume[start : stops[-1] + 1], edges - start)
        up = self._series.close[stops] >= self._series.open[edges]
        middles = edges + (size - 1) / 2
        for kind, mask in enumerate((up, ~up)):
            number = int(mask.sum())
            self._bodies[kind].resize(number)
            if number:
                bars = self._bodies[kind].ndarray()
                bars[:, 0] = middles[mask] - BODY * size
                bars[:, 1] = 0
                bars[:, 2] = 2 * BODY * size
                bars[:, 3] = volumes[mask]


class Average(_BarItem):
    """A line through one value a bar, for example a moving average; NaN before there is one."""

    def __init__(self, series: Series, values: Floats, color: QColor) -> None:
        super().__init__(series)
        self._values = values
        self._start = len(values) - int(np.isfinite(values).sum())  # only the first ones are missing
        known = values[self._start :]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
        self._bounds = QRectF(0, low, len(series), max(high - low, 1e-9))
        self._line = QPolygonF()
        self._pen = pg.mkPen(color, width=1.2)

    def boundingRect(self) -> QRectF:
        """The whole line."""
        return self._bounds

    def paint(self, painter: QPainter, *_rest: object) -> None:
        """Draw what is visible; with many bars to a pixel, one point for each bucket."""
        first, last, width = self._visible()
        first = max(first, self._start)
        if last - first < 2:
            return
        key = first, last, width
        if key != self._key:
            self._fill(*key)
            self._key = key
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._pen)
        painter.drawPolyline(self._line)

    def _fill(self, first: int, last: int, width: int) -> None:
        start, count, size = self._buckets(first, last, width)
        points = np.minimum(start + np.arange(count) * size + size - 1, len(self._series) - 1)
        points = points[points >= self._start]
        self._line = arrayToQPolygonF(points.astype(np.float64), self._values[points])


class Grid(pg.GraphicsObject):  # type: ignore[misc]
    """Opaque lines at the ticks of two axes; pyqtgraph's own grid costs 40 ms a frame."""

    def __init__(self, dates: Any, prices: Any, theme: Theme) -> None:  # noqa: ANN401 - pyqtgraph has no types
        super().__init__()
        self._dates = dates
        self._prices = prices
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
        box, view = self.viewRect(), self.getViewBox()
        low, high = sorted((box.top(), box.bottom()))
        painter.setPen(self._pen)
        for value in _ticks(self._prices, low, high, view.height()):
            painter.drawLine(QPointF(box.left(), value), QPointF(box.right(), value))
        for value in _ticks(self._dates, box.left(), box.right(), view.width()):
            painter.drawLine(QPointF(value, low), QPointF(value, high))


def _ticks(axis: Any, low: float, high: float, size: float) -> list[float]:  # noqa: ANN401 - pyqtgraph has no types
    levels = axis.tickValues(low, high, size)
    return list(levels[0][1]) if levels else []
