"""Opens charts: by themselves when a stock was analysed, and where a level or an evidence was clicked. The focus stays in the composer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from desktop.charts.data import StockChart
from desktop.conversation_desk import StartTask
from desktop.main_window import MainWindow
from runtime.core.events import ToolResult
from runtime.core.symbols import Instrument
from runtime.tools.stock_report import ANALYSED_BARS, limit_ratio_of
from runtime.wyckoff.engine import analyze

if TYPE_CHECKING:
    from runtime.workspace import MarketParts


class ChartDesk(QObject):
    """Connects the transcript to the chart panel.

    Args:
        market: instruments and prices.
        window: the window.
        start_task: runs work beside the window.
    """

    def __init__(self, market: MarketParts, window: MainWindow, start_task: StartTask) -> None:
        super().__init__()
        self._market = market
        self._window = window
        self._start_task = start_task
        window.transcript.level_clicked.connect(
            lambda symbol, price: start_task(self._focus(symbol, price=price), "chart")
        )
        window.transcript.evidence_clicked.connect(
            lambda symbol, date: start_task(self._focus(symbol, date=date), "chart")
        )

    def tool_ended(self, event: ToolResult) -> None:
        """The chart of a stock that was analysed opens beside the chat."""
        data = event.result.get("data")
        if event.name == "analyze_stock" and isinstance(data, dict) and isinstance(data.get("symbol"), str):
            self._start_task(self.open(str(data["symbol"])), "chart")

    async def open(self, symbol: str) -> None:
        """Read and analyse a stock, and show it where there is room."""
        market = self._market
        bars = await market.data.daily(symbol)
        instrument = market.directory.get(symbol) or Instrument(symbol=symbol, name=symbol)
        ratio = limit_ratio_of(instrument, bars, market.limits)
        analysed = bars.tail(ANALYSED_BARS)
        reading = await asyncio.to_thread(analyze, analysed, limit_ratio=ratio)
        chart = StockChart(instrument=instrument, bars=analysed, reading=reading, stale=market.data.is_stale(bars))
        self._window.charts.show_stock(chart)
        self._window.show_charts(visible=True)

    async def _focus(self, symbol: str, *, price: float | None = None, date: str | None = None) -> None:
        charts = self._window.charts
        if not charts.has(symbol):
            await self.open(symbol)
        self._window.show_charts(visible=True, asked=True)
        if price is not None:
            charts.focus_level(symbol, price)
        if date is not None:
            charts.focus_date(symbol, date)
