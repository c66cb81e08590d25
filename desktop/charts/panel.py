"""The chart panel: a tab for each stock, the last price, day, week or month, and the chart."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.widgets import Elided, button, icon_button, label

if TYPE_CHECKING:
    from desktop.charts.data import StockChart  # brings numpy along, which the first paint does not need
    from runtime.market.bars import Period

PERIODS: Final = ("day", "week", "month")


class ChartPanel(QFrame):
    """The right column.

    Args:
        ui: shared parts.
    """

    closed = Signal()  # the last tab was closed

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self.setObjectName("chartPanel")
        self.setProperty("role", "panel")
        self.setMinimumWidth(380)
        self._ui = ui
        self._pages: dict[str, ChartPage] = {}
        self._tabs = QTabBar()
        self._tabs.setObjectName("chartTabs")
        self._tabs.setAccessibleName(ui.texts("desktop.charts"))
        self._tabs.setExpanding(False)
        self._tabs.setDrawBase(False)
        self._tabs.setElideMode(Qt.TextElideMode.ElideRight)
        self._tabs.currentChanged.connect(self._chosen)
        self._stack = QStackedWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._tabs)
        column.addWidget(self._stack, 1)
        ui.themes.changed.connect(lambda _theme: self._redraw())

    def show_stock(self, chart: StockChart) -> None:
        """Show a stock in its tab; a newer reading takes the place of an older one."""
        symbol = chart.instrument.symbol
        page = ChartPage(self._ui, chart)
        old = self._pages.get(symbol)
        self._pages[symbol] = page
        if old is not None:
            index = self._stack.indexOf(old)
            self._stack.insertWidget(index, page)
            self._stack.removeWidget(old)
            old.deleteLater()
        else:
            index = self._tabs.addTab(chart.instrument.name)
            self._tabs.setTabToolTip(index, symbol)
            self._tabs.setTabData(index, symbol)
            close = icon_button("x", self._ui.texts("desktop.close_chart"), self._ui.theme, lambda: self._close(symbol))
            close.setFixedSize(20, 20)
            self._tabs.setTabButton(index, QTabBar.ButtonPosition.RightSide, close)
            self._stack.addWidget(page)
        self._tabs.setCurrentIndex(index)
        self._stack.setCurrentWidget(page)

    def has(self, symbol: str) -> bool:
        """Whether a stock has a tab."""
        return symbol in self._pages

    def page(self, symbol: str) -> ChartPage:
        """The page of a stock that has a tab."""
        return self._pages[symbol]

    def focus_date(self, symbol: str, day: str) -> None:
        """Go to a day of a stock."""
        self._to_front(symbol).view.focus_date(date.fromisoformat(day))

    def focus_level(self, symbol: str, price: float) -> None:
        """Go to a price of a stock."""
        self._to_front(symbol).view.focus_level(price)

    def _redraw(self) -> None:
        """Another look: every page is made anew, the one in front stays there."""
        front = self._tabs.currentIndex()
        for page in list(self._pages.values()):
            self.show_stock(page.chart)
        self._tabs.setCurrentIndex(front)

    def _to_front(self, symbol: str) -> ChartPage:
        page = self._pages[symbol]
        self._tabs.setCurrentIndex(self._stack.indexOf(page))
        return page

    def _chosen(self, index: int) -> None:
        symbol = self._tabs.tabData(index) if index >= 0 else None
        if symbol in self._pages:
            self._stack.setCurrentWidget(self._pages[symbol])

    def _close(self, symbol: str) -> None:
        page = self._pages.pop(symbol)
        index = self._stack.indexOf(page)
        self._stack.removeWidget(page)
        self._tabs.removeTab(index)
        page.deleteLater()
        if not self._pages:
            self.closed.emit()


class ChartPage(QWidget):
    """One stock: price, tools, chart, and where it stands.

    Args:
        ui: shared parts.
        chart: what is shown.
    """

    def __init__(self, ui: Ui, chart: StockChart) -> None:
        super().__init__()
        from desktop.charts.chart import ChartView  # pyqtgraph costs half a second: only when a chart is shown

        self._ui = ui
        self.chart = chart
        self.view = ChartView(ui, chart)
        self._line = Elided("", "small", tone="3")
        self.view.pointed.connect(self._point)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head())
        column.addLayout(self._tools())
        column.addWidget(self.view, 1)
        column.addWidget(self._foot())
        self._point("")

    def _head(self) -> QWidget:
        bars, texts = self.chart.bars, self._ui.texts
        last, before = float(bars.close[-1]), float(bars.close[-2])
        change = last - before
        market = self._ui.theme.market
        color = market.up if change > 0 else market.down if change < 0 else market.flat
        price = label(f"{last:.2f}", "display")
        arrow = "▲" if change > 0 else "▼" if change < 0 else ""
        moved = label(f"{arrow} {change:+.2f}\n{change / before * 100:+.2f}%", "small")
        for widget in (price, moved):
            palette = widget.palette()
            palette.setColor(widget.foregroundRole(), color)
            widget.setPalette(palette)
            widget.setStyleSheet(f"color:{color.name()}")
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(16, 6, 16, 6)
        row.setSpacing(10)
        row.addWidget(price)
        row.addWidget(moved)
        row.addStretch(1)
        key = "desktop.chart_stale" if self.chart.stale else "desktop.chart_as_of"
        tone = "warn" if self.chart.stale else "3"
        row.addWidget(label(texts(key, as_of=bars.as_of, source=bars.source), "small", tone=tone))
        return holder

    def _tools(self) -> QHBoxLayout:
        group = QButtonGroup(self)
        row = QHBoxLayout()
        row.setContentsMargins(12, 4, 12, 4)
        row.setSpacing(4)
        periods: tuple[Period, ...] = PERIODS
        for period in periods:
            choice = button(self._ui.texts(f"desktop.period_{period}"), "chip", name=f"period-{period}")
            choice.setCheckable(True)
            choice.setChecked(period == "day")
            choice.clicked.connect(lambda _=False, chosen=period: self.view.show_period(chosen))
            group.addButton(choice)
            row.addWidget(choice)
        row.addWidget(label(self._ui.texts(f"offline.adjust_{self.chart.bars.adjust}"), "small", tone="3"))
        row.addWidget(self._line, 1)
        return row

    def _foot(self) -> QWidget:
        """Phase, range and stop in words."""
        reading, texts = self.chart.reading, self._ui.texts
        facts = [(texts("desktop.phase"), texts(f"wyckoff.phase_{reading.phase.phase.value}"))]
        if reading.range is not None:
            facts.append((texts("desktop.range"), f"{reading.range.support:.2f} – {reading.range.resistance:.2f}"))
        if reading.stop is not None:
            facts.append((texts("desktop.level_stop"), f"{reading.stop.price:.2f}"))
        holder = QFrame()
        holder.setProperty("role", "canvas")
        row = QHBoxLayout(holder)
        row.setContentsMargins(16, 8, 16, 10)
        for caption, value in facts:
            cell = QVBoxLayout()
            cell.setSpacing(0)
            cell.addWidget(label(caption, "small", tone="3"))
            cell.addWidget(label(value))
            row.addLayout(cell, 1)
        return holder

    def _point(self, text: str) -> None:
        averages = " · ".join(
            f"MA{length} {self.view.series.average(length)[-1]:.2f}"
            for length in (5, 20, 60)
            if len(self.view.series) >= length
        )
        self._line.set_whole(text or averages)
