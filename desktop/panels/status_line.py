"""The bottom line: which model answers, the tokens of the turn, as of when the prices are, what runs."""

from __future__ import annotations

from datetime import date

from PySide6.QtWidgets import QFrame, QHBoxLayout

from desktop.context import Ui
from desktop.widgets import Spinner, label
from runtime.core.messages import Usage


class StatusLine(QFrame):
    """28 px at the bottom of the window.

    Args:
        ui: shared parts.
    """

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self.setProperty("role", "status")
        self.setFixedHeight(28)
        self._ui = ui
        self._model = label("", "small", tone="2")
        self._usage = label("", "small", tone="3")
        self._usage.setObjectName("statusUsage")
        self._market = label("", "small", tone="3")
        self._spinner = Spinner(ui.spinners, ui.theme)
        self._spinner.hide()
        self._running = label("", "small", tone="2")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(12)
        row.addWidget(self._model)
        row.addWidget(self._usage)
        row.addStretch(1)
        row.addWidget(self._market)
        row.addWidget(self._spinner)
        row.addWidget(self._running)

    def show_model(self, name: str, *, offline: bool) -> None:
        """The model that answers next; a hollow dot for the offline analyst."""
        self._model.setText(f"{'○' if offline else '●'} {name}")

    def show_usage(self, usage: Usage) -> None:
        """Tokens and cost of the last turn."""
        if usage == Usage():
            self._usage.setText("")
            return
        cost = "" if usage.cost is None else self._ui.texts("desktop.cost", cost=f"{usage.cost:.3f}")
        text = self._ui.texts(
            "desktop.usage", fresh=f"{usage.input:,}", cached=f"{usage.cache_read:,}", output=f"{usage.output:,}"
        )
        self._usage.setText(text + cost)

    def show_market(self, newest: date | None, sample_as_of: date) -> None:
        """As of when the local bars and the sample market are."""
        if newest is None:
            self._market.setText(self._ui.texts("desktop.market_sample_only", as_of=sample_as_of))
        else:
            self._market.setText(self._ui.texts("desktop.market_as_of", as_of=newest))

    def show_running(self, count: int) -> None:
        """How many turns run."""
        self._spinner.setVisible(count > 0)
        self._running.setText(self._ui.texts("desktop.running", count=count) if count else "")
