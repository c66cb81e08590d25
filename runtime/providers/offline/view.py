"""What has happened in the running turn, read from the messages as a model would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.core.json import JsonObject, loads_object
from runtime.core.messages import AssistantMessage, Message, ToolMessage, UserMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call and the envelope of its result."""

    name: str
    args: JsonObject
    envelope: JsonObject

    @property
    def ok(self) -> bool:
        """Whether it succeeded."""
        return self.envelope.get("ok") is True

    @property
    def data(self) -> JsonObject:
        """The data of a success; empty otherwise."""
        data = self.envelope.get("data")
        return data if isinstance(data, dict) else {}

    @property
    def meta(self) -> JsonObject:
        """Source, as-of and the like."""
        meta = self.envelope.get("meta")
        return meta if isinstance(meta, dict) else {}

    @property
    def error_code(self) -> str:
        """The code of a failure; empty otherwise."""
        error = self.envelope.get("error")
        return str(error.get("code", "")) if isinstance(error, dict) else ""

    @property
    def error_details(self) -> JsonObject:
        """The facts beside a failure; empty otherwise."""
        error = self.envelope.get("error")
        details = error.get("details") if isinstance(error, dict) else None
        return details if isinstance(details, dict) else {}

    @property
    def error_message(self) -> str:
        """The words of a failure; empty otherwise."""
        error = self.envelope.get("error")
        return str(error.get("message", "")) if isinstance(error, dict) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """The newest text of the person, what was done since, and a write of the turn before that waits for consent."""

    text: str
    steps: tuple[Step, ...]
    waiting: Step | None

    def last(self, name: str) -> Step | None:
        """The last call of a tool in this turn."""
        return next((step for step in reversed(self.steps) if step.name == name), None)

    def of(self, name: str) -> tuple[Step, ...]:
        """All calls of a tool in this turn."""
        return tuple(step for step in self.steps if step.name == name)


def turn_view(messages: Sequence[Message]) -> TurnView:
    """The view of a history whose last message of the person opened the turn."""
    borders = [index for index, message in enumerate(messages) if isinstance(message, UserMessage)]
    if not borders:
        return TurnView(text="", steps=(), waiting=None)
    opened = messages[borders[-1]]
    before = _steps(messages[borders[-2] : borders[-1]]) if len(borders) > 1 else ()
    return TurnView(
        text=opened.text if isinstance(opened, UserMessage) else "",
        steps=_steps(messages[borders[-1] :]),
        waiting=_waiting(before),
    )


def _steps(messages: Sequence[Message]) -> tuple[Step, ...]:
    calls = {call.id: call for message in messages if isinstance(message, AssistantMessage) for call in message.calls}
    return tuple(
        Step(name=message.name, args=calls[message.call_id].args or {}, envelope=loads_object(message.content))
        for message in messages
        if isinstance(message, ToolMessage) and message.call_id in calls
    )


def _waiting(steps: tuple[Step, ...]) -> Step | None:
    """A write that was refused for want of consent, when the turn ended with the question about it."""
    if not steps or steps[-1].name != "ask_user" or steps[-1].data.get("status") != "waiting":
        return None
    return next((step for step in reversed(steps) if step.error_code == "approval_required"), None)
