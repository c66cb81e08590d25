"""Network: through which proxy models are asked, and whether the default one answers that way."""

from __future__ import annotations

import asyncio
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.settings.fields import Choice, mark_invalid, text_line
from desktop.settings.keep import keep
from desktop.settings.work import Work
from desktop.widgets import button, label
from runtime.errors import UserError
from runtime.providers.catalogue import test_model
from runtime.providers.model_config import OFFLINE_ID
from runtime.providers.wire.endpoint import is_loopback
from runtime.settings import is_address
from runtime.workspace import Workspace

CUSTOM: Final = "custom"
EXAMPLE: Final = "http://127.0.0.1:7890"
WAYS: Final = ("system", "none", CUSTOM)
WORDS: Final = 40  # of a tested model's answer that are shown


class NetworkPage(QWidget):
    """The proxy.

    Args:
        ui: shared parts.
        workspace: the services.
    """

    spoke = Signal(QWidget)

    def __init__(self, ui: Ui, workspace: Workspace) -> None:
        super().__init__()
        self._ui = ui
        self._workspace = workspace
        texts = ui.texts
        self._work = Work(ui, "proxyMessage")
        self._read = False
        ways = [(way, texts(f"settings.proxy_{way}")) for way in WAYS]
        self._way = Choice("proxy", texts("settings.proxy"), ways, WAYS[0])
        self._way.chosen.connect(self._chosen)
        self._address = text_line("proxyAddress", texts("settings.proxy_address"), EXAMPLE)
        self._address.textChanged.connect(lambda _text: mark_invalid(self._address, invalid=False))
        self._save = button(texts("settings.save"), name="proxySave")
        self._save.clicked.connect(lambda: self._work.start(self._saved))
        self._address.returnPressed.connect(self._save.click)
        self._test = button(texts("settings.save_and_test"), name="proxyTest")
        self._test.clicked.connect(lambda: self._work.start(self._tested))
        self._work.busy_changed.connect(self._show_busy)
        self._work.spoke.connect(self.spoke)
        self._lay_out()
        self._show(workspace.base.settings.proxy)

    @property
    def busy(self) -> bool:
        """Whether something is being done."""
        return self._work.busy

    def showEvent(self, event: QShowEvent) -> None:
        """The page opens for the first time: read what holds."""
        super().showEvent(event)
        if not self._read:
            self._read = True
            self._work.start(self._loaded)

    async def aclose(self) -> None:
        """End what runs."""
        await self._work.aclose()

    def _lay_out(self) -> None:
        texts = self._ui.texts
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 0)
        layout.setSpacing(8)
        layout.addWidget(label(texts("settings.network"), "action"))
        layout.addWidget(label(texts("settings.network_line"), "small", tone="3", wrap=True))
        layout.addSpacing(6)
        layout.addWidget(label(texts("settings.proxy"), tone="2"))
        layout.addWidget(self._way)
        layout.addWidget(self._address)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self._save)
        row.addWidget(self._test)
        row.addStretch(1)
        layout.addLayout(row)
        layout.addWidget(self._work)
        layout.addStretch(1)

    def _show(self, proxy: str) -> None:
        custom = proxy not in WAYS[:2]
        self._way.choose(CUSTOM if custom else proxy)
        self._address.setText(proxy if custom else "")
        self._address.setEnabled(custom)

    def _chosen(self, way: str) -> None:
        self._address.setEnabled(way == CUSTOM)
        if way == CUSTOM:
            self._address.setFocus()

    def _show_busy(self, busy: bool) -> None:
        self._save.setEnabled(not busy)
        self._test.setEnabled(not busy)

    async def _loaded(self) -> None:
        settings = await asyncio.to_thread(self._workspace.base.live.now)
        self._show(settings.proxy)

    async def _saved(self) -> None:
        await self._keep()
        self._work.say(self._ui.texts("settings.proxy_kept"))

    async def _tested(self) -> None:
        """Keep what is chosen, then ask the default model one word that way."""
        await self._keep()
        models, texts = self._workspace.models, self._ui.texts
        config = models.get(models.default_id())
        if config.id == OFFLINE_ID:
            raise UserError("settings.proxy_no_model")
        if is_loopback(config.base_url):
            raise UserError("settings.proxy_not_used", id=config.id)
        provider = await models.provider(config.id)
        try:
            probe = await test_model(provider)
        finally:
            await provider.aclose()
        seconds, words = f"{probe.latency_s:.1f}", probe.words[:WORDS]
        self._work.say(texts("cli.model_tested", id=config.id, seconds=seconds, text=words))

    async def _keep(self) -> None:
        """Write the proxy; an address that cannot be one stays to be corrected, and may hold a secret that is not repeated."""
        proxy = self._address.text().strip() if self._way.value == CUSTOM else self._way.value
        if self._way.value == CUSTOM and not is_address(proxy):
            mark_invalid(self._address, invalid=True)
            raise UserError("settings.bad_proxy")
        await keep(self._workspace.base.live, "proxy", proxy)
