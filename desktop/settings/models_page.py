"""Models: what there is, add one, change it, test it, choose the default and those that take over.

Keys go to the operating system's keyring or nowhere.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.flow import FlowLayout
from desktop.settings.add_model import AddModelForm
from desktop.settings.edit_model import EditModelForm
from desktop.settings.local_servers import LocalServers
from desktop.settings.model_list import ModelList
from desktop.settings.work import Act, Work
from desktop.widgets import button, label
from runtime.errors import WyckoffError
from runtime.providers.catalogue import test_model
from runtime.providers.model_config import OFFLINE_ID, ModelConfig
from runtime.providers.wire.endpoint import is_loopback
from runtime.secrets import Kept
from runtime.workspace import Workspace

WORDS: Final = 40  # of a tested model's answer that are shown


class ModelsPage(QWidget):
    """The models of a workspace.

    Args:
        ui: shared parts.
        workspace: the services.
    """

    changed = Signal()
    spoke = Signal(QWidget)  # what says something new, or is to be filled in

    def __init__(self, ui: Ui, workspace: Workspace) -> None:
        super().__init__()
        self._ui = ui
        self._models = workspace.models
        self._looked = False
        self._list = ModelList(ui, workspace.models)
        self._list.currentRowChanged.connect(lambda _row: self._enable())
        self._acts: dict[str, QPushButton] = {}
        self._work = Work(ui, "modelMessage")
        self._work.busy_changed.connect(lambda _busy: self._enable())
        self._work.spoke.connect(self.spoke)
        self._add_form = AddModelForm(ui)
        self._add_form.submitted.connect(lambda: self._work.start(self._added))
        self._edit_form = EditModelForm(ui)
        self._edit_form.submitted.connect(lambda: self._work.start(self._saved))
        self._edit_form.left.connect(lambda: self._show_form(editing=False))
        self._form_title = label("", "title", wrap=True)
        self._local = LocalServers(ui, workspace)
        self._local.add_asked.connect(lambda config: self._work.start(lambda: self._added_local(config)))
        self._lay_out()
        self._show_form(editing=False)
        self.refresh()

    @property
    def busy(self) -> bool:
        """Whether something is being done."""
        return self._work.busy

    def refresh(self) -> None:
        """Show the models as they are."""
        self._list.refresh()
        self._enable()

    def begin(self, service: str) -> None:
        """Start adding a model of a service."""
        self._show_form(editing=False)
        self._add_form.begin(service)

    def showEvent(self, event: QShowEvent) -> None:
        """The page opens: look for servers on this machine."""
        super().showEvent(event)
        if not self._looked:
            self._looked = True
            self._local.look()

    async def aclose(self) -> None:
        """End what runs."""
        await self._work.aclose()
        await self._local.aclose()

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
        layout.addWidget(self._local)
        layout.addSpacing(6)
        layout.addWidget(self._form_title)
        layout.addWidget(self._add_form)
        layout.addWidget(self._edit_form)
        layout.addWidget(self._work)
        layout.addStretch(1)

    def _buttons(self) -> FlowLayout:
        row = FlowLayout()
        acts: tuple[tuple[str, str, Act], ...] = (
            ("desktop.make_default", "modelDefault", lambda: self._set_default(self._list.chosen)),
            ("settings.use_as_fallback", "modelFallback", lambda: self._switch_fallback(self._list.chosen)),
            ("desktop.test_connection", "modelTest", lambda: self._tested(self._list.chosen)),
            ("settings.edit", "modelEdit", lambda: self._edit(self._list.chosen)),
            ("desktop.remove", "modelRemove", lambda: self._removed(self._list.chosen)),
        )
        for key, name, act in acts:
            made = button(self._ui.texts(key), small=True, name=name)
            made.clicked.connect(lambda _=False, work=act: self._work.start(work))
            self._acts[name] = made
            row.addWidget(made)
        return row

    def _enable(self) -> None:
        """One act at a time; the built-in analyst needs no test and stays, and the default needs no other to take its place."""
        chosen, busy = self._list.chosen, self._work.busy
        fallback = chosen in self._list.fallback_ids
        for name, act in self._acts.items():
            own = chosen != OFFLINE_ID or name in ("modelDefault", "modelFallback")
            act.setEnabled(own and not busy)
        key = "settings.no_fallback" if fallback else "settings.use_as_fallback"
        self._acts["modelFallback"].setText(self._ui.texts(key))
        self._acts["modelFallback"].setEnabled(not busy and (fallback or chosen != self._list.default_id))
        self._add_form.set_busy(busy=busy)
        self._edit_form.set_busy(busy=busy)
        self._local.set_busy(busy=busy)

    def _show_form(self, *, editing: bool) -> None:
        if self._edit_form.isVisible():
            self._list.setFocus()  # a form that goes would hand the keyboard to whatever comes next
        self._add_form.setVisible(not editing)
        self._edit_form.setVisible(editing)
        key = "settings.edit_title" if editing else "desktop.add_model"
        self._form_title.setText(self._ui.texts(key, id=self._list.chosen))

    async def _set_default(self, model_id: str) -> None:
        await self._models.set_default(model_id)
        self._work.say(self._ui.texts("cli.model_default", id=self._name(model_id)))
        self._updated()

    async def _switch_fallback(self, model_id: str) -> None:
        """Put a model at the end of those that take over, or take it out."""
        texts, before = self._ui.texts, self._models.fallback_ids()
        chosen = tuple(item for item in before if item != model_id) if model_id in before else (*before, model_id)
        await self._models.set_fallbacks(chosen)
        order = " → ".join(self._name(item) for item in chosen)
        self._work.say(texts("settings.fallback_order", order=order) if chosen else texts("settings.fallback_none"))
        self._updated()

    async def _tested(self, model_id: str) -> None:
        """One word from the model, or why there is none."""
        provider = await self._models.provider(model_id)
        try:
            probe = await test_model(provider)
        finally:
            await provider.aclose()
        words = self._ui.texts(
            "cli.model_tested", id=model_id, seconds=f"{probe.latency_s:.1f}", text=probe.words[:WORDS]
        )
        self._work.say(words)

    async def _removed(self, model_id: str) -> None:
        await self._models.remove(model_id)
        self._show_form(editing=False)
        self._work.say(self._ui.texts("cli.model_removed", id=model_id))
        self._updated()

    async def _edit(self, model_id: str) -> None:
        self._edit_form.begin(self._models.get(model_id))
        self._show_form(editing=True)
        self.spoke.emit(self._edit_form)
        self.spoke.emit(self._form_title)

    async def _saved(self) -> None:
        """Keep what the form says; the form stays while anything in it cannot be used."""
        config, key = self._edit_form.config(), self._edit_form.key()
        await self._models.replace(config)
        said = self._ui.texts("settings.saved", id=config.id)
        if key.strip():
            kept = await self._models.set_key(config.id, key)
            said = f"{said}{self._ui.texts(f'desktop.key_{kept}')}"
        self._show_form(editing=False)
        self._work.say(said)
        self._updated()

    async def _added(self) -> None:
        """Keep the model and its key, and test it; only a model that answered becomes the default.

        A second try with the same name corrects the first one.
        """
        config, key, before = self._add_form.config(), self._add_form.key(), self._models.default_id()
        kept: Kept | None = None
        known = next((known for known in self._models.models() if known.id == config.id), None)
        if known is not None:
            config = replace(known, provider=config.provider, model=config.model, base_url=config.base_url)
            await self._models.replace(config)
            kept = await self._models.set_key(config.id, key) if key.strip() else None
        else:
            kept = await self._models.add(config, key)
            await self._models.set_default(before)
        self._add_form.forget_key()
        if await self._answers(config, kept):
            await self._models.set_default(config.id)
            self._updated()

    async def _added_local(self, config: ModelConfig) -> None:
        """Put a model of this machine into the list and test it; it becomes the default only where none was configured."""
        before = self._models.default_id()
        await self._models.add(config)
        await self._models.set_default(before)
        if await self._answers(config, None, unless="settings.test_again") and before == OFFLINE_ID:
            await self._models.set_default(config.id)
            self._updated()

    async def _answers(self, config: ModelConfig, kept: Kept | None, unless: str = "settings.default_stays") -> bool:
        """Test a model that was just kept, and say where its key is and how the test went; `unless` says what a failure leaves."""
        texts = self._ui.texts
        self._updated()
        self._list.choose(config.id)
        local = is_loopback(self._models.get(config.id).base_url)
        told = texts(f"desktop.key_{kept}" if kept else "cli.model_key_not_needed" if local else "desktop.key_none")
        self._work.say(told)
        try:
            await self._tested(config.id)
        except WyckoffError as error:
            stays = texts(unless, id=self._name(self._models.default_id()))
            self._work.say(f"{told}\n{texts.error(error)}\n{stays}", warn=True)
            return False
        self._work.say(f"{told}\n{self._work.words.text()}")
        return True

    def _name(self, model_id: str) -> str:
        return self._ui.texts("desktop.offline_name") if model_id == OFFLINE_ID else model_id

    def _updated(self) -> None:
        self.refresh()
        self._local.refresh()
        self.changed.emit()
