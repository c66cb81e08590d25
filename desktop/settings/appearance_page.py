"""Appearance: light, dark or the system's; which colour means up."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QRadioButton, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.theme import MarketMode, SchemeChoice
from desktop.widgets import label

SCHEMES: Final[tuple[SchemeChoice, ...]] = ("system", "light", "dark")
MODES: Final[tuple[MarketMode, ...]] = ("cn", "intl", "cb")


class AppearancePage(QWidget):
    """The look; a choice takes effect at once.

    Args:
        ui: shared parts.
    """

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addWidget(label(ui.texts("desktop.appearance"), "title"))
        layout.addWidget(label(ui.texts("desktop.scheme"), tone="2"))
        layout.addLayout(self._row("scheme", SCHEMES, ui.themes.choice))
        layout.addWidget(label(ui.texts("desktop.market_colors"), tone="2"))
        layout.addLayout(self._row("market", MODES, ui.themes.market_mode))
        layout.addStretch(1)

    def _row(self, kind: str, values: tuple[str, ...], current: str) -> QHBoxLayout:
        group = QButtonGroup(self)
        row = QHBoxLayout()
        row.setSpacing(16)
        for value in values:
            choice = QRadioButton(self._ui.texts(f"desktop.{kind}_{value}"))
            choice.setObjectName(f"{kind}-{value}")
            choice.setChecked(value == current)
            choice.toggled.connect(lambda on, chosen=value: self._choose(kind, chosen) if on else None)
            group.addButton(choice)
            row.addWidget(choice)
        row.addStretch(1)
        return row

    def _choose(self, kind: str, value: str) -> None:
        if kind == "scheme":
            self._ui.themes.choose(scheme=next(item for item in SCHEMES if item == value))
        else:
            self._ui.themes.choose(market_mode=next(item for item in MODES if item == value))
