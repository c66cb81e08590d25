"""What the engine found, drawn behind and over the candles: the box, the phases, the levels. Nothing is computed but places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor

from desktop.charts.axes import PriceTag
from desktop.charts.data import StockChart
from desktop.charts.series import Series
from desktop.theme import Theme, font
from runtime.texts import Texts
from runtime.wyckoff.records import Phase, Reading

LETTERS: Final = "ABCDE"
CAPTION_GAP: Final = 14  # pixels that the caption of a level needs


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A phase and the daily bars that it lasts."""

    name: str
    first: int
    last: int


def phase_spans(reading: Reading) -> list[Span]:
    """The phases of the newest structure.

    A phase begins at its first event. Where B has no event of its own it begins after the last one of A. The current phase
    is the engine's; a structure that failed has no phase from then on.
    """
    box, state = reading.range, reading.phase
    if box is None:
        return []
    firsts, lasts = {"A": box.start_index}, {"A": box.start_index}
    for event in reading.events:
        name = event.phase.value
        if event.index >= box.start_index and name in LETTERS and event.invalidated_at is None:
            firsts[name] = min(firsts.get(name, event.index), event.index)
            lasts[name] = max(lasts.get(name, event.index), event.index)
    current = state.phase.value
    if current in LETTERS and state.since_index is not None:
        firsts.setdefault(current, state.since_index)
    if "B" not in firsts and state.phase is not Phase.A:
        firsts["B"] = lasts["A"]
    ordered = [name for name in LETTERS if name in firsts]
    failed = state.phase is Phase.FAILED
    end = state.since_index if failed and state.since_index is not None else reading.bars
    ends = [firsts[name] for name in ordered[1:]] + [end]
    return [
        Span(name=name, first=firsts[name], last=end)
        for name, end in zip(ordered, ends, strict=True)
        if end > firsts[name]
    ]


class Overlays:
    """The engine's structure on one plot.

    Args:
        plot: where it is drawn.
        chart: the reading.
        drawn: the bars as they are drawn; a week holds the days of its records.
        theme: the look.
        texts: names of levels.
    """

    def __init__(self, plot: Any, chart: StockChart, drawn: Series, theme: Theme, texts: Texts) -> None:  # noqa: ANN401
        self._plot = plot
        self._chart = chart
        self._series = drawn
        self._theme = theme
        self._texts = texts
        self._letters: list[tuple[Any, float, float]] = []  # with the span of its phase
        self._captions: list[tuple[Any, float]] = []  # with the price of its level
        self.box: QRectF | None = None
        self.levels: list[float] = []
        self.tags: list[PriceTag] = []

    def draw(self, end: float) -> None:
        """Draw everything; lines run on to `end`."""
        self._last_price()
        self._stop()
        self._structure(end)
        self._levels(end)
        self._phases()

    def place(self, first: float, last: float, low: float, high: float, height: float) -> None:
        """Keep letters at the top and captions at the right of what is visible."""
        for letter, start, stop in self._letters:
            left, right = max(start, first), min(stop, last)
            letter.setVisible(right > left)
            letter.setPos((left + right) / 2, high)
        taken: list[float] = []
        gap = CAPTION_GAP * (high - low) / max(height, 1.0)
        for caption, price in self._captions:
            free = low < price < high and all(abs(price - other) >= gap for other in taken)
            caption.setVisible(free)
            caption.setPos(last, price)
            if free:
                taken.append(price)

    def _at(self, daily: int) -> float:
        return float(self._series.of_day[min(daily, len(self._series.of_day) - 1)])

    def _last_price(self) -> None:
        theme, close = self._theme, self._chart.bars.close
        falls = len(close) > 1 and close[-1] < close[-2]
        line = theme.market.down if falls else theme.market.up
        pen = pg.mkPen(line)
        pen.setDashPattern([1, 3])
        self._plot.addItem(pg.InfiniteLine(pos=float(close[-1]), angle=0, pen=pen), ignoreBounds=True)
        fill = theme.market.down_fill if falls else theme.market.up_fill
        self.tags.append(PriceTag(price=float(close[-1]), fill=fill, text=theme.color("accent.on")))

    def _stop(self) -> None:
        stop, theme = self._chart.reading.stop, self._theme
        if stop is None:
            return
        pen = pg.mkPen(theme.color("warn"))
        pen.setDashPattern([5, 3])
        self._plot.addItem(pg.InfiniteLine(pos=stop.price, angle=0, pen=pen), ignoreBounds=True)
        self.tags.append(PriceTag(price=stop.price, fill=theme.color("warn.fill"), text=theme.color("warn.on")))
        self._caption(self._texts("charts.stop"), stop.price, theme.color("warn"), below=True)

    def _structure(self, end: float) -> None:
        """The box of the trading range, with edges that run on to the axis."""
        found = self._chart.reading.range
        if found is None:
            return
        left, right = self._at(found.start_index), self._at(found.end_index)
        self.box = QRectF(left, found.support, right - left, found.resistance - found.support)
        area = pg.QtWidgets.QGraphicsRectItem(self.box)
        area.setPen(pg.mkPen(None))
        area.setBrush(self._theme.color("box.fill"))
        area.setZValue(-12)
        self._plot.addItem(area, ignoreBounds=True)
        for price in (found.support, found.resistance):
            self._segment(left, end, price)

    def _levels(self, end: float) -> None:
        """A tag, a caption and a line for every level; the edges of the box have their lines already."""
        found, theme = self._chart.reading.range, self._theme
        edges = () if found is None else (found.support, found.resistance)
        for level in self._chart.reading.levels:
            if level.price not in edges:
                self._segment(self._at(level.index or 0), end, level.price)
            self.levels.append(level.price)
            self.tags.append(PriceTag(price=level.price, fill=theme.color("bg.pressed"), text=theme.color("text.2")))
            name = self._texts(f"charts.level_{level.kind.value}")
            self._caption(name, level.price, theme.color("accent"), below=False)

    def _segment(self, left: float, right: float, price: float) -> None:
        line = pg.PlotCurveItem([left, right], [price, price], pen=pg.mkPen(self._theme.color("box.line")))
        self._plot.addItem(line, ignoreBounds=True)

    def _caption(self, text: str, price: float, color: QColor, *, below: bool) -> None:
        caption = pg.TextItem(text, color=color, anchor=(1.0, 0.0 if below else 1.0))
        caption.setFont(font("axis"))
        caption.setZValue(10)
        self._plot.addItem(caption, ignoreBounds=True)
        self._captions.append((caption, price))

    def _phases(self) -> None:
        """Shading and the letter of each phase; the current one stands out."""
        theme, reading = self._theme, self._chart.reading
        for span in phase_spans(reading):
            first = self._at(span.first)
            last = self._at(span.last) if span.last < reading.bars else float(len(self._series))
            token = f"phase.{span.name.lower()}"
            if token in theme.colors and last > first:
                region = pg.LinearRegionItem((first, last), movable=False, brush=theme.color(token), pen=pg.mkPen(None))
                region.setZValue(-15)
                for line in region.lines:
                    line.setPen(pg.mkPen(None))
                self._plot.addItem(region, ignoreBounds=True)
            current = reading.phase.phase is Phase(span.name)
            letter = pg.TextItem(span.name, color=theme.color("accent" if current else "text.3"), anchor=(0.5, 0))
            letter.setFont(font("axis", bold=current))
            self._plot.addItem(letter, ignoreBounds=True)
            self._letters.append((letter, first, last))


def dash_pen(color: QColor) -> Any:  # noqa: ANN401 - pyqtgraph has no types
    """The pen of the crosshair."""
    pen = pg.mkPen(color, style=Qt.PenStyle.CustomDashLine)
    pen.setDashPattern([3, 3])
    return pen
