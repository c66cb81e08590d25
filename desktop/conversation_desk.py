"""The list of conversations at work: open, new, search, rename, delete with undo, and the drafts that belong to each."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final

from PySide6.QtCore import QObject

from desktop.context import Ui
from desktop.main_window import MainWindow
from desktop.viewmodels.chat import ChatModel
from desktop.viewmodels.transcript import TranscriptModel
from desktop.window_state import StateKeeper
from runtime.workspace import Workspace

SHOWN: Final = 200  # newest conversations in the list; the search looks through all
StartTask = Callable[[Coroutine[Any, Any, None], str], None]


class ConversationDesk(QObject):
    """Connects the list and the drafts.

    Args:
        workspace: the services.
        ui: shared parts.
        window: the window.
        chat: what is shown and what runs.
        transcript: its turns.
        keeper: remembers the draft of a new conversation.
        start_task: runs work beside the window.
    """

    def __init__(
        self,
        workspace: Workspace,
        ui: Ui,
        window: MainWindow,
        chat: ChatModel,
        transcript: TranscriptModel,
        keeper: StateKeeper,
        start_task: StartTask,
    ) -> None:
        super().__init__()
        self._workspace = workspace
        self._ui = ui
        self._window = window
        self._chat = chat
        self._transcript = transcript
        self._keeper = keeper
        self._start_task = start_task
        self._store = workspace.stores.conversations
        self._search = ""
        panel, composer = window.conversations, window.composer
        panel.new_asked.connect(self.new)
        panel.opened.connect(self.show)
        panel.searched.connect(self._searched)
        panel.renamed.connect(lambda conversation, title: self._start(self._rename(conversation, title)))
        panel.deleted.connect(lambda conversation: self._start(self._delete(conversation)))
        composer.draft_changed.connect(self._save_draft)
        chat.leaving.connect(composer.keep_pending_draft)
        chat.draft_loaded.connect(composer.show_draft)
        chat.queue_returned.connect(self._give_back)
        chat.conversation_changed.connect(self._changed)
        chat.conversations_changed.connect(lambda: self._start(self.refresh()))
        chat.runs_changed.connect(lambda: window.status.show_running(chat.run_count))
        transcript.reset.connect(lambda: composer.set_history([turn.text for turn in transcript.turns if turn.text]))

    async def start(self, conversation: str) -> None:
        """Show what was open last, or a new conversation with what was typed into it."""
        known = await self._store.get(conversation) if conversation else None
        if known is None:
            self._chat.start_new(self._keeper.state.draft)
        else:
            await self._chat.open(conversation)
        await self.refresh()

    async def refresh(self) -> None:
        """Read the list again."""
        found = await self._store.recent(SHOWN, self._search)
        today = self._workspace.base.clock.now().date()
        current = self._chat.conversation_id
        self._window.conversations.show_conversations(found, current, today, self._chat.running)
        title = next((item.title for item in found if item.id == current), None)
        if title is not None:
            self._window.set_title(title)

    def new(self) -> None:
        """Show an empty conversation, with what was typed into the last empty one."""
        if self._chat.wanted_id:
            self._chat.start_new(self._keeper.state.draft)
            self._start(self.refresh())
        self._window.composer.focus()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._start_task(work, "conversations")

    def show(self, conversation: str) -> None:
        """Open a conversation."""
        if conversation != self._chat.wanted_id:
            self._chat.wanted_id = conversation
            self._start(self._opened(conversation))

    async def _opened(self, conversation: str) -> None:
        await self._chat.open(conversation)
        await self.refresh()

    def _searched(self, text: str) -> None:
        self._search = text.strip()
        self._start(self.refresh())

    async def _rename(self, conversation: str, title: str) -> None:
        await self._store.rename(conversation, title)
        await self.refresh()

    async def _delete(self, conversation: str) -> None:
        self._chat.stop(conversation)
        await self._store.delete(conversation)
        if conversation == self._chat.conversation_id:
            self.new()
        await self.refresh()
        text = self._ui.texts("desktop.conversation_deleted")
        self._window.undo_bar.offer(text, lambda: self._start(self._restore(conversation)))

    async def _restore(self, conversation: str) -> None:
        await self._store.restore(conversation)
        await self._opened(conversation)

    def _changed(self, conversation: str) -> None:
        if not conversation:
            self._window.set_title("")

    # drafts

    def _save_draft(self, draft: str) -> None:
        """Keep what is typed with the conversation that is shown."""
        conversation = self._chat.conversation_id
        if conversation:
            self._start(self._store.save_draft(conversation, draft))
        else:
            self._start(self._keeper.change(draft=draft))

    def _give_back(self, conversation: str, text: str) -> None:
        """What waited behind a turn that did not end well goes back to where it was typed."""
        if conversation == self._chat.conversation_id:
            self._window.composer.give_back(text)
        else:
            self._start(self._add_to_draft(conversation, text))

    async def _add_to_draft(self, conversation: str, text: str) -> None:
        known = await self._store.get(conversation)
        if known is not None:
            await self._store.save_draft(conversation, f"{text}\n{known.draft}".strip())
