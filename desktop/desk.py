"""The desk: one window with its models, connected. Every slot that may take time starts a task; failures are shown and logged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QInputDialog, QMessageBox

from desktop.approval_desk import ApprovalDesk
from desktop.approvals.coordinator import ApprovalCoordinator, QuestionDesk, TurnApprover, TurnAsker
from desktop.chart_desk import ChartDesk
from desktop.context import Ui
from desktop.conversation_desk import ConversationDesk
from desktop.main_window import MainWindow
from desktop.settings.dialog import SettingsDialog
from desktop.theme import Theme
from desktop.undo_desk import UndoDesk
from desktop.usage_desk import UsageDesk
from desktop.viewmodels.chat import ChatModel
from desktop.viewmodels.tasks import TasksModel
from desktop.viewmodels.transcript import TranscriptModel
from desktop.window_state import StateKeeper, WindowState
from runtime.agent.turn import Surface
from runtime.core.events import RuntimeEvent, ToolResult
from runtime.errors import WyckoffError
from runtime.providers.model_config import OFFLINE_ID
from runtime.texts import Texts
from runtime.workspace import Workspace

logger = logging.getLogger(__name__)


class Desk(QObject):
    """Connects a window to a workspace.

    Args:
        workspace: the services.
        ui: shared parts.
        state: what was remembered.
        window: the window.
        transcript: the model that it shows.
    """

    def __init__(
        self, workspace: Workspace, ui: Ui, state: WindowState, window: MainWindow, transcript: TranscriptModel
    ) -> None:
        super().__init__()
        self._workspace = workspace
        self._ui = ui
        self._tasks: set[asyncio.Task[None]] = set()
        self._close_question: QMessageBox | None = None
        self.started = False
        self.closed = asyncio.Event()
        self.lifetime: asyncio.Future[None] | None = None  # of a window that was made by create_window
        self.keeper = StateKeeper(workspace.base.settings_file, state)
        self.approvals = ApprovalCoordinator()
        self.questions = QuestionDesk()
        self.transcript = transcript
        self.chat = ChatModel(workspace, transcript, self._surface)
        self.window = window
        self.conversations = ConversationDesk(
            workspace, ui, window, self.chat, transcript, self.keeper, self.start_task
        )
        self._approval_desk = ApprovalDesk(ui, window, self.approvals, workspace.runtime)
        self._charts = ChartDesk(workspace.market, window, self.start_task)
        self._usage = UsageDesk(window.status, self.chat, ui.texts)
        self._undo = UndoDesk(workspace.portfolio, workspace.registry, window.undo_bar, self.start_task)
        self.tasks = TasksModel(workspace.texts, workspace.base.clock)
        window.tasks.follow(self.tasks)
        window.composer.set_search(workspace.market.directory.search)
        self._connect()

    @property
    def texts(self) -> Texts:
        """The texts in the person's language."""
        return self._ui.texts

    @property
    def workspace(self) -> Workspace:
        """The services."""
        return self._workspace

    async def start(self) -> None:
        """Show what was open, and what there is."""
        self._show_models()
        await asyncio.to_thread(_load_renderer, self._ui.theme)
        await self.conversations.start(self.keeper.state.conversation)
        infos = await self._workspace.stores.bars.infos()
        newest = max((info.last for info in infos), default=None)
        self.window.status.show_market(newest, self._workspace.market.sample.as_of)
        self.window.composer.focus()
        self.started = True
        self.window.composer.accept_messages()
        self.start_task(self._workspace.models.preload(), "preload")

    async def aclose(self) -> None:
        """Stop turns, remember the window, end what runs."""
        await self.chat.aclose()
        self.window.composer.keep_pending_draft()
        if self._tasks:  # short work of the database; what takes longer ends with its turn
            await asyncio.wait(self._tasks, timeout=1.0)
        geometry, columns = self.window.remembered()
        await self.keeper.change(
            geometry=geometry,
            columns=columns,
            conversation=self.chat.conversation_id,
            scheme=self._ui.themes.choice,
            market_mode=self._ui.themes.market_mode,
        )
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self.window.allow_close()
        self.window.close()

    def start_task(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run work beside the window; an error is shown and logged, and nothing else stops."""
        task = asyncio.create_task(self._guarded(work), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except WyckoffError as error:
            self.show_problem(self._ui.texts.error(error))
        except Exception:  # the border of a task of the window
            logger.exception("a task of the window failed")
            self.show_problem(self._ui.texts("errors.internal"))

    def show_problem(self, text: str) -> None:
        """A message that can be copied; the window goes on."""
        box = self._box(QMessageBox.Icon.Warning, text)
        box.setObjectName("problemDialog")
        box.setWindowTitle(self._ui.texts("desktop.problem"))
        box.open()

    def _box(self, icon: QMessageBox.Icon, text: str) -> QMessageBox:
        """A message over the window that never blocks and goes when it is closed."""
        box = QMessageBox(self.window)
        box.setIcon(icon)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(text)
        box.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        box.finished.connect(lambda _code: box.deleteLater())
        return box

    def _surface(self, turn_id: str) -> Surface:
        return Surface(
            approver=TurnApprover(self.approvals, turn_id), asker=TurnAsker(self.questions, turn_id), policy="ask"
        )

    def _connect(self) -> None:
        window, chat = self.window, self.chat
        window.close_asked.connect(self._ask_close)
        window.theme_toggled.connect(self._toggle_theme)
        window.conversations.settings_asked.connect(self._open_settings)
        composer = window.composer
        composer.sent.connect(self._send)
        composer.stopped.connect(chat.stop)
        composer.unqueued.connect(chat.unqueue)
        composer.model_chosen.connect(self._choose_model)
        window.onboarding.add_model.connect(self._add_model)
        window.onboarding.later.connect(composer.focus)
        view = window.transcript
        view.regenerate.connect(chat.regenerate)
        view.other_model.connect(chat.regenerate)
        view.edit.connect(self._edit_message)
        view.version_chosen.connect(lambda message: self.start_task(chat.show_version(message), "version"))
        view.continue_asked.connect(lambda: self._send(self._ui.texts("desktop.continue_text")))
        view.answered.connect(self._answer)
        view.link_clicked.connect(self._open_link)
        chat.busy_changed.connect(lambda busy: composer.set_busy(busy=busy))
        chat.queue_changed.connect(composer.set_queue)
        chat.event_seen.connect(self._event)
        chat.event_seen.connect(self.tasks.see)
        window.tasks.opened.connect(self.conversations.show)
        window.tasks.stop_asked.connect(chat.stop)
        self.transcript.turn_added.connect(lambda _turn: window.show_empty(empty=False))
        self.transcript.reset.connect(lambda: window.show_empty(empty=not self.transcript.turns))

    # sending

    def _send(self, text: str) -> None:
        if not self._answer(text):
            self.chat.send(text)

    def _answer(self, text: str) -> bool:
        """Answer the open question of the shown turn; returns whether there was one."""
        run = self.chat.run
        return run is not None and self.questions.answer(run.request.turn_id, text)

    def _edit_message(self, message: str, text: str) -> None:
        dialog = QInputDialog(self.window)
        dialog.setObjectName("editDialog")
        dialog.setWindowTitle(self._ui.texts("desktop.edit"))
        dialog.setLabelText(self._ui.texts("desktop.edit_line"))
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
        dialog.setTextValue(text)
        dialog.resize(520, 240)
        dialog.textValueSelected.connect(lambda changed: self.chat.edit(message, changed))
        dialog.finished.connect(lambda _code: dialog.deleteLater())
        dialog.open()

    def _event(self, event: RuntimeEvent, _conversation: str) -> None:
        if isinstance(event, ToolResult):
            self._charts.tool_ended(event)
            self._undo.tool_ended(event)

    # models, settings, look

    def _show_models(self) -> None:
        models = self._workspace.models.models()
        wanted = self.chat.model_id or self._workspace.models.default_id()
        current = next((item for item in models if item.id == wanted), models[0])
        names = [(item.id, self._model_name(item.id)) for item in models]
        self.window.composer.set_models(names, current.id)
        self.window.transcript.models.set_models(names)
        self._usage.choose(current, models)

    def _model_name(self, model_id: str) -> str:
        return self._ui.texts("desktop.offline_name") if model_id == OFFLINE_ID else model_id

    def _choose_model(self, model_id: str) -> None:
        self.chat.model_id = model_id
        self._show_models()

    def _open_settings(self) -> None:
        self._settings().open()

    def _add_model(self, service: str) -> None:
        dialog = self._settings()
        dialog.models.begin(service)
        dialog.open()

    def _settings(self) -> SettingsDialog:
        dialog = SettingsDialog(self._ui, self._workspace, self.window)
        dialog.models_changed.connect(self._show_models)
        dialog.finished.connect(lambda _code: self.start_task(dialog.aclose(), "settings"))
        return dialog

    def _toggle_theme(self) -> None:
        dark = self._ui.theme.scheme == "dark"
        self._ui.themes.choose(scheme="light" if dark else "dark")

    def _open_link(self, url: QUrl) -> None:
        """A link in an answer is opened only after the person agreed."""
        box = self._box(QMessageBox.Icon.Question, self._ui.texts("desktop.open_link", url=url.toString()))
        box.setObjectName("linkDialog")
        box.setStandardButtons(QMessageBox.StandardButton.Open | QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        opened = QMessageBox.StandardButton.Open
        box.buttonClicked.connect(
            lambda chosen: QDesktopServices.openUrl(url) if box.standardButton(chosen) is opened else None
        )
        box.open()

    # closing

    def _ask_close(self) -> None:
        """Close at once, or ask once while turns run."""
        if not self.chat.running:
            self.closed.set()
            return
        if self._close_question is not None:
            self._close_question.activateWindow()
            return
        text = self._ui.texts("desktop.close_running", count=self.chat.run_count)
        box = self._close_question = self._box(QMessageBox.Icon.Question, text)
        box.setObjectName("closeDialog")
        stop = box.addButton(self._ui.texts("desktop.stop_and_quit"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.buttonClicked.connect(lambda chosen: self.closed.set() if chosen is stop else None)
        box.finished.connect(self._close_answered)
        box.open()

    def _close_answered(self) -> None:
        self._close_question = None


def _load_renderer(theme: Theme) -> None:
    """What the first answer needs and the first paint does not: loaded beside the window, not in its way."""
    from desktop.chat.markdown import MarkdownRenderer

    MarkdownRenderer(theme).html("```python\npass\n```")
