"""One stock in the chart panel: its price and day, day, week or month, the chart, and where it stands."""

from __future__ import annotations

import math
from datetime import date
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.charts.chart import ChartView
from desktop.charts.data import StockChart
from desktop.charts.legend import Legend
from desktop.context import Ui
from desktop.widgets import Elided, button, hairline, icon_label, label
from runtime.market.bars import Period
from runtime.numbers import format_amount

PERIODS: Final[tuple[Period, ...]] = ("day", "week", "month")
MINUS: Final = "−"  # U+2212, as wide as a digit


class ChartPage(QWidget):
    """One stock.

    Args:
        ui: shared parts.
        chart: what is shown; without bars the page says so.
        period: what a bar is at first.
    """

    def __init__(self, ui: Ui, chart: StockChart, period: Period = "day") -> None:
        super().__init__()
        self._ui = ui
        self.chart = chart
        self._view: ChartView | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        if len(chart.bars):
            self._fill(ChartView(ui, chart, period))
        else:
            self._say_empty()

    @property
    def view(self) -> ChartView:
        """The chart.

        Raises:
            LookupError: there are no bars.
        """
        if self._view is None:
            raise LookupError(self.chart.instrument.symbol)
        return self._view

    @property
    def period(self) -> Period:
        """What a bar is."""
        return self._view.period if self._view is not None else "day"

    def take_over(self, other: ChartPage) -> None:
        """Show the bars that another page of the same bars shows."""
        if self._view is not None and other._view is not None and len(self.chart.bars) == len(other.chart.bars):
            self._view.show_bars(*other._view.shown_bars())

    def focus_date(self, day: date) -> None:
        """Go to a day; without bars nothing happens."""
        if self._view is not None:
            self._view.focus_date(day)

    def focus_level(self, price: float) -> None:
        """Go to a price; without bars nothing happens."""
        if self._view is not None:
            self._view.focus_level(price)

    def _fill(self, view: ChartView) -> None:
        self._view = view
        self._legend = Legend(self._ui)
        self._legend.show_averages(view.series)
        view.pointed.connect(self._legend.point)
        self._column.addLayout(self._head())
        self._column.addLayout(self._tools(view))
        self._column.addWidget(hairline())
        self._column.addWidget(self._legend)
        self._column.addWidget(view, 1)
        self._column.addWidget(hairline())
        self._column.addLayout(self._foot())

    def _say_empty(self) -> None:
        texts = self._ui.texts
        self._column.addStretch(1)
        centre = Qt.AlignmentFlag.AlignHCenter
        self._column.addWidget(icon_label("chart-candlestick", self._ui.theme, "text.3", 24), 0, centre)
        self._column.addSpacing(8)
        self._column.addWidget(label(texts("charts.no_bars", name=self.chart.instrument.name)), 0, centre)
        self._column.addWidget(label(texts("charts.no_bars_line"), "small", tone="3"), 0, centre)
        self._column.addStretch(1)

    def _head(self) -> QHBoxLayout:
        """The last price and its change, and the figures of that day."""
        bars = self.chart.bars
        last = float(bars.close[-1])
        row = QHBoxLayout()
        row.setContentsMargins(16, 6, 16, 4)
        row.setSpacing(10)
        change = last - float(bars.close[-2]) if len(bars) > 1 else None
        color = self._direction(change)
        row.addWidget(_colored(label(f"{last:.2f}", "display"), color))
        if change is not None:
            row.addWidget(_colored(label(_moved(change, last), "small"), color))
        row.addStretch(1)
        figures = {"open": bars.open, "high": bars.high, "low": bars.low}
        cells = [(name, f"{values[-1]:.2f}") for name, values in figures.items()]
        if math.isfinite(bars.amount[-1]):
            cells.append(("amount", format_amount(float(bars.amount[-1]))))
        for name, value in cells:
            row.addLayout(_cell(self._ui.texts(f"charts.{name}"), value, "small"))
        return row

    def _direction(self, change: float | None) -> QColor:
        market = self._ui.theme.market
        if not change:
            return market.flat
        return market.up if change > 0 else market.down

    def _tools(self, view: ChartView) -> QHBoxLayout:
        texts, bars = self._ui.texts, self.chart.bars
        group = QButtonGroup(self)
        row = QHBoxLayout()
        row.setContentsMargins(12, 2, 16, 6)
        row.setSpacing(4)
        for period in PERIODS:
            choice = button(texts(f"desktop.period_{period}"), "chip", name=f"period-{period}")
            choice.setCheckable(True)
            choice.setChecked(period == view.period)
            choice.clicked.connect(lambda _=False, chosen=period: self._show_period(chosen))
            group.addButton(choice)
            row.addWidget(choice)
        row.addSpacing(6)
        row.addWidget(Elided(texts(f"offline.adjust_{bars.adjust}"), "small", tone="3"), 1)
        key = "desktop.chart_stale" if self.chart.stale else "desktop.chart_as_of"
        as_of = label(
            texts(key, as_of=bars.as_of, source=bars.source), "small", tone="warn" if self.chart.stale else "3"
        )
        as_of.setObjectName("chartAsOf")
        row.addWidget(as_of)
        return row

    def _show_period(self, period: Period) -> None:
        if self._view is not None:
            self._view.show_period(period)
            self._legend.show_averages(self._view.series)

    def _foot(self) -> QHBoxLayout:
        """Phase, range and stop in words."""
        reading, texts = self.chart.reading, self._ui.texts
        facts = [(texts("desktop.phase"), texts(f"wyckoff.phase_{reading.phase.phase.value}"))]
        if reading.range is not None:
            facts.append((texts("desktop.range"), f"{reading.range.support:.2f} – {reading.range.resistance:.2f}"))
        if reading.stop is not None:
            facts.append((texts("desktop.level_stop"), f"{reading.stop.price:.2f}"))
        row = QHBoxLayout()
        row.setContentsMargins(16, 8, 16, 10)
        row.setSpacing(12)
        for caption, value in facts:
            row.addLayout(_cell(caption, value, "ui"), 1)
        return row


def _cell(caption: str, value: str, style: str) -> QVBoxLayout:
    cell = QVBoxLayout()
    cell.setSpacing(0)
    cell.addWidget(label(caption, "small", tone="3"))
    cell.addWidget(Elided(value) if style == "ui" else label(value, "small"))
    return cell


def _colored(widget: QLabel, color: QColor) -> QLabel:
    """A label in a colour of the market, which no style sheet knows."""
    widget.setStyleSheet(f"color:{color.name()}")
    return widget


def _moved(change: float, last: float) -> str:
    """The change in yuan and per cent, with its sign and an arrow; no change has neither."""
    before = last - change
    arrow = "▲ " if change > 0 else "▼ " if change < 0 else ""
    sign = "+" if change > 0 else MINUS if change < 0 else ""
    return f"{arrow}{sign}{abs(change):.2f}\n{sign}{abs(change) / before * 100:.2f}%"
