"""Tokens, cost and the fullness of the model's window for the conversation that is shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QObject

from desktop.panels.status_line import StatusLine
from desktop.viewmodels.chat import ChatModel
from runtime.core.events import Done, RuntimeEvent, TurnStart, UsageReport
from runtime.core.messages import Usage
from runtime.providers.model_config import OFFLINE_ID, ModelConfig
from runtime.providers.windows import infer_context_window


@dataclass(slots=True)
class _Seen:
    """What was seen of a conversation: the sum of its last turn, and what its last call sent."""

    turn: Usage = field(default_factory=Usage)
    sent: int = 0


class UsageDesk(QObject):
    """Follows the turns and tells the status line.

    Args:
        status: where it is shown.
        chat: whose events these are.
    """

    def __init__(self, status: StatusLine, chat: ChatModel) -> None:
        super().__init__()
        self._window = 0
        self._status = status
        self._chat = chat
        self._seen: dict[str, _Seen] = {}
        chat.event_seen.connect(self._event)
        chat.conversation_changed.connect(lambda _conversation: self._show())

    def choose(self, model: ModelConfig) -> None:
        """From now on this model answers."""
        offline = model.id == OFFLINE_ID
        self._window = 0 if offline else model.context_window or infer_context_window(model.model)
        self._show()

    def _event(self, event: RuntimeEvent, conversation: str) -> None:
        seen = self._seen.setdefault(conversation, _Seen())
        match event:
            case TurnStart():
                seen.turn = Usage()
            case UsageReport():
                seen.sent = event.input + event.cache_read + event.cache_write
            case Done(usage=usage):
                seen.turn = usage
            case _:
                return
        if conversation == self._chat.conversation_id:
            self._show()

    def _show(self) -> None:
        seen = self._seen.get(self._chat.conversation_id, _Seen())
        self._status.show_usage(seen.turn)
        self._status.show_context(seen.sent, self._window)
