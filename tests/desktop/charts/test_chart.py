"""The chart draws what the engine found, explains it, and bears every kind of series."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from desktop.charts.chart import SHOWN_BARS, ChartView
from desktop.charts.data import StockChart
from desktop.charts.hover import HoverCard
from desktop.charts.items import Candles
from desktop.charts.overlays import phase_spans
from desktop.charts.page import PERIODS
from runtime.market.bars import Bars, Period, day
from runtime.wyckoff.records import Event
from tests.support.bars import series as flat_bars
from tests.support.charts import accumulation, chart_of, drawn_chart, ui_of
from tests.support.windows import press

SIZE = 760, 560


@pytest.fixture
def open_chart(qapp: QApplication, qtbot: QtBot) -> Opener:
    return Opener(qapp, qtbot)


class Opener:
    """Shows charts."""

    def __init__(self, app: QApplication, qtbot: QtBot) -> None:
        self._app = app
        self._qtbot = qtbot

    def __call__(self, chart: StockChart, period: Period = "day") -> ChartView:
        view = ChartView(ui_of(self._app), chart, period)
        self._qtbot.addWidget(view)
        view.resize(*SIZE)
        view.show()
        self._app.processEvents()
        return view


def with_volume(bars: Bars, volume: float) -> Bars:
    return replace(bars, volume=np.full(len(bars), volume))


def explained(view: ChartView) -> Event | None:
    return view.explained


def words(card: HoverCard) -> str:
    return "\n".join(label.text() for label in card.findChildren(QLabel) if label.isVisible())


@pytest.mark.parametrize("period", PERIODS)
def test_marks_box_and_levels_are_the_engines_records(open_chart: Opener, period: Period) -> None:
    chart = accumulation()
    view = open_chart(chart, period)
    reading, drawn = chart.reading, view.series
    assert len(reading.events) > 3
    assert view.marks() == reading.events
    for event, mark in zip(reading.events, view.labels, strict=True):
        assert mark.index == drawn.of_day[event.index]
        assert mark.price in (drawn.low[mark.index], drawn.high[mark.index])
    box = view.overlays.box
    assert reading.range is not None
    assert box is not None
    assert (box.top(), box.bottom()) == pytest.approx((reading.range.support, reading.range.resistance))
    assert (box.left(), box.right()) == (
        drawn.of_day[reading.range.start_index],
        drawn.of_day[reading.range.end_index],
    )
    assert view.overlays.levels == [level.price for level in reading.levels]
    assert reading.stop is not None
    assert {tag.price for tag in view.overlays.tags} == {
        *(level.price for level in reading.levels),
        reading.stop.price,
        float(chart.bars.close[-1]),
    }


def test_a_mark_stands_on_the_side_of_its_own_extreme(open_chart: Opener) -> None:
    view = open_chart(accumulation())
    for mark in view.labels:
        low, high = view.series.low[mark.index], view.series.high[mark.index]
        assert mark.below == (abs(mark.record.price - low) <= abs(mark.record.price - high))


def test_no_label_covers_another_or_is_cut(open_chart: Opener) -> None:
    view = open_chart(accumulation())
    first, last = view.shown_bars()
    boxes = []
    for mark in view.labels:
        if first <= mark.index <= last:
            box = mark.box()
            box.moveCenter(view.place_of(mark))
            boxes.append(box)
    assert len(boxes) > 3
    assert not any(one.intersects(other) for at, one in enumerate(boxes) for other in boxes[:at])
    assert all(box.top() >= 0 for box in boxes)


def test_phases_follow_each_other_without_a_gap() -> None:
    chart = accumulation()
    spans = phase_spans(chart.reading)
    assert [span.name for span in spans] == sorted(span.name for span in spans)
    assert len(spans) > 1
    assert all(one.last == other.first for one, other in itertools.pairwise(spans))
    assert spans[-1].name == chart.reading.phase.phase.value


def test_pointing_at_a_bar_says_its_figures(open_chart: Opener) -> None:
    view = open_chart(drawn_chart(120))
    said: list[str] = []
    view.pointed.connect(said.append)
    middle = view.viewport().rect().center()
    view.point_at(view.mapToScene(middle))
    at = next(index for index in range(120) if f"{day(view.series.dates[index])}" in said[-1])
    for values in (view.series.open, view.series.high, view.series.low, view.series.close):
        assert f"{values[at]:.2f}" in said[-1]
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert said[-1] == ""


def test_pointing_at_a_mark_explains_its_evidence(open_chart: Opener) -> None:
    view = open_chart(accumulation())
    mark = view.labels[-1]
    view.point_at(view.mapToScene(view.place_of(mark).toPoint()))
    assert explained(view) is mark.record
    card = view.findChild(HoverCard)
    assert card is not None
    assert card.isVisible()
    text = words(card)
    assert f"{mark.record.date}" in text
    assert f"{mark.record.price:.2f}" in text
    for fact in mark.record.evidence:
        assert fact.value is None or f"{abs(fact.value):.2f}" in text
    assert card.height() >= card.layout().totalHeightForWidth(card.width())
    view.point_at(view.mapToScene(0, view.height() - 1))
    assert explained(view) is None
    assert not card.isVisible()


def test_a_day_is_shown_with_its_event(open_chart: Opener) -> None:
    view = open_chart(accumulation())
    event = view.marks()[0]
    view.focus_date(event.date)
    first, last = view.shown_bars()
    assert first < event.index < last
    assert explained(view) is event


def test_a_day_after_the_last_bar_changes_nothing(open_chart: Opener) -> None:
    view = open_chart(accumulation())
    before = view.shown_bars()
    view.focus_date(view.chart.bars.as_of.replace(year=2099))
    assert view.shown_bars() == before


def test_a_level_far_away_comes_into_sight(open_chart: Opener) -> None:
    view = open_chart(accumulation())
    price = view.shown_prices()[1] * 1.5
    view.focus_level(price)
    low, high = view.shown_prices()
    assert low < price < high


def test_keys_pan_zoom_and_come_back(open_chart: Opener) -> None:
    view = open_chart(drawn_chart(800))
    first, last = view.shown_bars()
    assert last - first == pytest.approx(SHOWN_BARS)
    press(view, Qt.Key.Key_PageUp)
    assert view.shown_bars()[1] == pytest.approx(first)
    press(view, Qt.Key.Key_Up)
    assert view.shown_bars()[1] - view.shown_bars()[0] < SHOWN_BARS
    press(view, Qt.Key.Key_End)
    assert view.shown_bars() == pytest.approx((first, last))


def test_a_week_holds_its_days(open_chart: Opener) -> None:
    chart = drawn_chart(250)
    view = open_chart(chart)
    for period in ("week", "month"):
        view.show_period(period)
        drawn, bars = view.series, chart.bars
        assert len(drawn) < len(bars)
        assert drawn.volume.sum() == pytest.approx(bars.volume.sum())
        assert drawn.high.max() == bars.high.max()
        assert drawn.close[-1] == bars.close[-1]
        assert drawn.open[0] == bars.open[0]


@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize(
    "bars",
    [
        pytest.param(flat_bars(closes=(10.0,)), id="one bar"),
        pytest.param(with_volume(flat_bars(closes=(10.0, 10.5, 10.2)), 0.0), id="no volume"),
        pytest.param(with_volume(flat_bars(closes=(10.0, 10.5, 10.2)), float("nan")), id="unknown volume"),
        pytest.param(replace(flat_bars(closes=(10.0,) * 80), high=np.full(80, 10.0), low=np.full(80, 10.0)), id="flat"),
    ],
)
def test_poor_series_are_drawn(open_chart: Opener, bars: Bars, period: Period) -> None:
    view = open_chart(chart_of(bars), period)
    low, high = view.shown_prices()
    assert low < bars.low.min() <= bars.high.max() < high
    assert not view.grab().isNull()


def test_suspended_days_leave_no_gap(open_chart: Opener) -> None:
    whole = drawn_chart(60).bars
    kept = np.r_[0:20, 45:60]
    names = ("dates", "open", "high", "low", "close", "volume", "amount")
    bars = replace(whole, **{name: getattr(whole, name)[kept] for name in names})
    view = open_chart(chart_of(bars))
    assert len(view.series) == len(kept)
    assert view.series.index_of(day(bars.dates[20])) == 20
    assert not view.grab().isNull()


def test_twenty_thousand_bars_are_drawn_as_few_as_the_pixels_hold(open_chart: Opener) -> None:
    view = open_chart(drawn_chart(20_000))
    view.show_bars(0, 20_000)
    assert not view.grab().isNull()
    candles = next(item for item in view.scene().items() if isinstance(item, Candles))
    drawn = sum(len(lines.ndarray()) for lines in candles._lines)
    assert SIZE[0] / 4 < drawn <= SIZE[0] / 2 + 2
