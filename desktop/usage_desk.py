"""Who answers, tokens, cost and the fullness of that model's window, for the conversation that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QObject

from desktop.panels.status_line import StatusLine
from desktop.viewmodels.chat import ChatModel
from runtime.core.events import Done, Fallback, ModelStart, RuntimeEvent, TurnStart, UsageReport
from runtime.core.messages import Usage
from runtime.providers.factory import capabilities_of
from runtime.providers.model_config import OFFLINE, OFFLINE_ID, ModelConfig
from runtime.texts import Texts


@dataclass(slots=True)
class _Seen:
    """What was seen of a conversation: the sum of its last turn so far, what its last call sent, and who was asked."""

    turn: Usage = field(default_factory=Usage)
    unpriced: bool = False  # a call of the turn cost something that is not known
    sent: int = 0
    model: str = ""


class UsageDesk(QObject):
    """Follows the turns and tells the status line.

    Args:
        status: where it is shown.
        chat: whose events these are.
        texts: the name of the offline analyst.
    """

    def __init__(self, status: StatusLine, chat: ChatModel, texts: Texts) -> None:
        super().__init__()
        self._status = status
        self._chat = chat
        self._texts = texts
        self._chosen = OFFLINE
        self._known: dict[str, ModelConfig] = {}
        self._seen: dict[str, _Seen] = {}
        chat.event_seen.connect(self._event)
        chat.conversation_changed.connect(lambda _conversation: self._show())

    def choose(self, model: ModelConfig, known: Sequence[ModelConfig]) -> None:
        """From now on this model answers; who answered before is told until then only where a turn still runs.

        Args:
            model: the chosen one.
            known: all that are configured, as they are now.
        """
        if model.id != self._chosen.id:
            for conversation, seen in self._seen.items():
                seen.model = seen.model if conversation in self._chat.running else ""
        self._chosen = model
        self._known = {config.id: config for config in known}
        self._show()

    def _event(self, event: RuntimeEvent, conversation: str) -> None:
        seen = self._seen.setdefault(conversation, _Seen())
        match event:
            case TurnStart():
                seen.turn, seen.unpriced, seen.model = Usage(), False, ""
            case ModelStart(model=model) | Fallback(to_model=model):
                seen.model = model
            case UsageReport():
                seen.sent = event.input + event.cache_read + event.cache_write
                seen.unpriced |= event.cost is None and not self._free(seen.model)
                seen.turn += Usage(
                    input=event.input,
                    output=event.output,
                    cache_read=event.cache_read,
                    cache_write=event.cache_write,
                    cost=event.cost,
                    estimated=event.estimated,
                )
            case Done(usage=usage):
                seen.turn = usage
            case _:
                return
        if conversation == self._chat.conversation_id:
            self._show()

    def _free(self, model: str) -> bool:
        return model in self._known and capabilities_of(self._known[model]).free

    def _show(self) -> None:
        seen = self._seen.get(self._chat.conversation_id, _Seen())
        answering = self._known.get(seen.model, self._chosen)
        offline = answering.id == OFFLINE_ID
        name = self._texts("desktop.offline_name") if offline else answering.id
        self._status.show_model(name, offline=offline)
        self._status.show_usage(seen.turn, at_least=seen.unpriced)
        self._status.show_context(seen.sent, 0 if offline else capabilities_of(answering).window)
