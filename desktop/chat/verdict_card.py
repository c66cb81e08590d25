"""A conclusion on a stock: action, confidence, levels and evidence. A click on a level or an evidence goes to the chart."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.flow import FlowLayout
from desktop.viewmodels.parts import VerdictPart
from desktop.widgets import Elided, button, hairline, icon_label, label

LEVELS: Final = ("entry", "stop", "target", "invalidation")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


class VerdictCard(QFrame):
    """One verdict.

    Args:
        ui: shared parts.
        part: what is shown.
    """

    level_clicked = Signal(str, float)  # symbol, price
    evidence_clicked = Signal(str, str)  # symbol, date

    def __init__(self, ui: Ui, part: VerdictPart) -> None:
        super().__init__()
        verdict = part.verdict
        self.setObjectName(f"verdictCard-{verdict.id}")
        self.setProperty("role", "verdict")
        action = ui.texts(f"tools.action_{verdict.action.value}")
        self.setAccessibleName(f"{verdict.name} {action}")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addWidget(_head(ui, part, action))
        layout.addWidget(hairline())
        layout.addWidget(self._levels(ui, part))
        if part.capped_from is not None:
            layout.addWidget(_cap(ui, part, action))
        if verdict.evidence:
            layout.addWidget(hairline())
            layout.addWidget(self._evidence(ui, part))
        layout.addWidget(hairline())
        layout.addWidget(_foot(ui, part))

    def _levels(self, ui: Ui, part: VerdictPart) -> QWidget:
        """Four columns; a level that is not given is a dash."""
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        verdict = part.verdict
        for index, name in enumerate(LEVELS):
            if index:
                row.addWidget(hairline(vertical=True))
            price: float | None = getattr(verdict.levels, name)
            shown = "—" if price is None else f"{price:.2f}"
            level = _LevelButton(ui.texts(f"desktop.level_{name}"), shown)
            level.setEnabled(price is not None)
            if price is not None:
                level.clicked.connect(lambda _=False, value=price: self.level_clicked.emit(verdict.symbol, value))
            row.addWidget(level, 1)
        return holder

    def _evidence(self, ui: Ui, part: VerdictPart) -> QWidget:
        holder = QWidget()
        row = FlowLayout(holder)
        row.setContentsMargins(12, 9, 12, 9)
        for text in part.verdict.evidence:
            chip = button(text, "chip")
            date = _DATE.search(text)
            chip.setEnabled(date is not None)
            if date is not None:
                target = (part.verdict.symbol, date[0])
                chip.clicked.connect(lambda _=False, to=target: self.evidence_clicked.emit(*to))
            chip.setToolTip(text if date is None else ui.texts("desktop.evidence_hint"))
            row.addWidget(chip)
        return holder


class _LevelButton(QPushButton):
    """A caption over a figure; the whole is one button."""

    def __init__(self, caption: str, figure: str) -> None:
        super().__init__()
        self.setProperty("kind", "level")
        self.setMinimumHeight(54)
        self.setAccessibleName(f"{caption} {figure}")
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 6, 12, 6)
        column.setSpacing(0)
        for widget in (label(caption, "small", tone="3"), label(figure, "title")):
            widget.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            column.addWidget(widget)


def _head(ui: Ui, part: VerdictPart, action: str) -> QWidget:
    verdict = part.verdict
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(12, 8, 12, 8)
    row.setSpacing(10)
    row.addWidget(label(action, "action"))
    row.addWidget(Elided(f"{verdict.symbol} {verdict.name}", tone="2"), 1)
    if verdict.confidence is not None:
        bar = QProgressBar()
        bar.setFixedSize(64, 6)
        bar.setTextVisible(False)
        bar.setRange(0, 100)
        bar.setValue(round(verdict.confidence * 100))
        row.addWidget(label(ui.texts("desktop.confidence"), "small", tone="3"))
        row.addWidget(bar)
        row.addWidget(label(f"{verdict.confidence:.2f}", bold=True))
        row.addWidget(label("·", "small", tone="3"))
    row.addWidget(label(ui.texts("desktop.horizon", days=verdict.horizon_days), "small", tone="3"))
    return holder


def _cap(ui: Ui, part: VerdictPart, action: str) -> QWidget:
    band = QFrame()
    band.setProperty("role", "band")
    row = QHBoxLayout(band)
    row.setContentsMargins(12, 8, 12, 8)
    row.setSpacing(8)
    row.addWidget(icon_label("shield-alert", ui.theme, "warn"), 0, Qt.AlignmentFlag.AlignTop)
    words = QVBoxLayout()
    words.setSpacing(0)
    before = ui.texts(f"tools.action_{part.capped_from}")
    words.addWidget(label(ui.texts("desktop.capped", before=before, after=action), bold=True, wrap=True))
    if part.rules:
        words.addWidget(label("\n".join(part.rules), tone="2", wrap=True))
    row.addLayout(words, 1)
    return band


def _foot(ui: Ui, part: VerdictPart) -> QWidget:
    """The price it was made at with its day, and the risk notice."""
    verdict = part.verdict
    made_at = ""
    if verdict.price is not None:
        made_at = ui.texts("desktop.made_at", price=f"{verdict.price:.2f}", as_of=verdict.price_as_of)
    foot = label(f"{made_at}{ui.texts('desktop.risk_short')}", "small", tone="3", wrap=True)
    foot.setContentsMargins(12, 6, 12, 7)
    return foot
