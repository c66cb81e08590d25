"""The first page: what this is, what it is not, and three questions that work at once, without a key."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from desktop.context import Ui
from desktop.widgets import button, icon_label, label

PROMPTS: Final = ("desktop.prompt_stock", "desktop.prompt_market", "desktop.prompt_portfolio")
FACTS: Final = (("database", "sample"), ("cpu", "offline"), ("key-round", "model"))


class Onboarding(QFrame):
    """Shown while a conversation is empty.

    Args:
        ui: shared parts.
    """

    prompt_chosen = Signal(str)
    add_model = Signal()

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self.setObjectName("onboardingPage")
        self.setProperty("role", "canvas")
        texts = ui.texts
        column = QVBoxLayout()
        column.setSpacing(12)
        column.addStretch(1)
        column.addWidget(label(texts("desktop.welcome"), "display"))
        column.addWidget(label(texts("desktop.welcome_line"), "body", tone="2", wrap=True))
        column.addSpacing(4)
        for name, key in FACTS:
            column.addWidget(self._fact(ui, name, key))
        column.addSpacing(8)
        column.addWidget(label(texts("desktop.try_one"), "small", tone="3"))
        for number, key in enumerate(PROMPTS, start=1):
            prompt = button(texts(key), name=f"prompt{number}")
            prompt.clicked.connect(partial(self._choose, texts(key)))
            column.addWidget(prompt)
        column.addSpacing(8)
        risk = label(texts("desktop.risk_notice"), "small", tone="3", wrap=True)
        column.addWidget(risk)
        column.addStretch(2)
        row = QHBoxLayout(self)
        row.setContentsMargins(48, 24, 48, 12)
        row.addStretch(1)
        row.addLayout(column, 6)
        row.addStretch(1)

    def _choose(self, text: str, _checked: bool = False) -> None:
        self.prompt_chosen.emit(text)

    def _fact(self, ui: Ui, name: str, key: str) -> QFrame:
        card = QFrame()
        card.setProperty("role", "outlined")
        row = QHBoxLayout(card)
        row.setContentsMargins(14, 10, 14, 10)
        row.setSpacing(12)
        row.addWidget(icon_label(name, ui.theme, "accent", 18))
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(label(ui.texts(f"desktop.fact_{key}"), bold=True))
        words.addWidget(label(ui.texts(f"desktop.fact_{key}_line"), "small", tone="2", wrap=True))
        row.addLayout(words, 1)
        if key == "model":
            add = button(ui.texts("desktop.add_model"), small=True, name="onboardingAddModel")
            add.clicked.connect(self.add_model)
            row.addWidget(add)
        return card
