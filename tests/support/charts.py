"""Charts of drawn series, and what a widget of the window is handed."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from desktop.charts.data import StockChart
from desktop.context import Ui
from desktop.theme import ThemeController
from desktop.widgets import SpinnerClock
from runtime.core.symbols import Instrument
from runtime.market.bars import Bars
from runtime.texts import Texts
from runtime.wyckoff.drawing import noise_path, to_bars
from runtime.wyckoff.engine import analyze
from runtime.wyckoff.records import EventKind
from runtime.wyckoff.structures import structure_path

SYMBOL = "608101.SIM"


def ui_of(app: QApplication, language: str = "zh_CN") -> Ui:
    """What every widget is handed, in the light look."""
    return Ui(texts=Texts(language), themes=ThemeController(app, "light"), spinners=SpinnerClock(app))


def chart_of(bars: Bars, symbol: str = SYMBOL, name: str = "云溪股份") -> StockChart:
    """These bars and the engine's reading of them."""
    return StockChart(instrument=Instrument(symbol=symbol, name=name), bars=bars, reading=analyze(bars), stale=False)


def accumulation() -> StockChart:
    """An accumulation in phase D: a box, levels, a stop and most of the events."""
    return chart_of(
        to_bars(structure_path("accumulation", 10, until=EventKind.SOS, after=5), symbol=SYMBOL, price=10.0)
    )


def drawn_chart(count: int, seed: int = 3) -> StockChart:
    """A random walk of so many bars, with what the engine finds on it."""
    return chart_of(to_bars(noise_path(seed, count), symbol=SYMBOL, price=10.0))
