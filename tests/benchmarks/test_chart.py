"""Frames of the chart while it is panned; printed, not asserted (`pytest -m benchmark -s`)."""

from __future__ import annotations

import os
import statistics
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_API", "pyside6")
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from desktop.charts.chart import ChartView
from tests.support.charts import drawn_chart, ui_of

pytestmark = pytest.mark.benchmark
RUNS = 3
FRAMES = 120
SIZE = 760, 520


@pytest.mark.parametrize(("bars", "visible"), [(2500, 180), (2500, 2500), (20_000, 20_000)])
def test_cpu_time_of_a_frame_while_panning(qapp: QApplication, bars: int, visible: int) -> None:
    view = ChartView(ui_of(qapp), drawn_chart(bars))
    view.resize(*SIZE)
    view.show()
    qapp.processEvents()
    medians = []
    for _ in range(RUNS):
        frames = []
        for frame in range(FRAMES):
            start = time.process_time()
            first = max(0, bars - visible - 2 * FRAMES) * frame / FRAMES + frame
            view.show_bars(first, first + visible)
            view.viewport().repaint()
            frames.append((time.process_time() - start) * 1000)
        medians.append((statistics.median(frames), float(np.percentile(frames, 95))))
    shown = "  ".join(f"{median:.1f}/{late:.1f}" for median, late in medians)
    print(f"\n{bars} bars, {visible} visible, {len(view.labels)} marks: median/p95 CPU ms a frame  {shown}")
    assert medians
    view.close()
    view.deleteLater()
