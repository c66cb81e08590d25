"""Model servers on this machine: what was found when the page was opened, and the way to add it. Looking never holds the window up."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.figures import compact
from desktop.widgets import Elided, Spinner, button, label
from runtime.errors import WyckoffError
from runtime.providers.discovery import LocalModel, LocalServer, discover
from runtime.providers.model_config import ModelConfig
from runtime.workspace import Workspace

ROW_HEIGHT: Final = 36
NOTE_HEIGHT: Final = 24
TALLEST: Final = 4 * ROW_HEIGHT  # more scrolls
NAMES: Final = {"ollama": "Ollama", "lmstudio": "LM Studio"}


class LocalServers(QWidget):
    """What Ollama and LM Studio offer.

    Args:
        ui: shared parts.
        workspace: the services.
    """

    add_asked = Signal(object)  # ModelConfig

    def __init__(self, ui: Ui, workspace: Workspace) -> None:
        super().__init__()
        self._ui = ui
        self._workspace = workspace
        self._task: asyncio.Task[None] | None = None
        self._found: tuple[LocalServer, ...] = ()
        self._busy = False
        self._adds: list[QPushButton] = []
        self._spinner = Spinner(ui.spinners)
        self._again = button(ui.texts("settings.look_again"), "ghost", small=True, name="localAgain")
        self._again.clicked.connect(self.look)
        self._rows = QScrollArea()
        self._rows.setObjectName("localServers")
        self._rows.setAccessibleName(ui.texts("settings.local"))
        self._rows.setWidgetResizable(True)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(label(ui.texts("settings.local"), "title"))
        head.addWidget(self._spinner)
        head.addStretch(1)
        head.addWidget(self._again)
        frame = QFrame()
        frame.setProperty("role", "outlined")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self._rows)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(frame)
        self._show([label(ui.texts("settings.looking"), "small", tone="3")])

    def look(self) -> None:
        """Look for the servers, unless that is being done."""
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._look())

    def refresh(self) -> None:
        """Show what was found; what is in the list of models already cannot be added twice."""
        known = {(config.base_url, config.model): config.id for config in self._workspace.models.models()}
        taken = set(known.values())
        self._adds = []
        rows: list[QWidget] = []
        for server in self._found:
            name = NAMES[server.server]
            host = urlsplit(server.base_url).netloc
            if not server.models:
                key = "settings.local_empty" if server.running else "settings.local_none"
                rows.append(Elided(self._ui.texts(key, server=name, host=host), "small", tone="3"))
            for model in server.models:
                added = (model.config.base_url, model.config.model) in known
                rows.append(self._row(name, model, taken, added=added))
        if rows:
            self._show(rows)

    def set_busy(self, *, busy: bool) -> None:
        """While another act runs nothing is added."""
        self._busy = busy
        for add in self._adds:
            add.setEnabled(not busy)

    async def aclose(self) -> None:
        """Stop looking."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _look(self) -> None:
        self._spinner.show()
        self._again.setEnabled(False)
        try:
            settings = await asyncio.to_thread(self._workspace.base.live.now)
            self._found = await discover(ollama_url=settings.ollama_url, lmstudio_url=settings.lmstudio_url)
            self.refresh()
        except WyckoffError as error:
            self._show([Elided(self._ui.texts.error(error), "small", tone="warn")])
        finally:
            self._spinner.hide()
            self._again.setEnabled(True)

    def _row(self, server: str, model: LocalModel, taken: set[str], *, added: bool) -> QWidget:
        config = model.config
        texts = self._ui.texts
        window = (
            "" if config.context_window is None else texts("settings.row_window", window=compact(config.context_window))
        )
        words = texts("settings.local_model", server=server, model=config.model)
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(Elided(words, tone="1"), 1)
        line.addWidget(label(window, "small", tone="3"))
        if added:
            line.addWidget(label(texts("settings.local_added"), "small", tone="3"))
            return row
        add = button(texts("settings.local_add"), small=True, name=f"localAdd-{model.server}-{config.model}")
        add.setAccessibleName(f"{texts('settings.local_add')} {words}")
        add.setEnabled(not self._busy)
        add.clicked.connect(partial(self._ask, _named(config, model.server, taken)))
        self._adds.append(add)
        line.addWidget(add)
        return row

    def _ask(self, config: ModelConfig, _checked: bool = False) -> None:
        self.add_asked.emit(config)

    def _show(self, rows: Sequence[QWidget]) -> None:
        holder = QWidget()
        holder.setProperty("role", "canvas")
        column = QVBoxLayout(holder)
        column.setContentsMargins(12, 4, 8, 4)
        column.setSpacing(0)
        height = 0
        for row in rows:
            row.setFixedHeight(NOTE_HEIGHT if isinstance(row, QLabel) else ROW_HEIGHT)
            height += row.height()
            column.addWidget(row)
        self._rows.setWidget(holder)
        self._rows.setFixedHeight(min(height, TALLEST) + 8)


def _named(config: ModelConfig, server: str, taken: set[str]) -> ModelConfig:
    """The model under an id that is free: the same one may come from both servers, or from elsewhere."""
    return config if config.id not in taken else replace(config, id=f"{config.id[:54]}@{server}")
