"""What the chart says in words: the card that explains an event, and the line for the bar under the crosshair."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

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
                widget.hide()
                widget.deleteLater()
        texts = self._ui.texts
        name = texts(f"wyckoff.event_{event.kind.value}")
        self._layout.addWidget(label(name, bold=True, tone="accent"))
        self._layout.addWidget(_wrapped(self._known(event), tone="3"))
        met = sum(fact.ok for fact in event.evidence)
        if event.evidence:
            self._layout.addWidget(_wrapped(texts("charts.met", met=met, count=len(event.evidence)), tone="2"))
        for fact in event.evidence:
            value = "—" if fact.value is None else f"{fact.value:.2f}".replace("-", "−")
            text = f"{texts(f'wyckoff.evidence_{fact.name}')} {value}（{_need(fact.need)}）"
            self._layout.addWidget(self._line(text, ok=fact.ok))
        if event.invalidated_at is not None:
            self._layout.addWidget(_wrapped(texts("desktop.event_taken_back"), tone="warn"))
        self.setAccessibleName(name)
        self._layout.activate()
        self.setFixedHeight(self._layout.totalHeightForWidth(WIDTH))
        self._place(at)
        self.show()
        self.raise_()

    def _known(self, event: Event) -> str:
        """Day, phase, price, and from when on it was known."""
        return self._ui.texts(
            "charts.event_known",
            date=event.date,
            phase=event.phase.value,
            price=f"{event.price:.2f}",
            confirmed=f"{event.confirm_date:%m-%d}",
        )

    def _line(self, text: str, *, ok: bool) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(
            icon_label("check" if ok else "minus", self._ui.theme, "text.2", 12), 0, Qt.AlignmentFlag.AlignTop
        )
        row.addWidget(_wrapped(text), 1)
        return holder

    def _place(self, at: QPoint) -> None:
        parent = self.parentWidget()
        if parent is None:
            return
        room_right = parent.width() - at.x()
        x = at.x() + AWAY if room_right > WIDTH + AWAY else at.x() - WIDTH - AWAY
        y = min(max(8, at.y() - self.height() // 2), parent.height() - self.height() - 8)
        self.move(max(4, x), max(4, y))


def _wrapped(text: str, *, tone: str = "1") -> QLabel:
    """A small label whose height follows from its width."""
    result = label(text, "small", tone=tone, wrap=True)
    policy = result.sizePolicy()
    policy.setHeightForWidth(True)
    result.setSizePolicy(policy)
    return result


def _need(bound: str) -> str:
    """A bound as it is read: ≥ and ≤ and never apart from their figure."""
    return bound.replace(">=", "≥\u00a0").replace("<=", "≤\u00a0")


def bar_line(texts: Texts, series: Series, index: int) -> str:
    """Date, prices, change and volume of a bar."""
    close = float(series.close[index])
    change = "—" if index == 0 else f"{(close / float(series.close[index - 1]) - 1) * 100:+.2f}%".replace("-", "−")
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
