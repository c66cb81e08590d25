"""Models: what there is, add one, test it, choose the default. Keys go to the operating system's keyring or nowhere."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop.context import Ui
from desktop.widgets import Spinner, button, label
from runtime.errors import WyckoffError
from runtime.providers.catalogue import test_model
from runtime.providers.model_config import OFFLINE_ID, ModelConfig
from runtime.providers.openai_compatible.endpoint import PRESETS, is_loopback
from runtime.workspace import Workspace

ID = Qt.ItemDataRole.UserRole


class ModelsPage(QWidget):
    """The models of a workspace.

    Args:
        ui: shared parts.
        workspace: the services.
    """

    changed = Signal()

    def __init__(self, ui: Ui, workspace: Workspace) -> None:
        super().__init__()
        self._ui = ui
        self._workspace = workspace
        self._task: asyncio.Task[None] | None = None
        self._list = QListWidget()
        self._list.setObjectName("modelList")
        self._list.setAccessibleName(ui.texts("desktop.models"))
        self._list.setMaximumHeight(150)
        self._said = label("", wrap=True)
        self._said.setObjectName("modelMessage")
        self._said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._spinner = Spinner(ui.spinners, ui.theme)
        self._spinner.hide()
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addWidget(label(ui.texts("desktop.models"), "title"))
        layout.addWidget(label(ui.texts("desktop.models_line"), "small", tone="3", wrap=True))
        layout.addWidget(self._list)
        layout.addLayout(self._list_buttons())
        layout.addWidget(label(ui.texts("desktop.add_model"), "title"))
        layout.addWidget(self._form())
        said = QHBoxLayout()
        said.addWidget(self._spinner)
        said.addWidget(self._said, 1)
        layout.addLayout(said)
        layout.addStretch(1)
        self.refresh()

    def refresh(self) -> None:
        """Show the models as they are."""
        models = self._workspace.models
        default = models.default_id()
        self._list.clear()
        for config in models.models():
            name = self._ui.texts("desktop.offline_name") if config.id == OFFLINE_ID else config.id
            mark = self._ui.texts("desktop.is_default") if config.id == default else ""
            where = "" if config.id == OFFLINE_ID else f"{config.model} · {config.base_url}"
            item = QListWidgetItem(f"{name}{mark}   {where}")
            item.setData(ID, config.id)
            self._list.addItem(item)
        self._list.setCurrentRow(0)

    async def aclose(self) -> None:
        """End a running test."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def _list_buttons(self) -> QHBoxLayout:
        texts = self._ui.texts
        row = QHBoxLayout()
        row.setSpacing(6)
        for key, name, act in (
            ("desktop.make_default", "modelDefault", self._make_default),
            ("desktop.test_connection", "modelTest", self._test),
            ("desktop.remove", "modelRemove", self._remove),
        ):
            made = button(texts(key), small=True, name=name)
            made.clicked.connect(act)
            row.addWidget(made)
        row.addStretch(1)
        return row

    def _form(self) -> QFrame:
        texts = self._ui.texts
        self._service = QComboBox()
        self._service.setObjectName("modelService")
        self._service.setEditable(True)
        self._service.addItems(list(PRESETS))
        self._service.setAccessibleName(texts("desktop.service"))
        self._model = QLineEdit()
        self._model.setObjectName("modelName")
        self._model.setAccessibleName(texts("desktop.model_name"))
        self._key = QLineEdit()
        self._key.setObjectName("modelKey")
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._key.setAccessibleName(texts("desktop.key"))
        self._key.setPlaceholderText(texts("desktop.key_hint"))
        add = button(texts("desktop.add_and_test"), "primary", name="modelAdd")
        add.clicked.connect(self._add)
        frame = QFrame()
        frame.setProperty("role", "outlined")
        form = QFormLayout(frame)
        form.setContentsMargins(16, 14, 16, 14)
        form.setSpacing(10)
        form.addRow(label(texts("desktop.service"), tone="2"), self._service)
        form.addRow(label(texts("desktop.model_name"), tone="2"), self._model)
        form.addRow(label(texts("desktop.key"), tone="2"), self._key)
        form.addRow("", add)
        return frame

    def _chosen(self) -> str:
        item = self._list.currentItem()
        return str(item.data(ID)) if self._list.currentRow() >= 0 else OFFLINE_ID

    def _make_default(self) -> None:
        self._start(self._set_default(self._chosen()))

    async def _set_default(self, model_id: str) -> None:
        await self._workspace.models.set_default(model_id)
        self._say(self._ui.texts("cli.model_default", id=model_id))
        self._updated()

    def _test(self) -> None:
        self._start(self._tested(self._chosen()))

    async def _tested(self, model_id: str) -> None:
        """One word from the model, or why there is none."""
        provider = await self._workspace.models.provider(model_id)
        try:
            probe = await test_model(provider)
        finally:
            await provider.aclose()
        words = probe.words[:40]
        self._say(self._ui.texts("cli.model_tested", id=model_id, seconds=f"{probe.latency_s:.1f}", text=words))

    def _remove(self) -> None:
        self._start(self._removed(self._chosen()))

    async def _removed(self, model_id: str) -> None:
        await self._workspace.models.remove(model_id)
        self._say(self._ui.texts("cli.model_removed", id=model_id))
        self._updated()

    def _add(self) -> None:
        self._start(self._added())

    async def _added(self) -> None:
        """Store the model and its key, make it the default, and test it."""
        model = self._model.text().strip()
        config = ModelConfig(id=model.replace(" ", "-")[:64], model=model, base_url=self._service.currentText().strip())
        models = self._workspace.models
        kept = await models.add(config, self._key.text())
        self._key.clear()
        await models.set_default(config.id)
        self._updated()
        local = is_loopback(models.get(config.id).base_url)
        key = f"desktop.key_{kept}" if kept is not None else "cli.model_key_not_needed" if local else "desktop.key_none"
        told = self._ui.texts(key)
        self._say(told)
        try:
            await self._tested(config.id)
        except WyckoffError as error:
            self._say(f"{told}\n{self._ui.texts.error(error)}", warn=True)
        else:
            self._say(f"{told}\n{self._said.text()}")

    def _updated(self) -> None:
        self.refresh()
        self.changed.emit()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run one act at a time; its failure is said in words beside it."""
        if self._task is not None and not self._task.done():
            work.close()
            return
        self._said.setText("")
        self._task = asyncio.ensure_future(self._run(work))

    async def _run(self, work: Coroutine[Any, Any, None]) -> None:
        self._spinner.show()
        try:
            await work
        except WyckoffError as error:
            self._say(self._ui.texts.error(error), warn=True)
        finally:
            self._spinner.hide()

    def _say(self, text: str, *, warn: bool = False) -> None:
        self._said.setProperty("t", "warn" if warn else "1")
        self._said.style().unpolish(self._said)
        self._said.style().polish(self._said)
        self._said.setText(text)
