"""A settings dialog with its services, and the hands of a person in it."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeVar

from keyring.backend import KeyringBackend
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QListWidget, QPushButton, QWidget

from desktop.settings.dialog import SettingsDialog
from runtime.clock import FixedClock
from runtime.paths import Home
from runtime.providers.model_config import ModelConfig
from runtime.redact import Redactor
from runtime.secrets import SecretStore
from runtime.workspace import Overrides, Workspace, open_workspace
from tests.support.charts import ui_of
from tests.support.desks import NOW
from tests.support.keyrings import MemoryKeyring
from tests.support.windows import click, until

KEY = "sk-secret-0123456789abcdef"
MODEL = "test-model"
PAGES = ("models", "spending", "network", "appearance")

Kind = TypeVar("Kind", bound=QWidget)


class Opened:
    """A settings dialog and its services."""

    def __init__(self, dialog: SettingsDialog, workspace: Workspace) -> None:
        self.dialog = dialog
        self.workspace = workspace

    @property
    def said(self) -> str:
        """What the page of the models says."""
        return self.text("modelMessage")

    @property
    def listed(self) -> str:
        """The rows of the models."""
        listed = self.of(QListWidget, "modelList")
        return "\n".join(listed.item(row).text() for row in range(listed.count()))

    @property
    def ids(self) -> list[str]:
        """The configured models."""
        return [config.id for config in self.workspace.models.models()]

    def of(self, kind: type[Kind], name: str) -> Kind:
        """A widget that must be there."""
        found: Kind | None = self.dialog.findChild(kind, name)
        assert found is not None, name
        return found

    def text(self, name: str) -> str:
        """The words of a label."""
        return self.of(QLabel, name).text()

    def fill(self, name: str, text: str) -> QLineEdit:
        """Put a text into a line."""
        line = self.of(QLineEdit, name)
        line.setText(text)
        return line

    def go_to(self, page: str) -> None:
        """Open a page."""
        self.of(QListWidget, "settingsNav").setCurrentRow(PAGES.index(page))

    def choose_row(self, row: int) -> None:
        """Go to a model."""
        self.of(QListWidget, "modelList").setCurrentRow(row)

    async def add(self, address: str, key: str = KEY) -> None:
        """Fill the form, press the button, wait for the end."""
        self.fill("modelService", address)
        self.fill("modelName", MODEL)
        self.fill("modelKey", key)
        await self.press("modelAdd")

    async def configure(self, *models: ModelConfig) -> None:
        """Models that were configured before."""
        for config in models:
            await self.workspace.models.add(config)
        self.dialog.models.refresh()

    async def press(self, name: str) -> None:
        """Press a button of a page and wait for the end of what it starts."""
        click(self.of(QPushButton, name))
        await self.idle()

    async def idle(self) -> None:
        """Wait until no page does anything."""
        pages = (self.dialog.models, self.dialog.spending, self.dialog.network)
        await until(lambda: not any(page.busy for page in pages))


def a_model(model_id: str, base_url: str = "https://api.example.com/v1") -> ModelConfig:
    """A model of a service that nobody asks."""
    return ModelConfig(id=model_id, model=model_id, base_url=base_url)


Open = Callable[..., AbstractAsyncContextManager[Opened]]


def opener(qapp: QApplication, home: Home) -> Open:
    """Opens the dialog; no server of this machine is found unless its address is given."""

    @asynccontextmanager
    async def made(keyring: KeyringBackend | None = None, **variables: str) -> AsyncIterator[Opened]:
        nobody = f"http://127.0.0.1:{closed_port()}"
        environment = {"WYCKOFF_OLLAMA_URL": nobody, "WYCKOFF_LMSTUDIO_URL": nobody} | dict(os.environ) | variables
        secrets = SecretStore({}, Redactor(), keyring or MemoryKeyring())
        workspace = open_workspace(home, environment, Overrides(clock=FixedClock(NOW), secrets=secrets))
        window = QWidget()
        window.resize(1280, 800)
        dialog = SettingsDialog(ui_of(qapp), workspace, window)
        dialog.show()
        try:
            yield Opened(dialog, workspace)
        finally:
            await dialog.aclose()
            dialog.close()
            gone = asyncio.Event()
            window.destroyed.connect(gone.set)
            window.deleteLater()
            await gone.wait()  # not left to the collector, which may run in any thread
            workspace.close()

    return made


def closed_port() -> int:
    """A port of loopback on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
