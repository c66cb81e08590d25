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
from runtime.core.events import RuntimeEvent, TextDelta, ThinkingDelta, TurnStart
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

    leaving = Signal()  # another conversation is shown in a moment: keep what is typed
    conversation_changed = Signal(str)  # id; empty = a new one that is not stored yet
    busy_changed = Signal(bool)
    runs_changed = Signal()  # in any conversation
    queue_changed = Signal(list)
    queue_returned = Signal(str, str)  # conversation id, what waited and is not sent because its turn did not end well
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
        self.wanted_id = ""  # the conversation that is being opened, or is shown
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
    def running(self) -> frozenset[str]:
        """The conversations in which a turn runs."""
        return frozenset(self._runs)

    async def open(self, conversation_id: str) -> None:
        """Show a stored conversation, with the turn that runs in it."""
        self.wanted_id = conversation_id
        turns, draft = await self._stored(conversation_id)
        if self.wanted_id != conversation_id:
            return  # the person went on to another one meanwhile
        run = self._runs.get(conversation_id)
        if run is not None:
            again = run.request.answer_to
            cut = next((i for i, turn in enumerate(turns) if turn.id == run.turn.id or turn.message_id == again), None)
            turns = [*turns[:cut], run.turn]
        self.leaving.emit()
        self.conversation_id = conversation_id
        self._transcript.load(turns)
        self._show_state()
        self.draft_loaded.emit(draft)

    def start_new(self, draft: str = "") -> None:
        """Show an empty conversation; it is stored with its first message."""
        self.wanted_id = ""
        self.leaving.emit()
        self.conversation_id = ""
        self._transcript.load([])
        self._show_state()
        self.draft_loaded.emit(draft)

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
            return
        steering = text[len(STEER_MARK) :].strip() if text.startswith(STEER_MARK) else ""
        if not steering or not self._workspace.runtime.steer(run.request.turn_id, steering):
            run.queue.append(steering or text)
            self.queue_changed.emit(list(run.queue))

    def unqueue(self, position: int) -> None:
        """Take a waiting text out of the queue."""
        run = self.run
        if run is not None and position < len(run.queue):
            del run.queue[position]
            self.queue_changed.emit(list(run.queue))

    def regenerate(self, message_id: str, model_id: str | None = None) -> None:
        """Answer a message of the person again, beside the old answer.

        Args:
            message_id: what is answered.
            model_id: who answers this once; None = the model that is chosen.
        """
        turn = self._editable(message_id)
        if turn is not None:
            self._transcript.cut(turn)
            self._begin(
                TurnRequest(
                    text=turn.text,
                    conversation_id=self.conversation_id,
                    model_id=model_id or self.model_id,
                    answer_to=message_id,
                )
            )

    def edit(self, message_id: str, text: str) -> None:
        """Send a changed message in the place of an old one, which stays as its sibling."""
        turn = self._editable(message_id)
        if turn is not None and text.strip():
            self._transcript.cut(turn)
            self._begin(
                TurnRequest(
                    text=text.strip(),
                    conversation_id=self.conversation_id,
                    model_id=self.model_id,
                    edit_of=message_id,
                )
            )

    def stop(self, conversation_id: str | None = None) -> None:
        """Stop the turn of a conversation, without an id of the shown one; what it has stays."""
        run = self._runs.get(self.conversation_id if conversation_id is None else conversation_id)
        if run is not None:
            self._workspace.runtime.cancel(run.request.turn_id)

    async def show_version(self, message_id: str) -> None:
        """Show the newest path through another version of a message."""
        if self.run is None:
            await self._workspace.stores.conversations.show_branch(self.conversation_id, message_id)
            await self.open(self.conversation_id)

    async def aclose(self) -> None:
        """Stop every turn and wait until each has kept what it had."""
        for run in self._runs.values():
            run.queue.clear()
            self._workspace.runtime.cancel(run.request.turn_id)
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _stored(self, conversation_id: str) -> tuple[list[Turn], str]:
        """Turns and draft as they are stored, built on the database's thread."""
        from runtime.storage.shown_path import read_path

        path = await self._workspace.stores.database.read(lambda connection: read_path(connection, conversation_id))
        return await asyncio.to_thread(self._reader.turns, path), path.draft

    def _editable(self, message_id: str) -> Turn | None:
        """The turn of a message of the person, unless a turn runs here."""
        if self.run is not None or not message_id:
            return None
        return next((turn for turn in self._transcript.turns if turn.message_id == message_id), None)

    def _begin(self, request: TurnRequest, queue: list[str] | None = None) -> None:
        """Run a turn; a new conversation becomes the one that is shown."""
        conversation = request.conversation_id or ""
        turn = Turn(id=request.turn_id, text=request.text, message_id=request.answer_to or "")
        run = Run(turn=turn, request=request, queue=queue or [])
        self._runs[conversation] = run
        if not self.conversation_id:
            self.conversation_id = self.wanted_id = conversation
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
        self._ended(run, conversation)
        await self._adopt(run, conversation)

    def _ended(self, run: Run, conversation: str) -> None:
        """Send what waits; after a turn that was stopped or failed the person gets it back instead."""
        if run.queue and run.turn.status in ("done", "partial"):
            text, *rest = run.queue
            self._begin(TurnRequest(text=text, conversation_id=conversation, model_id=self.model_id), rest)
        elif run.queue:
            self.queue_returned.emit(conversation, "\n".join(run.queue))
        self._show_state()
        self.conversations_changed.emit()

    async def _adopt(self, run: Run, conversation: str) -> None:
        """The turn learns the id of its stored message and its versions, so that it can be edited and answered again."""
        from runtime.storage.shown_path import read_place

        turn = run.turn
        place = await self._workspace.stores.database.read(
            lambda connection: read_place(connection, conversation, turn.id, turn.message_id)
        )
        if place is not None:
            turn.message_id, turn.questions, turn.answers = place.message_id, place.questions, place.answers
            self._transcript.turn_changed.emit(turn)

    def _deliver(self, turn: Turn, event: RuntimeEvent, conversation: str) -> None:
        self._transcript.apply(turn, event)
        if isinstance(event, TurnStart):
            self.conversations_changed.emit()
        if not isinstance(event, TextDelta | ThinkingDelta):
            self.event_seen.emit(event, conversation)

    def _show_state(self) -> None:
        self.conversation_changed.emit(self.conversation_id)
        self.busy_changed.emit(self.run is not None)
        self.queue_changed.emit([] if self.run is None else list(self.run.queue))
        self.runs_changed.emit()
