"""One stock's chart: candles with averages, volume, and what the engine found on them.

Marks, box, phases and levels are the engine's records; nothing is computed here. The x axis counts bars, so there are no gaps for weekends.
"""

from __future__ import annotations

from datetime import date
from typing import Any, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent

from desktop.charts.axes import DateAxis, RightAxis
from desktop.charts.data import StockChart
from desktop.charts.hover import HoverCard, bar_line
from desktop.charts.items import Average, Candles, Grid, Volume
from desktop.charts.marks import Mark, lay_out, overflow
from desktop.charts.overlays import Overlays, dash_pen
from desktop.charts.series import Series, series
from desktop.context import Ui
from desktop.theme import Theme, font
from runtime.market.bars import Period
from runtime.wyckoff.records import Event

SHOWN_BARS: Final = 180  # at the default zoom
FREE_BARS: Final = 12  # right of the last bar
MARK_ROOM: Final = 52  # pixels above and under the prices, for marks and letters
AVERAGES: Final = ((5, "ma5"), (20, "ma20"), (60, "ma60"))
KEY_PAN: Final = 0.1  # of what is visible
KEY_ZOOM: Final = 0.8


class ChartView(pg.GraphicsLayoutWidget):  # type: ignore[misc]
    """The plots of one stock.

    Args:
        ui: shared parts.
        chart: what is drawn; at least one bar.
        period: what a bar is at first.
    """

    pointed = Signal(str)  # what the crosshair is on, in one line

    def __init__(self, ui: Ui, chart: StockChart, period: Period = "day") -> None:
        super().__init__()
        self.setObjectName("chartView")
        self.setAccessibleName(f"{chart.instrument.name} {chart.instrument.symbol}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._ui = ui
        self.chart = chart
        self.period: Period = period
        self.series: Series = series(chart.bars, period)
        self._marks: list[Mark] = []
        self._card = HoverCard(ui, self)
        self._chosen: Event | None = None
        self.ci.layout.setSpacing(0)
        self.ci.setContentsMargins(0, 0, 0, 0)
        self.setAntialiasing(False)
        self._draw()
        self.scene().sigMouseMoved.connect(self.point_at)

    def show_period(self, period: Period) -> None:
        """Days, weeks or months."""
        self.period = period
        self.series = series(self.chart.bars, period)
        self._choose(None)
        self._draw()

    def focus_date(self, wanted: date) -> None:
        """Go to a day and mark what happened on it."""
        index = self.series.index_of(wanted)
        if index is None:
            return
        half = SHOWN_BARS / 3
        self.show_bars(index - half, index + half)
        self._choose(next((mark.record for mark in self._marks if mark.record.date == wanted), None))
        self._point(index)

    def focus_level(self, price: float) -> None:
        """Show the newest bars and draw attention to a price."""
        self._show_newest()
        low, high = self._price.vb.viewRange()[1]
        self._price.setYRange(min(low, price * 0.98), max(high, price * 1.02), padding=0)
        self._cross_y.setPos(price)
        self._cross_y.show()

    def show_bars(self, first: float, last: float) -> None:
        """Show the bars from first to last."""
        self._price.setXRange(first, last, padding=0)

    def shown_bars(self) -> tuple[float, float]:
        """First and last bar that are visible."""
        first, last = self._price.vb.viewRange()[0]
        return float(first), float(last)

    def shown_prices(self) -> tuple[float, float]:
        """Lowest and highest price that are visible."""
        low, high = self._price.vb.viewRange()[1]
        return float(low), float(high)

    def marks(self) -> tuple[Event, ...]:
        """The events that are drawn, in their order."""
        return tuple(mark.record for mark in self._marks)

    @property
    def labels(self) -> tuple[Mark, ...]:
        """What is drawn for the events, in their order."""
        return tuple(self._marks)

    @property
    def overlays(self) -> Overlays:
        """The box, phases and levels that are drawn."""
        return self._overlays

    @property
    def explained(self) -> Event | None:
        """The event that is explained now."""
        return self._chosen

    def place_of(self, mark: Mark) -> QPointF:
        """The middle of a mark's label, in pixels of this widget."""
        corner: QPointF = self._price.vb.mapViewToScene(QPointF(mark.index, mark.price))
        return corner + mark.box().center()

    def _draw(self) -> None:
        """Draw everything anew: another period or another look."""
        theme = self._ui.theme
        self.clear()
        self._marks.clear()
        self.setBackground(theme.color("bg.canvas"))
        self._price = self._plot(0, theme)
        self._volume = self._plot(1, theme)
        self._volume.setXLink(self._price)
        self.ci.layout.setRowStretchFactor(0, 4)
        self.ci.layout.setRowStretchFactor(1, 1)
        self._price.addItem(Candles(self.series, theme))
        self._volume.addItem(Volume(self.series, theme))
        self._averages(theme)
        self._overlays = Overlays(self._price, self.chart, self.series, theme, self._ui.texts)
        self._overlays.draw(len(self.series) + FREE_BARS)
        self._price.getAxis("right").tags = tuple(self._overlays.tags)
        self._events(theme)
        self._crosshair(theme)
        self._price.vb.setLimits(xMin=-5, xMax=len(self.series) + FREE_BARS + 5, minXRange=12)
        self._price.vb.sigXRangeChanged.connect(lambda *_: self._fit())
        self._price.vb.sigResized.connect(lambda *_: self._fit())
        self._show_newest()

    def _plot(self, row: int, theme: Theme) -> Any:  # noqa: ANN401 - pyqtgraph has no types
        bottom = DateAxis(self.series, theme, self._ui.texts, labels=row > 0)
        right = RightAxis(theme, amounts=row > 0)
        plot = self.addPlot(row=row, col=0, axisItems={"bottom": bottom, "right": right})
        plot.hideAxis("left")
        plot.showAxis("right")
        plot.addItem(Grid(bottom, right, theme), ignoreBounds=True)
        plot.setMouseEnabled(x=True, y=False)
        plot.hideButtons()
        plot.setMenuEnabled(False)
        plot.vb.disableAutoRange()
        return plot

    def _averages(self, theme: Theme) -> None:
        for length, token in AVERAGES:
            values = self.series.average(length)
            if np.isfinite(values).any():
                self._price.addItem(Average(self.series, values, theme.color(token)), ignoreBounds=True)

    def _events(self, theme: Theme) -> None:
        """The engine's events; the shape of a week or month holds the days of its events."""
        bars, drawn = self.chart.bars, self.series
        for event in self.chart.reading.events:
            index = int(drawn.of_day[event.index])
            below = abs(event.price - bars.low[event.index]) <= abs(event.price - bars.high[event.index])
            price = float(drawn.low[index] if below else drawn.high[index])
            mark = Mark(event, index, price, theme, below=bool(below))
            self._price.addItem(mark, ignoreBounds=True)
            self._marks.append(mark)

    def _crosshair(self, theme: Theme) -> None:
        pen = dash_pen(theme.color("chart.cross"))
        self._cross_x = [pg.InfiniteLine(angle=90, pen=pen) for _ in range(2)]
        self._cross_y = pg.InfiniteLine(angle=0, pen=pen)
        for line, plot in zip((*self._cross_x, self._cross_y), (self._price, self._volume, self._price), strict=True):
            line.hide()
            plot.addItem(line, ignoreBounds=True)
        caption = pg.TextItem(self._ui.texts("charts.volume"), color=theme.color("text.3"), anchor=(0, 0))
        caption.setFont(font("axis"))
        caption.setParentItem(self._volume.vb)
        caption.setPos(4, 0)

    def _show_newest(self) -> None:
        last = len(self.series) + FREE_BARS
        self.show_bars(max(-1, last - SHOWN_BARS), last)
        self._fit()

    def _fit(self) -> None:
        """Fit the prices and volumes of the visible bars, with room for the marks."""
        first, last = self.shown_bars()
        start, stop = max(0, int(first)), min(len(self.series), int(last) + 1)
        if stop <= start:
            return
        height = self._price.vb.height()
        low, high = float(self.series.low[start:stop].min()), float(self.series.high[start:stop].max())
        span = (high - low) or high * 0.02
        room = span * max(0.1, MARK_ROOM / max(height - 2 * MARK_ROOM, MARK_ROOM))
        low, high = self._with_room_for_marks(first, last, low - room, high + room)
        self._price.setYRange(low, high, padding=0)
        volume = np.nan_to_num(self.series.volume[start:stop]).max()
        self._volume.setYRange(0, float(volume) * 1.05 or 1.0, padding=0)
        self._overlays.place(first, last, low, high, height)

    def _with_room_for_marks(self, first: float, last: float, low: float, high: float) -> tuple[float, float]:
        """Lay the marks out, and widen the prices where one would be cut."""
        width, height = self._price.vb.width(), self._price.vb.height()
        lay_out(self._marks, width / max(last - first, 1.0), height / (high - low))
        seen = [mark for mark in self._marks if first <= mark.index <= last]
        below, above = overflow(seen, low, high, height)
        if below or above:
            a_pixel = (high - low) / max(height - below - above, height / 2)
            low, high = low - below * a_pixel, high + above * a_pixel
            lay_out(self._marks, width / max(last - first, 1.0), height / (high - low))
        return low, high

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows pan and zoom, Page Up and Down turn a page, End shows the newest bars."""
        first, last = self.shown_bars()
        width = last - first
        moves = {
            Qt.Key.Key_Left: -width * KEY_PAN,
            Qt.Key.Key_Right: width * KEY_PAN,
            Qt.Key.Key_PageUp: -width,
            Qt.Key.Key_PageDown: width,
        }
        key = Qt.Key(event.key())
        if key in moves:
            self.show_bars(first + moves[key], last + moves[key])
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            wider = width * (KEY_ZOOM if key is Qt.Key.Key_Up else 1 / KEY_ZOOM)
            self.show_bars(last - wider, last)
        elif key is Qt.Key.Key_End:
            self._show_newest()
        else:
            super().keyPressEvent(event)

    def point_at(self, position: QPointF) -> None:
        """Follow the pointer: the crosshair, the bar's figures, and the card of a mark under it."""
        inside = self._price.sceneBoundingRect().contains(position)
        if not inside and not self._volume.sceneBoundingRect().contains(position):
            self._forget_pointer()
            return
        point = self._price.vb.mapSceneToView(position)
        self._cross_y.setVisible(inside)
        self._cross_y.setPos(point.y())
        self._point(min(max(0, round(point.x())), len(self.series) - 1))
        self._choose(self._mark_at(position))

    def _point(self, index: int) -> None:
        """Put the crosshair on a bar and say its figures."""
        for line in self._cross_x:
            line.setPos(index)
            line.show()
        self._volume.getAxis("bottom").point(index)
        self.pointed.emit(bar_line(self._ui.texts, self.series, index))

    def _forget_pointer(self) -> None:
        for line in (*self._cross_x, self._cross_y):
            line.hide()
        self._volume.getAxis("bottom").point(None)
        self._choose(None)
        self.pointed.emit("")

    def _mark_at(self, position: QPointF) -> Event | None:
        for mark in reversed(self._marks):
            corner = self._price.vb.mapViewToScene(QPointF(mark.index, mark.price))
            if mark.box().translated(corner).adjusted(-2, -2, 2, 2).contains(position):
                return mark.record
        return None

    def _choose(self, event: Event | None) -> None:
        """Explain an event beside its bar, or nothing."""
        if event is self._chosen:
            return
        self._chosen = event
        for mark in self._marks:
            mark.set_chosen(chosen=mark.record is event)
            if mark.record is event and event is not None:
                place = self._price.vb.mapViewToScene(QPointF(mark.index, event.price))
                self._card.explain(event, self.mapFromScene(place))
        if event is None:
            self._card.hide()

    def leaveEvent(self, event: QEvent) -> None:
        """The pointer left."""
        super().leaveEvent(event)
        self._forget_pointer()
