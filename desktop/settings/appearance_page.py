"""Appearance: light, dark or the system's; which colour means up; the language."""

from __future__ import annotations

import asyncio
from typing import Final

import tomlkit
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.settings.fields import Choice
from desktop.theme import MarketMode, SchemeChoice
from desktop.widgets import label
from runtime.errors import WyckoffError
from runtime.settings import SettingsFile
from runtime.texts import LANGUAGES

SCHEMES: Final[tuple[SchemeChoice, ...]] = ("system", "light", "dark")
MODES: Final[tuple[MarketMode, ...]] = ("cn", "intl", "cb")


class AppearancePage(QWidget):
    """The look, which changes at once, and the language, which changes with the next start.

    Args:
        ui: shared parts.
        settings_file: where the language is kept.
    """

    def __init__(self, ui: Ui, settings_file: SettingsFile) -> None:
        super().__init__()
        self._ui = ui
        self._file = settings_file
        self._writing: asyncio.Task[None] | None = None
        self._said = label("", "small", tone="3", wrap=True)
        self._said.setObjectName("languageMessage")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 0)
        layout.setSpacing(8)
        layout.addWidget(label(ui.texts("desktop.appearance"), "action"))
        layout.addSpacing(6)
        for kind, caption, values, current in (
            ("scheme", "desktop.scheme", SCHEMES, ui.themes.choice),
            ("market", "desktop.market_colors", MODES, ui.themes.market_mode),
            ("language", "settings.language", LANGUAGES, ui.texts.language),
        ):
            layout.addWidget(label(ui.texts(caption), tone="2"))
            layout.addWidget(self._choice(kind, caption, values, current))
            layout.addSpacing(10)
        layout.addWidget(self._said)
        layout.addStretch(1)

    async def aclose(self) -> None:
        """Finish what is being written."""
        if self._writing is not None:
            await asyncio.wait({self._writing})

    def _choice(self, kind: str, caption: str, values: tuple[str, ...], current: str) -> Choice:
        texts = self._ui.texts
        prefix = "settings.language" if kind == "language" else f"desktop.{kind}"
        choice = Choice(kind, texts(caption), [(value, texts(f"{prefix}_{value}")) for value in values], current)
        choice.chosen.connect(lambda value: self._choose(kind, value))
        return choice

    def _choose(self, kind: str, value: str) -> None:
        if kind == "scheme":
            self._ui.themes.choose(scheme=next(item for item in SCHEMES if item == value))
        elif kind == "market":
            self._ui.themes.choose(market_mode=next(item for item in MODES if item == value))
        else:
            self._writing = asyncio.ensure_future(self._keep_language(value, self._writing))

    async def _keep_language(self, language: str, before: asyncio.Task[None] | None) -> None:
        """Write the language, one choice after the other, and say when it takes effect."""
        if before is not None:
            await asyncio.wait({before})

        def change(document: tomlkit.TOMLDocument) -> None:
            document.setdefault("settings", tomlkit.table())["language"] = language

        try:
            await asyncio.to_thread(self._file.update, change)
        except WyckoffError as error:
            self._said.setText(self._ui.texts.error(error))
            return
        self._said.setText(self._ui.texts("settings.language_next_start"))
