"""The desk: one window with its models, connected. Every slot that may take time starts a task; failures are shown and logged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QInputDialog, QMessageBox

from desktop.approvals.coordinator import ApprovalCoordinator, QuestionDesk, TurnApprover, TurnAsker
from desktop.approvals.dialog import ApprovalDialog
from desktop.charts.data import StockChart
from desktop.context import Ui
from desktop.main_window import MainWindow
from desktop.settings.dialog import SettingsDialog
from desktop.viewmodels.chat import ChatModel
from desktop.viewmodels.transcript import TranscriptModel
from desktop.window_state import WindowState, save_state
from runtime.agent.turn import Surface
from runtime.core.events import Cancelled, Done, Failed, RuntimeEvent, ToolResult, TurnStart
from runtime.core.symbols import Instrument
from runtime.errors import WyckoffError
from runtime.texts import Texts
from runtime.tools.stock_report import ANALYSED_BARS, limit_ratio_of
from runtime.workspace import Workspace
from runtime.wyckoff.engine import analyze

logger = logging.getLogger(__name__)


class Desk(QObject):
    """Connects a window to a workspace.

    Args:
        workspace: the services.
        ui: shared parts.
        state: what was remembered.
        window: the window, with the transcript that it shows.
    """

    def __init__(
        self, workspace: Workspace, ui: Ui, state: WindowState, window: MainWindow, transcript: TranscriptModel
    ) -> None:
        super().__init__()
        self._workspace = workspace
        self._ui = ui
        self._state = state
        self._tasks: set[asyncio.Task[None]] = set()
        self._dialog: ApprovalDialog | None = None
        self._dismissed: set[str] = set()
        self._search = ""
        self.started = False
        self.closed = asyncio.Event()
        self.lifetime: asyncio.Future[None] | None = None  # of a window that was made by create_window
        self.approvals = ApprovalCoordinator()
        self.questions = QuestionDesk()
        self.transcript = transcript
        self.chat = ChatModel(workspace, self.transcript, self._surface)
        self.window = window
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
        await self._refresh_conversations()
        self._show_models()
        infos = await self._workspace.stores.bars.infos()
        newest = max((info.last for info in infos), default=None)
        self.window.status.show_market(newest, self._workspace.market.sample.as_of)
        if self._state.conversation and await self._workspace.stores.conversations.get(self._state.conversation):
            await self.chat.open(self._state.conversation)
        else:
            self.chat.start_new()
        self.window.composer.focus()
        self.started = True

    async def aclose(self) -> None:
        """Stop turns, remember the window, end what runs."""
        await self.chat.aclose()
        geometry, columns = self.window.remembered()
        state = replace(
            self._state,
            geometry=geometry,
            columns=columns,
            conversation=self.chat.conversation_id,
            scheme=self._ui.themes.choice,
            market_mode=self._ui.themes.market_mode,
        )
        await asyncio.to_thread(save_state, self._workspace.base.settings_file, state)
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
        box = QMessageBox(self.window)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle(self._ui.texts("desktop.problem"))
        box.setText(text)
        box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        box.finished.connect(lambda _code: box.deleteLater())
        box.open()

    def _surface(self, turn_id: str) -> Surface:
        return Surface(
            approver=TurnApprover(self.approvals, turn_id), asker=TurnAsker(self.questions, turn_id), policy="ask"
        )

    def _connect(self) -> None:
        window, chat = self.window, self.chat
        window.close_asked.connect(self._ask_close)
        window.theme_toggled.connect(self._toggle_theme)
        window.composer.sent.connect(self._send)
        window.composer.stopped.connect(chat.stop)
        window.composer.draft_changed.connect(self._save_draft)
        window.composer.model_chosen.connect(self._choose_model)
        window.onboarding.prompt_chosen.connect(self._send)
        window.onboarding.add_model.connect(self._open_settings)
        panel = window.conversations
        panel.new_asked.connect(self._new_conversation)
        panel.opened.connect(self._open_conversation)
        panel.searched.connect(self._searched)
        panel.renamed.connect(self._rename)
        panel.deleted.connect(self._delete)
        panel.settings_asked.connect(self._open_settings)
        view = window.transcript
        view.regenerate.connect(chat.regenerate)
        view.edit.connect(self._edit_message)
        view.branch.connect(lambda message, step: self.start_task(chat.step_branch(message, step), "branch"))
        view.reopen.connect(self._reopen)
        view.answered.connect(self._answer)
        view.level_clicked.connect(self._show_level)
        view.evidence_clicked.connect(self._show_evidence)
        view.link_clicked.connect(self._open_link)
        chat.busy_changed.connect(self._busy_changed)
        chat.queue_changed.connect(window.composer.set_queue)
        chat.draft_loaded.connect(window.composer.set_text)
        chat.conversation_changed.connect(self._conversation_changed)
        chat.conversations_changed.connect(lambda: self.start_task(self._refresh_conversations(), "conversations"))
        chat.event_seen.connect(self._event)
        self.transcript.turn_added.connect(lambda _turn: window.show_empty(empty=False))
        self.transcript.reset.connect(lambda: window.show_empty(empty=not self.transcript.turns))
        self.approvals.changed.connect(self._show_approval)

    # conversations

    async def _refresh_conversations(self) -> None:
        found = await self._workspace.stores.conversations.recent(200, self._search)
        today = self._workspace.base.clock.now().date()
        self.window.conversations.show_conversations(found, self.chat.conversation_id, today)
        current = next((item for item in found if item.id == self.chat.conversation_id), None)
        if current is not None:
            self.window.set_title(current.title)

    def _open_conversation(self, conversation: str) -> None:
        if conversation != self.chat.conversation_id:
            self.start_task(self._opened(conversation), "open")

    async def _opened(self, conversation: str) -> None:
        await self.chat.open(conversation)
        await self._refresh_conversations()

    def _new_conversation(self) -> None:
        self.chat.start_new()
        self.window.set_title("")
        self.start_task(self._refresh_conversations(), "conversations")
        self.window.composer.focus()

    def _searched(self, text: str) -> None:
        self._search = text.strip()
        self.start_task(self._refresh_conversations(), "search")

    def _rename(self, conversation: str, title: str) -> None:
        async def work() -> None:
            await self._workspace.stores.conversations.rename(conversation, title)
            await self._refresh_conversations()

        self.start_task(work(), "rename")

    def _delete(self, conversation: str) -> None:
        store = self._workspace.stores.conversations

        async def back() -> None:
            await store.restore(conversation)
            await self._opened(conversation)

        async def work() -> None:
            await store.delete(conversation)
            if conversation == self.chat.conversation_id:
                self._new_conversation()
            await self._refresh_conversations()
            undo = self._ui.texts("desktop.conversation_deleted")
            self.window.undo_bar.offer(undo, lambda: self.start_task(back(), "restore"))

        self.start_task(work(), "delete")

    def _conversation_changed(self, conversation: str) -> None:
        if not conversation:
            self.window.set_title("")
        self._dismissed.clear()

    # sending

    def _send(self, text: str) -> None:
        run = self.chat.run
        if run is not None and self.questions.answer(run.request.turn_id, text):
            return
        self.chat.send(text)

    def _answer(self, text: str) -> None:
        run = self.chat.run
        if run is not None:
            self.questions.answer(run.request.turn_id, text)

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

    def _save_draft(self, draft: str) -> None:
        if self.chat.conversation_id:
            store = self._workspace.stores.conversations
            self.start_task(store.save_draft(self.chat.conversation_id, draft), "draft")

    def _busy_changed(self, busy: bool) -> None:
        self.window.composer.set_busy(busy=busy)
        self.window.status.show_running(self.chat.run_count)

    # events

    def _event(self, event: RuntimeEvent, _conversation: str) -> None:
        match event:
            case TurnStart():
                self.window.status.show_running(self.chat.run_count)
            case ToolResult(name="analyze_stock", result=result):
                data = result.get("data")
                if isinstance(data, dict) and isinstance(data.get("symbol"), str):
                    self.start_task(self._open_chart(str(data["symbol"])), "chart")
            case Done(usage=usage):
                self.window.status.show_usage(usage)
            case Cancelled() | Failed():
                pass
            case _:
                pass

    async def _open_chart(self, symbol: str) -> None:
        """Show a stock's chart beside the chat; the focus stays where it is."""
        market = self._workspace.market
        bars = await market.data.daily(symbol)
        instrument = market.directory.get(symbol) or Instrument(symbol=symbol, name=symbol)
        ratio = limit_ratio_of(instrument, bars, market.limits)
        analysed = bars.tail(ANALYSED_BARS)
        reading = await asyncio.to_thread(analyze, analysed, limit_ratio=ratio)
        chart = StockChart(instrument=instrument, bars=analysed, reading=reading, stale=market.data.is_stale(bars))
        self.window.charts.show_stock(chart)
        self.window.show_charts(visible=True)

    def _show_level(self, symbol: str, price: float) -> None:
        self.start_task(self._focus_chart(symbol, price=price), "chart")

    def _show_evidence(self, symbol: str, date: str) -> None:
        self.start_task(self._focus_chart(symbol, date=date), "chart")

    async def _focus_chart(self, symbol: str, *, price: float | None = None, date: str | None = None) -> None:
        if not self.window.charts.has(symbol):
            await self._open_chart(symbol)
        self.window.show_charts(visible=True)
        if price is not None:
            self.window.charts.focus_level(symbol, price)
        if date is not None:
            self.window.charts.focus_date(symbol, date)

    # approvals

    def _show_approval(self) -> None:
        """Show the first request that was not put aside; close the dialog of one that is gone."""
        queue = [item for item in self.approvals.queue if item.request.id not in self._dismissed]
        if self._dialog is not None:
            if self.approvals.find(self._dialog.request_id) is not None:
                return
            dialog, self._dialog = self._dialog, None
            dialog.close_quietly()
        if queue:
            self._open_approval(queue[0].request.id)

    def _open_approval(self, request_id: str) -> None:
        waiting = self.approvals.find(request_id)
        if waiting is None or self._dialog is not None:
            return
        queue = self.approvals.queue
        position = (queue.index(waiting) + 1, len(queue))
        dialog = ApprovalDialog(self._ui, waiting, position, self.window)
        dialog.decided.connect(self.approvals.settle)
        dialog.stop_asked.connect(self._workspace.runtime.cancel)
        dialog.finished.connect(lambda _code: self._approval_closed(dialog))
        self._dialog = dialog
        dialog.open()
        if not self.window.isActiveWindow():
            QApplication.alert(self.window)

    def _approval_closed(self, dialog: ApprovalDialog) -> None:
        """Closed without an answer: the request waits on its card."""
        self._dismissed.add(dialog.request_id)
        if self._dialog is dialog:
            self._dialog = None
        dialog.deleteLater()
        self._show_approval()

    def _reopen(self, request_id: str) -> None:
        self._dismissed.discard(request_id)
        self._open_approval(request_id)

    # models, settings, look

    def _show_models(self) -> None:
        models = self._workspace.models
        names = [(item.id, self._model_name(item.id)) for item in models.models()]
        current = self.chat.model_id or models.default_id()
        self.window.composer.set_models(names, current)
        self.window.status.show_model(self._model_name(current), offline=current == "offline")

    def _model_name(self, model_id: str) -> str:
        return self._ui.texts("desktop.offline_name") if model_id == "offline" else model_id

    def _choose_model(self, model_id: str) -> None:
        self.chat.model_id = model_id
        self._show_models()

    def _open_settings(self) -> None:
        dialog = SettingsDialog(self._ui, self._workspace, self.window)
        dialog.models_changed.connect(self._show_models)
        dialog.finished.connect(lambda _code: self.start_task(dialog.models.aclose(), "settings"))
        dialog.open()

    def _toggle_theme(self) -> None:
        dark = self._ui.theme.scheme == "dark"
        self._ui.themes.choose(scheme="light" if dark else "dark")

    def _open_link(self, url: QUrl) -> None:
        """A link in an answer is opened only after the person agreed."""
        box = QMessageBox(self.window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(self._ui.texts("desktop.open_link", url=url.toString()))
        box.setStandardButtons(QMessageBox.StandardButton.Open | QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        opened = QMessageBox.StandardButton.Open
        box.buttonClicked.connect(
            lambda chosen: QDesktopServices.openUrl(url) if box.standardButton(chosen) is opened else None
        )
        box.finished.connect(lambda _code: box.deleteLater())
        box.open()

    # closing

    def _ask_close(self) -> None:
        """Close at once, or ask while turns run."""
        if not self.chat.running:
            self.closed.set()
            return
        box = QMessageBox(self.window)
        box.setObjectName("closeDialog")
        box.setText(self._ui.texts("desktop.close_running", count=self.chat.run_count))
        stop = box.addButton(self._ui.texts("desktop.stop_and_quit"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.buttonClicked.connect(lambda chosen: self.closed.set() if chosen is stop else None)
        box.finished.connect(lambda _code: box.deleteLater())
        box.open()
