"""The first page: what this is, what it is not, three questions that work at once without a key, and the way to a model."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.flow import FlowLayout
from desktop.widgets import IconLabel, hairline, label

WIDTH: Final = 576
PROMPTS: Final = (("chart-candlestick", "stock"), ("radar", "market"), ("wallet", "portfolio"))
SERVICES: Final = {
    "deepseek": "deepseek",
    "anthropic": "anthropic",
    "openai": "openai",
    "gemini": "gemini",
    "local": "ollama",
}  # card and the service it begins with
LATER: Final = "later"
COLUMNS: Final = 3
NARROW: Final = 560  # below this two of them
PROMISES: Final = (("key-round", "keys"), ("hard-drive", "local"), ("shield-check", "ask"))


class Onboarding(QScrollArea):
    """Shown while a conversation is empty.

    Args:
        ui: shared parts.
    """

    prompt_chosen = Signal(str)
    add_model = Signal(str)  # the service
    later = Signal()

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self.setObjectName("onboardingPage")
        self.setProperty("role", "canvas")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._ui = ui
        self._columns = COLUMNS
        self._services = self._make_services()
        self._grid = QGridLayout()
        self._grid.setSpacing(8)
        self._arrange_services()
        texts = ui.texts
        page = QWidget()
        page.setProperty("role", "canvas")
        middle = QWidget()
        middle.setMaximumWidth(WIDTH)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addStretch(1)
        column.addWidget(label(texts("desktop.welcome"), "display"))
        column.addWidget(label(texts("desktop.welcome_line"), "body", tone="2", wrap=True))
        column.addSpacing(20)
        column.addWidget(label(texts("desktop.try_one"), "small", tone="3"))
        column.addWidget(self._prompts())
        column.addSpacing(20)
        column.addWidget(label(texts("desktop.add_own_model"), "small", tone="3"))
        column.addLayout(self._grid)
        column.addSpacing(20)
        column.addWidget(self._promises())
        column.addWidget(label(texts("desktop.risk_notice"), "small", tone="3", wrap=True))
        column.addStretch(2)
        around = QHBoxLayout(page)
        around.setContentsMargins(24, 24, 24, 12)
        around.addWidget(middle)
        self.setWidget(page)

    def _prompts(self) -> QFrame:
        card = QFrame()
        card.setProperty("role", "outlined")
        rows = QVBoxLayout(card)
        rows.setContentsMargins(1, 1, 1, 1)
        rows.setSpacing(0)
        for number, (name, key) in enumerate(PROMPTS, start=1):
            text = self._ui.texts(f"desktop.prompt_{key}")
            row = _CardButton(f"prompt{number}", text, "group")
            row.setMinimumHeight(60)
            row.fill(
                IconLabel(name, self._ui.themes, "accent", 18),
                text,
                self._ui.texts(f"desktop.prompt_{key}_line"),
                IconLabel("arrow-right", self._ui.themes, "text.2", 16),
            )
            row.clicked.connect(partial(self._choose, text))
            if number > 1:
                rows.addWidget(hairline())
            rows.addWidget(row)
        return card

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the cards room for their words."""
        super().resizeEvent(event)
        columns = COLUMNS if self.viewport().width() >= NARROW else COLUMNS - 1
        if columns != self._columns:
            self._columns = columns
            self._arrange_services()

    def _arrange_services(self) -> None:
        for card in self._services:
            self._grid.removeWidget(card)
        for index, card in enumerate(self._services):
            self._grid.addWidget(card, index // self._columns, index % self._columns)
        for column in range(COLUMNS):
            self._grid.setColumnStretch(column, int(column < self._columns))

    def _make_services(self) -> list[QPushButton]:
        cards: list[QPushButton] = []
        for key in (*SERVICES, LATER):
            card = _CardButton(f"onboarding-{key}", self._ui.texts(f"desktop.service_{key}"), "card")
            card.setMinimumHeight(56)
            card.setProperty("dashed", "true" if key == LATER else "false")
            sign = IconLabel("arrow-right" if key == LATER else "plus", self._ui.themes, "text.3", 14)
            name, line = self._ui.texts(f"desktop.service_{key}"), self._ui.texts(f"desktop.service_{key}_line")
            card.fill(None, name, line, sign)
            card.clicked.connect(self.later if key == LATER else partial(self._add, SERVICES[key]))
            cards.append(card)
        return cards

    def _promises(self) -> QWidget:
        holder = QWidget()
        flow = FlowLayout(holder, spacing=6)
        for name, key in PROMISES:
            item = QWidget()
            row = QHBoxLayout(item)
            row.setContentsMargins(0, 0, 14, 0)
            row.setSpacing(6)
            row.addWidget(IconLabel(name, self._ui.themes, "text.3", 14))
            row.addWidget(label(self._ui.texts(f"desktop.promise_{key}"), "small", tone="3"))
            flow.addWidget(item)
        return holder

    def _add(self, service: str, _checked: bool = False) -> None:
        self.add_model.emit(service)

    def _choose(self, text: str, _checked: bool = False) -> None:
        self.prompt_chosen.emit(text)


class _CardButton(QPushButton):
    """A whole card as one button: icon, name over a line, a sign at the right."""

    def __init__(self, name: str, accessible: str, kind: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setProperty("kind", kind)
        self.setAutoDefault(False)
        self.setAccessibleName(accessible)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def fill(self, picture: QWidget | None, name: str, line: str, sign: QWidget) -> None:
        """Put the parts in; none of them takes the click away."""
        row = QHBoxLayout(self)
        row.setContentsMargins(16 if picture else 12, 8, 14, 8)
        row.setSpacing(12)
        words = QVBoxLayout()
        words.setSpacing(0)
        title = label(name, "body" if picture else "ui", bold=picture is None)
        below = label(line, "small", tone="3")
        words.addWidget(title)
        words.addWidget(below)
        if picture is not None:
            row.addWidget(picture)
        row.addLayout(words, 1)
        row.addWidget(sign)
        for widget in (picture, title, below, sign):
            if widget is not None:
                widget.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
