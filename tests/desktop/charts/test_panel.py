"""Tabs of stocks: opened, chosen, closed, made anew with another look."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QTabBar, QToolButton
from pytestqt.qtbot import QtBot

from desktop.charts.data import StockChart
from desktop.charts.panel import ChartPanel
from desktop.context import Ui
from runtime.core.symbols import Instrument
from tests.support.charts import SYMBOL, accumulation, chart_of, drawn_chart, ui_of
from tests.support.windows import click

OTHER = "608102.SIM"


@pytest.fixture
def ui(qapp: QApplication) -> Ui:
    return ui_of(qapp)


@pytest.fixture
def panel(ui: Ui, qtbot: QtBot) -> ChartPanel:
    made = ChartPanel(ui)
    qtbot.addWidget(made)
    made.resize(512, 760)
    made.show()
    return made


def other() -> StockChart:
    return replace(drawn_chart(150), instrument=Instrument(symbol=OTHER, name="远山样本"))


def said(panel: ChartPanel, symbol: str = SYMBOL) -> list[str]:
    return [label.text() for label in panel.page(symbol).findChildren(QLabel)]


def tabs(panel: ChartPanel) -> QTabBar:
    found = panel.findChild(QTabBar, "chartTabs")
    assert found is not None
    return found


def test_each_stock_has_one_tab_and_the_newest_is_in_front(panel: ChartPanel) -> None:
    panel.show_stock(accumulation())
    panel.show_stock(other())
    panel.show_stock(accumulation())
    assert panel.symbols() == (SYMBOL, OTHER)
    assert tabs(panel).currentIndex() == 0
    assert panel.page(SYMBOL).isVisible()
    assert not panel.page(OTHER).isVisible()


def test_a_closed_tab_is_gone_and_the_last_one_closes_the_panel(panel: ChartPanel, qtbot: QtBot) -> None:
    panel.show_stock(accumulation())
    panel.show_stock(other())
    close = panel.findChild(QToolButton, f"closeChart-{SYMBOL}")
    assert close is not None
    click(close)
    assert panel.symbols() == (OTHER,)
    assert panel.page(OTHER).isVisible()
    last = panel.findChild(QToolButton, f"closeChart-{OTHER}")
    assert last is not None
    with qtbot.waitSignal(panel.closed):
        click(last)
    assert panel.symbols() == ()


def test_price_day_source_and_as_of_are_in_sight(panel: ChartPanel) -> None:
    chart = accumulation()
    panel.show_stock(chart)
    text = "\n".join(said(panel))
    for values in (chart.bars.close, chart.bars.open, chart.bars.high, chart.bars.low):
        assert f"{values[-1]:.2f}" in text
    assert f"{chart.bars.as_of}" in text
    assert chart.bars.source in text


def test_pointing_shows_the_bar_in_place_of_the_averages(panel: ChartPanel) -> None:
    chart = accumulation()
    panel.show_stock(chart)
    view = panel.page(SYMBOL).view
    view.focus_date(chart.bars.as_of)
    line = panel.findChild(QLabel, "chartPointed")
    assert line is not None
    assert line.isVisible()
    assert f"{chart.bars.as_of}" in line.text()


def test_the_period_is_chosen_by_its_button(panel: ChartPanel) -> None:
    panel.show_stock(accumulation())
    week = panel.page(SYMBOL).findChild(QPushButton, "period-week")
    assert week is not None
    click(week)
    assert panel.page(SYMBOL).period == "week"
    assert panel.page(SYMBOL).view.series.period == "week"


def test_another_look_recolours_and_keeps_what_is_shown(panel: ChartPanel, ui: Ui) -> None:
    panel.show_stock(accumulation())
    panel.show_stock(other())
    panel.page(OTHER).view.show_period("week")
    before = panel.page(OTHER).view.backgroundBrush().color()
    panel.page(OTHER).view.show_bars(2, 20)
    ui.themes.choose(scheme="dark")
    page = panel.page(OTHER)
    assert page.view.backgroundBrush().color() == ui.theme.color("bg.canvas") != before
    assert page.period == "week"
    assert page.view.shown_bars() == pytest.approx((2, 20))
    assert page.isVisible()
    assert panel.symbols() == (SYMBOL, OTHER)


def test_the_colours_of_up_and_down_change_places(panel: ChartPanel, ui: Ui) -> None:
    chart = accumulation()
    panel.show_stock(chart)
    red = panel.page(SYMBOL).view.overlays.tags[0].fill
    ui.themes.choose(market_mode="intl")
    green = panel.page(SYMBOL).view.overlays.tags[0].fill
    ui.themes.choose(market_mode="cn")
    assert red != green
    assert panel.page(SYMBOL).view.overlays.tags[0].fill == red


def test_a_stock_without_bars_says_so_and_is_not_moved(panel: ChartPanel) -> None:
    chart = chart_of(accumulation().bars.tail(0))
    panel.show_stock(chart)
    assert any(chart.instrument.name in text for text in said(panel))
    panel.focus_level(SYMBOL, 10.0)
    panel.focus_date(SYMBOL, "2026-06-30")
    assert panel.page(SYMBOL).period == "day"
