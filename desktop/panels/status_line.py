"""The bottom line: which model answers, how full its window is, the tokens of the turn, as of when the prices are, what runs."""

from __future__ import annotations

from datetime import date
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QWidget

from desktop.context import Ui
from desktop.figures import compact, counted, money
from desktop.widgets import Dot, Elided, IconLabel, Spinner, button, hairline, label
from runtime.core.messages import Usage

HEIGHT: Final = 28
MODEL_WIDTH: Final = 200  # a longer name is cut


class StatusLine(QFrame):
    """28 px at the bottom of the window.

    Args:
        ui: shared parts.
    """

    tasks_asked = Signal()

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self.setProperty("role", "status")
        self.setFixedHeight(HEIGHT)
        self._ui = ui
        self._dot = Dot()
        self._model = label("", "small", tone="2")
        self._model.setObjectName("statusModel")
        self._context = self._make_context()
        self._usage = Elided("", "small", tone="3")
        self._usage.setObjectName("statusUsage")
        self._clock = IconLabel("clock", ui.themes, "text.3", 14)
        self._market = label("", "small", tone="3")
        self._spinner = Spinner(ui.spinners)
        self._running = button("", "ghost", small=True, name="statusTasks")
        self._running.clicked.connect(self.tasks_asked)
        self._running_line = _separator()
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 16, 0)
        row.setSpacing(6)
        row.addWidget(self._dot)
        row.addWidget(self._model)
        row.addWidget(self._context)
        self._usage_line = _separator()
        row.addWidget(self._usage_line)
        row.addWidget(self._usage, 1)
        for widget in (self._clock, self._market, self._running_line, self._spinner, self._running):
            row.addWidget(widget)
        self._clock.hide()
        self.show_usage(Usage())
        self.show_context(0, 0)
        self.show_running(0)

    def show_model(self, name: str, *, offline: bool) -> None:
        """The model that answers, or answers next; a hollow dot for the offline analyst."""
        self._dot.fill(on=not offline)
        metrics = self._model.fontMetrics()
        self._model.setText(metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, MODEL_WIDTH))
        self._model.setToolTip(name)

    def show_context(self, used: int, window: int) -> None:
        """How much of the model's window the last call took, in tokens; nothing while that is not known."""
        known = used > 0 and window > 0
        self._context.setVisible(known)
        if known:
            self._bar.setValue(min(100, round(used / window * 100)))
            text = self._ui.texts("desktop.context_used", used=compact(used), window=compact(window))
            self._context_text.setText(text)

    def show_usage(self, usage: Usage, *, at_least: bool = False) -> None:
        """Tokens and cost of the last turn, as far as it has come; an unknown cost is left out.

        Args:
            usage: the sums.
            at_least: some of the calls have a cost that is not known.
        """
        texts, known, estimated = self._ui.texts, usage != Usage(), usage.estimated
        self._usage_line.setVisible(known)
        written = counted(usage.cache_write, estimated=estimated)
        text = texts(
            "desktop.usage",
            fresh=counted(usage.input, estimated=estimated),
            cached=counted(usage.cache_read, estimated=estimated),
            written=texts("desktop.usage_written", written=written) if usage.cache_write else "",
            output=counted(usage.output, estimated=estimated),
        )
        price = "desktop.cost_at_least" if at_least else "desktop.cost"
        cost = "" if usage.cost is None else texts(price, cost=money(usage.cost, estimated=estimated))
        self._usage.set_whole(text + cost if known else "")

    def show_market(self, newest: date | None, sample_as_of: date) -> None:
        """As of when the local bars and the sample market are."""
        self._clock.show()
        if newest is None:
            self._market.setText(self._ui.texts("desktop.market_sample_only", as_of=sample_as_of))
        else:
            self._market.setText(self._ui.texts("desktop.market_as_of", as_of=newest))

    def show_running(self, count: int) -> None:
        """How many turns run; the button opens the tasks."""
        self._spinner.setVisible(count > 0)
        self._running.setText(
            self._ui.texts("desktop.running", count=count) if count else self._ui.texts("tasks.title")
        )

    def _make_context(self) -> QWidget:
        holder = QWidget()
        holder.setObjectName("statusContext")
        self._bar = QProgressBar()
        self._bar.setProperty("inline", "true")
        self._bar.setFixedSize(56, 4)
        self._bar.setTextVisible(False)
        self._context_text = label("", "small", tone="3")
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(_separator())
        row.addWidget(label(self._ui.texts("desktop.context"), "small", tone="3"))
        row.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._context_text)
        return holder


def _separator() -> QWidget:
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(6, 8, 6, 8)
    row.addWidget(hairline(vertical=True))
    return holder
