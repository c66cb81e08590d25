"""The chat: which conversation is shown, which turns run, what waits to be sent.

Turns of several conversations may run at once, one in each. What the person sends while one runs is queued, or steers it with `!`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

from desktop.bridge import EventPump
from desktop.viewmodels.history import HistoryReader
from desktop.viewmodels.parts import Turn
from desktop.viewmodels.transcript import TranscriptModel
from runtime.agent.turn import Surface, TurnRequest
from runtime.core.codec import verdict_from_json
from runtime.core.events import Cancelled, Done, Failed, RuntimeEvent, ToolResult, TurnStart, UsageReport
from runtime.core.ids import new_id
from runtime.workspace import Workspace

STEER_MARK = "!"


@dataclass(slots=True, kw_only=True, eq=False)
class Run:
    """A turn that runs in a conversation."""

    turn: Turn
    request: TurnRequest
    task: asyncio.Task[None] | None = None
    queue: list[str] = field(default_factory=list)


class ChatModel(QObject):
    """Conversations and turns of one window.

    Args:
        workspace: the services.
        transcript: shows the current conversation.
        surface: makes the surface of a turn, given its id.
    """

    conversation_changed = Signal(str)  # id; empty = a new one that is not stored yet
    busy_changed = Signal(bool)
    queue_changed = Signal(list)
    conversations_changed = Signal()
    event_seen = Signal(object, str)  # RuntimeEvent, conversation id: for charts, status and notifications
    draft_loaded = Signal(str)

    def __init__(self, workspace: Workspace, transcript: TranscriptModel, surface: Callable[[str], Surface]) -> None:
        super().__init__()
        self._workspace = workspace
        self._transcript = transcript
        self._surface = surface
        self._reader = HistoryReader(workspace.texts, workspace.registry)
        self._runs: dict[str, Run] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.conversation_id = ""
        self.model_id: str | None = None

    @property
    def run(self) -> Run | None:
        """The turn that runs in the shown conversation."""
        return self._runs.get(self.conversation_id)

    @property
    def run_count(self) -> int:
        """How many turns run."""
        return len(self._runs)

    @property
    def running(self) -> bool:
        """Whether any turn runs anywhere."""
        return bool(self._runs)

    async def open(self, conversation_id: str) -> None:
        """Show a stored conversation."""
        stores = self._workspace.stores
        path = await stores.conversations.path(conversation_id)
        branches = await stores.conversations.branches(conversation_id)
        bodies = await stores.verdicts.in_conversation(conversation_id)
        verdicts = [(turn_id, verdict_from_json(body)) for turn_id, body in bodies]
        turns = self._reader.turns(path, branches, verdicts)
        run = self._runs.get(conversation_id)
        if run is not None:
            turns = [turn for turn in turns if turn.id != run.turn.id] + [run.turn]
        conversation = await stores.conversations.get(conversation_id)
        self.conversation_id = conversation_id
        self._transcript.load(turns)
        self._show_state()
        self.draft_loaded.emit("" if conversation is None else conversation.draft)

    def start_new(self) -> None:
        """Show an empty conversation; it is stored with its first message."""
        self.conversation_id = ""
        self._transcript.load([])
        self._show_state()
        self.draft_loaded.emit("")

    def send(self, text: str) -> None:
        """Send a text: as a new turn, or to the queue while one runs; `!text` steers the running turn."""
        text = text.strip()
        if not text:
            return
        run = self.run
        if run is None:
            self._begin(
                TurnRequest(text=text, conversation_id=self.conversation_id or new_id(), model_id=self.model_id)
            )
        elif text.startswith(STEER_MARK) and len(text) > 1:
            self._workspace.runtime.steer(run.request.turn_id, text[1:].strip())
        else:
            run.queue.append(text)
            self.queue_changed.emit(list(run.queue))

    def regenerate(self, message_id: str) -> None:
        """Answer a message of the person again, beside the old answer."""
        turn = next((item for item in self._transcript.turns if item.message_id == message_id), None)
        if turn is None or self.run is not None:
            return
        self._cut_at(turn)
        request = TurnRequest(
            text=turn.text, conversation_id=self.conversation_id, model_id=self.model_id, answer_to=message_id
        )
        self._begin(request)

    def edit(self, message_id: str, text: str) -> None:
        """Send a changed message in the place of an old one, which stays as its sibling."""
        turn = next((item for item in self._transcript.turns if item.message_id == message_id), None)
        if turn is None or self.run is not None or not text.strip():
            return
        self._cut_at(turn)
        request = TurnRequest(
            text=text.strip(), conversation_id=self.conversation_id, model_id=self.model_id, edit_of=message_id
        )
        self._begin(request)

    def stop(self) -> None:
        """Stop the turn of the shown conversation; what it has stays."""
        run = self.run
        if run is not None:
            self._workspace.runtime.cancel(run.request.turn_id)

    async def step_branch(self, message_id: str, step: int) -> None:
        """Show the next or previous version of a message."""
        store = self._workspace.stores.conversations
        path = await store.path(self.conversation_id)
        parent = next((item.parent_id for item in path if item.id == message_id), None)
        siblings = await store.siblings(self.conversation_id, parent)
        if message_id in siblings:
            wanted = siblings[(siblings.index(message_id) + step) % len(siblings)]
            await store.show_branch(self.conversation_id, wanted)
            await self.open(self.conversation_id)

    async def aclose(self) -> None:
        """Stop every turn and wait until each has kept what it had."""
        for run in self._runs.values():
            self._workspace.runtime.cancel(run.request.turn_id)
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _begin(self, request: TurnRequest, queue: list[str] | None = None) -> None:
        """Run a turn; a new conversation becomes the one that is shown."""
        conversation = request.conversation_id or ""
        turn = Turn(id=request.turn_id, text=request.text, message_id=request.answer_to or "")
        run = Run(turn=turn, request=request, queue=queue or [])
        self._runs[conversation] = run
        if not self.conversation_id:
            self.conversation_id = conversation
        if self.conversation_id == conversation:
            self._transcript.begin(turn)
        run.task = asyncio.create_task(self._drive(run, conversation), name=f"chat-{turn.id}")
        self._tasks.add(run.task)
        run.task.add_done_callback(self._tasks.discard)
        self._show_state()

    async def _drive(self, run: Run, conversation: str) -> None:
        """Run one turn and let its events change it."""
        pump = EventPump(lambda event: self._deliver(run.turn, event, conversation), self)
        try:
            async for event in self._workspace.runtime.run(run.request, self._surface(run.request.turn_id)):
                pump.push(event)
        finally:
            pump.flush()
            pump.deleteLater()
            self._runs.pop(conversation, None)
        await self._ended(run, conversation)

    async def _ended(self, run: Run, conversation: str) -> None:
        self.conversations_changed.emit()
        if run.queue:
            text, *rest = run.queue
            self._begin(TurnRequest(text=text, conversation_id=conversation, model_id=self.model_id), rest)
        elif conversation == self.conversation_id:
            await self.open(conversation) if run.request.edit_of or run.request.answer_to else await self._adopt(run)
            self._show_state()

    async def _adopt(self, run: Run) -> None:
        """The turn learns the id of its stored message, so that it can be edited and answered again."""
        path = await self._workspace.stores.conversations.path(run.request.conversation_id or "")
        stored = next((item for item in path if item.turn_id == run.turn.id and item.message.role == "user"), None)
        if stored is not None:
            run.turn.message_id = stored.id
            self._transcript.turn_changed.emit(run.turn)

    def _deliver(self, turn: Turn, event: RuntimeEvent, conversation: str) -> None:
        self._transcript.apply(turn, event)
        if isinstance(event, TurnStart):
            self.conversations_changed.emit()
        if isinstance(event, TurnStart | ToolResult | UsageReport | Done | Cancelled | Failed):
            self.event_seen.emit(event, conversation)

    def _cut_at(self, turn: Turn) -> None:
        """Leave the turn and what came after it out of sight while its place is taken anew."""
        index = self._transcript.turns.index(turn)
        self._transcript.load(self._transcript.turns[:index])

    def _show_state(self) -> None:
        self.conversation_changed.emit(self.conversation_id)
        self.busy_changed.emit(self.run is not None)
        self.queue_changed.emit([] if self.run is None else list(self.run.queue))
