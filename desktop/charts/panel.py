"""The chart panel: a tab for each stock."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QStackedWidget, QTabBar, QVBoxLayout

from desktop.context import Ui
from desktop.widgets import icon_button

if TYPE_CHECKING:
    from desktop.charts.data import StockChart  # brings numpy along, which the first paint does not need
    from desktop.charts.page import ChartPage


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
        ui.themes.changed.connect(self._redraw)

    def show_stock(self, chart: StockChart) -> None:
        """Show a stock in its tab; a newer reading takes the place of an older one."""
        self._put(chart)
        self._to_front(chart.instrument.symbol)

    def symbols(self) -> tuple[str, ...]:
        """The stocks that have a tab, from left to right."""
        return tuple(str(self._tabs.tabData(index)) for index in range(self._tabs.count()))

    def has(self, symbol: str) -> bool:
        """Whether a stock has a tab."""
        return symbol in self._pages

    def page(self, symbol: str) -> ChartPage:
        """The page of a stock that has a tab."""
        return self._pages[symbol]

    def focus_date(self, symbol: str, day: str) -> None:
        """Go to a day of a stock."""
        self._to_front(symbol).focus_date(date.fromisoformat(day))

    def focus_level(self, symbol: str, price: float) -> None:
        """Go to a price of a stock."""
        self._to_front(symbol).focus_level(price)

    def _put(self, chart: StockChart) -> None:
        """Make a stock's page, in the place of its old one if there is one: then period and visible bars stay."""
        from desktop.charts.page import ChartPage  # pyqtgraph costs half a second: only when a chart is shown

        symbol = chart.instrument.symbol
        old = self._pages.get(symbol)
        self._pages[symbol] = page = ChartPage(self._ui, chart, old.period if old is not None else "day")
        if old is None:
            self._stack.addWidget(page)
            index = self._tabs.addTab(chart.instrument.name)
            self._tabs.setTabToolTip(index, symbol)
            self._tabs.setTabData(index, symbol)
            self._add_close(index, symbol)
            return
        page.take_over(old)
        index = self._stack.indexOf(old)
        self._stack.insertWidget(index, page)
        self._stack.removeWidget(old)
        old.deleteLater()

    def _add_close(self, index: int, symbol: str) -> None:
        name = self._ui.texts("desktop.close_chart")
        close = icon_button("x", name, self._ui.theme, lambda: self._close(symbol))
        close.setObjectName(f"closeChart-{symbol}")
        self._tabs.setTabButton(index, QTabBar.ButtonPosition.RightSide, close)

    def _redraw(self) -> None:
        """Another look: every page is made anew, the one in front stays there."""
        front = self._tabs.currentIndex()
        for index, symbol in enumerate(self.symbols()):
            self._put(self._pages[symbol].chart)
            self._add_close(index, symbol)
        self._chosen(front)

    def _to_front(self, symbol: str) -> ChartPage:
        page = self._pages[symbol]
        self._tabs.setCurrentIndex(self.symbols().index(symbol))
        self._stack.setCurrentWidget(page)
        return page

    def _chosen(self, index: int) -> None:
        symbol = self._tabs.tabData(index) if index >= 0 else None
        if symbol in self._pages:
            self._stack.setCurrentWidget(self._pages[symbol])

    def _close(self, symbol: str) -> None:
        page = self._pages.pop(symbol)
        self._tabs.removeTab(self.symbols().index(symbol))
        self._stack.removeWidget(page)
        page.deleteLater()
        if not self._pages:
            self.closed.emit()
