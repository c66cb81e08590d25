"""One stock's chart: candles with averages, volume, and what the engine found on them.

Marks, box, phases and levels are the engine's records; nothing is computed here. The x axis counts bars, so there are no gaps for weekends.
"""

from __future__ import annotations

from datetime import date
from typing import Any, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor

from desktop.charts.axes import DateAxis, PriceTag, RightAxis
from desktop.charts.data import StockChart
from desktop.charts.hover import HoverCard, bar_line
from desktop.charts.items import Candles, Grid, Mark, Volume
from desktop.charts.series import Series, series
from desktop.context import Ui
from desktop.theme import Theme, font
from runtime.market.bars import Period
from runtime.wyckoff.records import Event, EventKind

SHOWN_BARS: Final = 180  # at the default zoom
FREE_BARS: Final = 12  # right of the last bar
AVERAGES: Final = ((5, "ma5"), (20, "ma20"), (60, "ma60"))
BELOW: Final = frozenset(
    {EventKind.SC, EventKind.ST, EventKind.SPRING, EventKind.TEST, EventKind.LPS, EventKind.PS, EventKind.SOW}
)
_WORDS: Final = frozenset({EventKind.SPRING, EventKind.TEST, EventKind.SHAKEOUT})


class ChartView(pg.GraphicsLayoutWidget):  # type: ignore[misc]
    """The plots of one stock.

    Args:
        ui: shared parts.
        chart: what is drawn.
    """

    pointed = Signal(str)  # what the crosshair is on, in one line

    def __init__(self, ui: Ui, chart: StockChart) -> None:
        super().__init__()
        self.setObjectName("chartView")
        self.setAccessibleName(f"{chart.instrument.name} {chart.instrument.symbol}")
        self._ui = ui
        self.chart = chart
        self.period: Period = "day"
        self.series: Series = series(chart.bars, "day")
        self._marks: list[tuple[Event, int, Mark]] = []
        self._letters: list[tuple[Any, float]] = []  # of phases, with the middle of their span
        self._card = HoverCard(ui, self)
        self._chosen: Event | None = None
        self.ci.layout.setSpacing(0)
        self.ci.setContentsMargins(0, 0, 0, 0)
        self.setAntialiasing(False)
        self._draw()
        self.scene().sigMouseMoved.connect(self._moved)

    def show_period(self, period: Period) -> None:
        """Days, weeks or months."""
        self.period = period
        self.series = series(self.chart.bars, period)
        self._draw()

    def focus_date(self, wanted: date) -> None:
        """Go to a day and mark what happened on it."""
        index = self.series.index_of(wanted)
        if index is None:
            return
        half = SHOWN_BARS / 3
        self._price.setXRange(index - half, index + half, padding=0)
        self._choose(next((event for event, _, _ in self._marks if event.date == wanted), None))
        self._cross_x.setPos(index)
        self._cross_x.show()

    def focus_level(self, price: float) -> None:
        """Show the newest bars and draw attention to a price."""
        self._show_newest()
        low, high = self._price.vb.viewRange()[1]
        self._price.setYRange(min(low, price * 0.98), max(high, price * 1.02), padding=0)
        self._cross_y.setPos(price)
        self._cross_y.show()

    def marks(self) -> tuple[Event, ...]:
        """The events that are drawn, in their order."""
        return tuple(event for event, _, _ in self._marks)

    def _draw(self) -> None:
        """Draw everything anew: another period or another look."""
        theme = self._ui.theme
        self.clear()
        self._marks.clear()
        self._letters.clear()
        self.setBackground(theme.color("bg.canvas"))
        self._price = self._plot(0, theme)
        self._volume = self._plot(1, theme)
        self._volume.setXLink(self._price)
        self.ci.layout.setRowStretchFactor(0, 4)
        self.ci.layout.setRowStretchFactor(1, 1)
        self._price.addItem(Candles(self.series, theme))
        self._volume.addItem(Volume(self.series, theme))
        self._averages(theme)
        if self.period == "day":
            self._structure(theme)
            self._phases(theme)
            self._levels(theme)
        self._events(theme)
        self._crosshair(theme)
        self._price.vb.sigXRangeChanged.connect(lambda *_: self._fit())
        self._price.vb.setLimits(xMin=-5, xMax=len(self.series) + FREE_BARS + 5, minXRange=12)
        self._show_newest()

    def _plot(self, row: int, theme: Theme) -> Any:  # noqa: ANN401 - pyqtgraph has no types
        bottom = DateAxis(self.series, theme, labels=row > 0)
        right = RightAxis(theme, amounts=row > 0)
        plot = self.addPlot(row=row, col=0, axisItems={"bottom": bottom, "right": right})
        plot.hideAxis("left")
        plot.showAxis("right")
        plot.addItem(Grid(right, theme), ignoreBounds=True)
        plot.setMouseEnabled(x=True, y=False)
        plot.hideButtons()
        plot.setMenuEnabled(False)
        plot.vb.disableAutoRange()
        return plot

    def _averages(self, theme: Theme) -> None:
        for length, token in AVERAGES:
            values = self.series.average(length)
            known = np.isfinite(values)
            if known.any():
                line = self._price.plot(
                    np.flatnonzero(known), values[known], pen=pg.mkPen(theme.color(token), width=1.2), antialias=True
                )
                line.setDownsampling(auto=True, method="peak")  # only after it is in the plot
                line.setClipToView(True)

    def _structure(self, theme: Theme) -> None:
        """The box of the trading range, with edges that run on to the axis."""
        box = self.chart.reading.range
        if box is None:
            return
        area = pg.QtWidgets.QGraphicsRectItem(
            QRectF(box.start_index, box.support, box.end_index - box.start_index, box.resistance - box.support)
        )
        area.setPen(pg.mkPen(None))
        area.setBrush(theme.color("box.fill"))
        area.setZValue(-12)
        self._price.addItem(area, ignoreBounds=True)
        for price in (box.support, box.resistance):
            line = pg.PlotCurveItem(
                [box.start_index, len(self.series) + FREE_BARS], [price, price], pen=pg.mkPen(theme.color("box.line"))
            )
            self._price.addItem(line, ignoreBounds=True)

    def _phases(self, theme: Theme) -> None:
        """Shading from each phase's first event to the next, with its letter."""
        spans = phase_spans(self.chart.reading.events, self.chart.reading.range, len(self.series))
        for name, first, last in spans:
            token = f"phase.{name.lower()}"
            if token in theme.colors:
                region = pg.LinearRegionItem((first, last), movable=False, brush=theme.color(token), pen=pg.mkPen(None))
                region.setZValue(-15)
                for line in region.lines:
                    line.setPen(pg.mkPen(None))
                self._price.addItem(region, ignoreBounds=True)
            letter = pg.TextItem(name, color=theme.color("text.3"), anchor=(0.5, 0))
            letter.setFont(font("axis"))
            self._price.addItem(letter, ignoreBounds=True)
            self._letters.append((letter, (first + last) / 2))

    def _levels(self, theme: Theme) -> None:
        """The engine's levels, the stop and the last price, each with a tag on the axis; the last one is on top."""
        reading = self.chart.reading
        tags = [
            PriceTag(price=level.price, fill=theme.color("bg.pressed"), text=theme.color("text.2"))
            for level in reading.levels
        ]
        if reading.stop is not None:
            fill, text = theme.color("warn.fill"), theme.color("warn.on")
            self._line(reading.stop.price, fill, Qt.PenStyle.DashLine)
            tags.append(PriceTag(price=reading.stop.price, fill=fill, text=text))
        last, before = float(self.chart.bars.close[-1]), float(self.chart.bars.close[-2])
        fill = theme.market.up_fill if last >= before else theme.market.down_fill
        self._line(last, fill, Qt.PenStyle.DotLine)
        tags.append(PriceTag(price=last, fill=fill, text=theme.color("accent.on")))
        self._price.getAxis("right").tags = tags

    def _line(self, price: float, color: QColor, style: Qt.PenStyle) -> None:
        self._price.addItem(pg.InfiniteLine(pos=price, angle=0, pen=pg.mkPen(color, style=style)), ignoreBounds=True)

    def _events(self, theme: Theme) -> None:
        """The engine's events; the shape of a week or month holds the days of its events."""
        taken: dict[tuple[int, bool], int] = {}
        for event in self.chart.reading.events:
            index = int(self.series.of_day[event.index])
            below = event.kind in BELOW
            near = max((taken.get((index + step, below), -1) for step in range(-4, 5)), default=-1)
            taken[index, below] = near + 1
            mark = Mark(
                event.kind.value.title() if event.kind in _WORDS else event.kind.value,
                below=below,
                step=near + 1,
                theme=theme,
                taken_back=event.invalidated_at is not None,
            )
            mark.setPos(index, float(self.series.low[index] if below else self.series.high[index]))
            self._price.addItem(mark, ignoreBounds=True)
            self._marks.append((event, index, mark))

    def _crosshair(self, theme: Theme) -> None:
        pen = pg.mkPen(theme.color("chart.cross"), style=Qt.PenStyle.DashLine)
        self._cross_x = pg.InfiniteLine(angle=90, pen=pen)
        self._cross_y = pg.InfiniteLine(angle=0, pen=pen)
        for line in (self._cross_x, self._cross_y):
            line.hide()
            self._price.addItem(line, ignoreBounds=True)

    def _show_newest(self) -> None:
        last = len(self.series) + FREE_BARS
        self._price.setXRange(max(-1, last - SHOWN_BARS), last, padding=0)
        self._fit()

    def _fit(self) -> None:
        """Fit the prices and volumes of the visible bars, with room for the marks."""
        first, last = self._price.vb.viewRange()[0]
        start, stop = max(0, int(first)), min(len(self.series), int(last) + 1)
        if stop <= start:
            return
        low, high = float(self.series.low[start:stop].min()), float(self.series.high[start:stop].max())
        room = (high - low) * 0.12 or high * 0.01
        self._price.setYRange(low - room, high + room, padding=0)
        self._volume.setYRange(0, float(self.series.volume[start:stop].max()) * 1.05 or 1.0, padding=0)
        for letter, middle in self._letters:
            letter.setPos(middle, high + room)

    def _moved(self, position: QPointF) -> None:
        """Follow the pointer: the crosshair, the bar's figures, and the card of a mark under it."""
        inside = self._price.sceneBoundingRect().contains(position)
        self._cross_x.setVisible(inside)
        self._cross_y.setVisible(inside)
        if not inside:
            self._choose(None)
            self.pointed.emit("")
            return
        point = self._price.vb.mapSceneToView(position)
        index = min(max(0, round(point.x())), len(self.series) - 1)
        self._cross_x.setPos(index)
        self._cross_y.setPos(point.y())
        self.pointed.emit(bar_line(self._ui.texts, self.series, index))
        self._choose(self._mark_at(position))

    def _mark_at(self, position: QPointF) -> Event | None:
        for event, _, mark in reversed(self._marks):
            if mark.mapRectToScene(mark.boundingRect()).adjusted(-2, -2, 2, 2).contains(position):
                return event
        return None

    def _choose(self, event: Event | None) -> None:
        """Explain an event beside its bar, or nothing."""
        if event is self._chosen:
            return
        self._chosen = event
        for item, index, mark in self._marks:
            mark.set_chosen(chosen=item is event)
            if item is event and event is not None:
                place = self._price.vb.mapViewToScene(QPointF(index, event.price))
                self._card.explain(event, self.mapFromScene(place))
        if event is None:
            self._card.hide()

    def leaveEvent(self, event: QEvent) -> None:
        """The pointer left."""
        super().leaveEvent(event)
        self._cross_x.hide()
        self._cross_y.hide()
        self._choose(None)


def phase_spans(events: tuple[Event, ...], box: object, bars: int) -> list[tuple[str, float, float]]:
    """The phases of the newest structure as (letter, first bar, last bar)."""
    start = getattr(box, "start_index", None)
    if start is None:
        return []
    firsts: dict[str, int] = {}
    for event in events:
        name = event.phase.value
        if event.index >= start and name in "ABCDE" and event.invalidated_at is None:
            firsts.setdefault(name, event.index)
    firsts["A"] = min(start, firsts.get("A", start))
    ordered = [(name, firsts[name]) for name in "ABCDE" if name in firsts]
    spans = []
    for number, (name, first) in enumerate(ordered):
        last = ordered[number + 1][1] if number + 1 < len(ordered) else bars
        if last > first:
            spans.append((name, float(first), float(last)))
    return spans
