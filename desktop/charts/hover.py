"""What the chart says in words: the card that explains an event, and the line for the bar under the crosshair."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.charts.series import Series
from desktop.context import Ui
from desktop.widgets import icon_label, label
from runtime.market.bars import day
from runtime.numbers import format_amount
from runtime.texts import Texts
from runtime.wyckoff.records import Event

WIDTH: Final = 248
AWAY: Final = 24  # from the bar it explains


class HoverCard(QFrame):
    """Explains one event; it stands on the side with more room and never over its bar.

    Args:
        ui: shared parts.
        parent: the chart.
    """

    def __init__(self, ui: Ui, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("evidenceCard")
        self.setProperty("role", "undo")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedWidth(WIDTH)
        self._ui = ui
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(12, 10, 12, 10)
        self._layout.setSpacing(4)
        self.hide()

    def explain(self, event: Event, at: QPoint) -> None:
        """Show an event beside its bar."""
        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        texts = self._ui.texts
        self._layout.addWidget(label(texts(f"wyckoff.event_{event.kind.value}"), bold=True, tone="accent"))
        known = texts("desktop.event_known", date=event.date, confirmed=event.confirm_date, price=f"{event.price:.2f}")
        self._layout.addWidget(label(known, "small", tone="3", wrap=True))
        for fact in event.evidence:
            value = "—" if fact.value is None else f"{fact.value:.2f}"
            text = f"{texts(f'wyckoff.evidence_{fact.name}')} {value}（{fact.need}）"
            self._layout.addWidget(self._line(text, ok=fact.ok))
        if event.invalidated_at is not None:
            self._layout.addWidget(label(texts("desktop.event_taken_back"), "small", tone="warn", wrap=True))
        self.setAccessibleName(texts(f"wyckoff.event_{event.kind.value}"))
        self.adjustSize()
        self._place(at)
        self.show()
        self.raise_()

    def _line(self, text: str, *, ok: bool) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(
            icon_label("check" if ok else "minus", self._ui.theme, "text.2", 12), 0, Qt.AlignmentFlag.AlignTop
        )
        row.addWidget(label(text, "small", wrap=True), 1)
        return holder

    def _place(self, at: QPoint) -> None:
        parent = self.parentWidget()
        if parent is None:
            return
        room_right = parent.width() - at.x()
        x = at.x() + AWAY if room_right > WIDTH + AWAY else at.x() - WIDTH - AWAY
        y = min(max(8, at.y() - self.height() // 2), parent.height() - self.height() - 8)
        self.move(max(4, x), max(4, y))


def bar_line(texts: Texts, series: Series, index: int) -> str:
    """Date, prices, change and volume of a bar."""
    close = float(series.close[index])
    change = "—" if index == 0 else f"{(close / float(series.close[index - 1]) - 1) * 100:+.2f}%"
    return texts(
        "desktop.bar_line",
        date=day(series.dates[index]),
        open=f"{series.open[index]:.2f}",
        high=f"{series.high[index]:.2f}",
        low=f"{series.low[index]:.2f}",
        close=f"{close:.2f}",
        change=change,
        volume=format_amount(float(series.volume[index])),
    )
