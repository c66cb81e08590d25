"""Models: what there is, add one, test it, choose the default. Keys go to the operating system's keyring or nowhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.settings.add_model import AddModelForm
from desktop.widgets import Spinner, button, label
from runtime.errors import WyckoffError
from runtime.providers.catalogue import test_model
from runtime.providers.model_config import OFFLINE_ID
from runtime.providers.wire.endpoint import is_loopback
from runtime.secrets import Kept
from runtime.workspace import Workspace

ID: Final = Qt.ItemDataRole.UserRole
ROW_HEIGHT: Final = 36
MOST_ROWS: Final = 4  # more scroll
WORDS: Final = 40  # of a tested model's answer that are shown


class ModelsPage(QWidget):
    """The models of a workspace.

    Args:
        ui: shared parts.
        workspace: the services.
    """

    changed = Signal()
    spoke = Signal(QWidget)  # the label that says something new

    def __init__(self, ui: Ui, workspace: Workspace) -> None:
        super().__init__()
        self._ui = ui
        self._workspace = workspace
        self._task: asyncio.Task[None] | None = None
        self._list = QListWidget()
        self._list.setObjectName("modelList")
        self._list.setAccessibleName(ui.texts("desktop.models"))
        self._list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.currentRowChanged.connect(lambda _row: self._enable())
        self._acts: list[QPushButton] = []
        self._form = AddModelForm(ui)
        self._form.submitted.connect(lambda: self._start(self._added))
        self._said = label("", wrap=True)
        self._said.setObjectName("modelMessage")
        self._said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._spinner = Spinner(ui.spinners)
        self._spinner.hide()
        self._lay_out()
        self.refresh()

    def refresh(self) -> None:
        """Show the models as they are."""
        models, texts = self._workspace.models, self._ui.texts
        default, chosen = models.default_id(), self._chosen()
        self._list.clear()
        for config in models.models():
            offline = config.id == OFFLINE_ID
            name = texts("desktop.offline_name") if offline else config.id
            mark = texts("desktop.is_default") if config.id == default else ""
            where = texts("settings.built_in") if offline else f"{config.model} · {config.base_url}"
            item = QListWidgetItem(f"{name}{mark}   {where}")
            item.setToolTip(where)
            item.setData(ID, config.id)
            item.setSizeHint(QSize(0, ROW_HEIGHT))
            self._list.addItem(item)
            if config.id == chosen:
                self._list.setCurrentItem(item)
        if self._list.currentRow() < 0:
            self._list.setCurrentRow(0)
        self._list.setFixedHeight(ROW_HEIGHT * min(self._list.count(), MOST_ROWS) + 2)
        self._enable()

    def begin(self, service: str) -> None:
        """Start adding a model of a service."""
        self._form.begin(service)

    async def aclose(self) -> None:
        """End a running test."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def _lay_out(self) -> None:
        texts = self._ui.texts
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 0)
        layout.setSpacing(10)
        layout.addWidget(label(texts("desktop.models"), "action"))
        layout.addWidget(label(texts("desktop.models_line"), "small", tone="3", wrap=True))
        frame = QFrame()
        frame.setProperty("role", "outlined")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(4, 4, 4, 4)
        inside.addWidget(self._list)
        layout.addWidget(frame)
        layout.addLayout(self._buttons())
        layout.addSpacing(6)
        layout.addWidget(label(texts("desktop.add_model"), "title"))
        layout.addWidget(self._form)
        said = QHBoxLayout()
        said.setSpacing(8)
        said.addWidget(self._spinner, 0, Qt.AlignmentFlag.AlignTop)
        said.addWidget(self._said, 1)
        layout.addLayout(said)
        layout.addStretch(1)

    def _buttons(self) -> QHBoxLayout:
        texts = self._ui.texts
        row = QHBoxLayout()
        row.setSpacing(6)
        for key, name, act in (
            ("desktop.make_default", "modelDefault", lambda: self._set_default(self._chosen())),
            ("desktop.test_connection", "modelTest", lambda: self._tested(self._chosen())),
            ("desktop.remove", "modelRemove", lambda: self._removed(self._chosen())),
        ):
            made = button(texts(key), small=True, name=name)
            made.clicked.connect(lambda _=False, work=act: self._start(work))
            self._acts.append(made)
            row.addWidget(made)
        row.addStretch(1)
        return row

    def _chosen(self) -> str:
        item = self._list.currentItem()
        return str(item.data(ID)) if self._list.currentRow() >= 0 else OFFLINE_ID

    def _enable(self, *, busy: bool = False) -> None:
        """One act at a time; the built-in analyst needs no test and stays."""
        for act in self._acts:
            own = self._chosen() != OFFLINE_ID or act.objectName() == "modelDefault"
            act.setEnabled(own and not busy)
        self._form.set_busy(busy=busy)

    async def _set_default(self, model_id: str) -> None:
        await self._workspace.models.set_default(model_id)
        self._say(self._ui.texts("cli.model_default", id=self._name(model_id)))
        self._updated()

    async def _tested(self, model_id: str) -> None:
        """One word from the model, or why there is none."""
        provider = await self._workspace.models.provider(model_id)
        try:
            probe = await test_model(provider)
        finally:
            await provider.aclose()
        seconds = f"{probe.latency_s:.1f}"
        self._say(self._ui.texts("cli.model_tested", id=model_id, seconds=seconds, text=probe.words[:WORDS]))

    async def _removed(self, model_id: str) -> None:
        await self._workspace.models.remove(model_id)
        self._say(self._ui.texts("cli.model_removed", id=model_id))
        self._updated()

    async def _added(self) -> None:
        """Keep the model and its key, and test it; only a model that answered becomes the default.

        A second try with the same name corrects the first one.
        """
        models, texts = self._workspace.models, self._ui.texts
        config, key, before = self._form.config(), self._form.key(), models.default_id()
        kept: Kept | None = None
        if any(known.id == config.id for known in models.models()):
            await models.replace(config)
            kept = await models.set_key(config.id, key) if key.strip() else None
        else:
            kept = await models.add(config, key)
            await models.set_default(before)
        self._form.forget_key()
        self._updated()
        local = is_loopback(models.get(config.id).base_url)
        told = texts(f"desktop.key_{kept}" if kept else "cli.model_key_not_needed" if local else "desktop.key_none")
        self._say(told)
        try:
            await self._tested(config.id)
        except WyckoffError as error:
            stays = texts("settings.default_stays", id=self._name(models.default_id()))
            self._say(f"{told}\n{texts.error(error)}\n{stays}", warn=True)
            return
        answered = self._said.text()
        await models.set_default(config.id)
        self._say(f"{told}\n{answered}")
        self._updated()

    def _name(self, model_id: str) -> str:
        return self._ui.texts("desktop.offline_name") if model_id == OFFLINE_ID else model_id

    def _updated(self) -> None:
        self.refresh()
        self._enable(busy=self._task is not None and not self._task.done())
        self.changed.emit()

    def _start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run one act at a time; its failure is said in words beside it."""
        if self._task is not None and not self._task.done():
            return
        self._said.setText("")
        self._spinner.show()
        self._enable(busy=True)
        self._task = asyncio.ensure_future(self._run(work))

    async def _run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
        except WyckoffError as error:
            self._say(self._ui.texts.error(error), warn=True)
        finally:
            self._spinner.hide()
            self._enable()

    def _say(self, text: str, *, warn: bool = False) -> None:
        self._said.setProperty("t", "warn" if warn else "1")
        self._said.style().unpolish(self._said)
        self._said.style().polish(self._said)
        self._said.setText(text)
        self.spoke.emit(self._said)
