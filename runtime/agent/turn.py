"""One turn: what was asked, and what has happened so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from runtime.agent.guards.doom_loop import DoomLoopGuard
from runtime.approvals.broker import Approver, RunPolicy
from runtime.core.compaction import CompactionRecord
from runtime.core.deadline import Deadline
from runtime.core.events import RuntimeEvent
from runtime.core.ids import new_id
from runtime.core.messages import Message, Usage
from runtime.core.symbols import Resolution
from runtime.tools.results import CallResult
from runtime.tools.scope import StockScope


class Asker(Protocol):
    """A surface on which the agent can ask a question."""

    async def ask(self, question: str, options: tuple[str, ...]) -> str | None:
        """Ask and wait; None = nobody answers now, the next message of the conversation will."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """Who is on the other side of a turn.

    Attributes:
        approver: decides writes; None = nobody can be asked.
        asker: answers questions; None = nobody can be asked.
        policy: how writes are decided in this run.
    """

    approver: Approver | None = None
    asker: Asker | None = None
    policy: RunPolicy = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """What the person sent.

    Attributes:
        text: the message; ignored when an existing one is answered again.
        conversation_id: None starts a new conversation.
        model_id: None = the default model.
        edit_of: message of the person that this one takes the place of, as its sibling.
        answer_to: message of the person that is answered again; the new answer is a sibling of the old.
    """

    text: str
    conversation_id: str | None = None
    model_id: str | None = None
    edit_of: str | None = None
    answer_to: str | None = None
    turn_id: str = field(default_factory=new_id)


@dataclass(slots=True, kw_only=True)
class TurnState:
    """What has happened so far; the loop and its helpers change it.

    Attributes:
        send: sends an event.
        messages: the history, and what this turn added, oldest first.
        compacted: what the first two messages tell, where they stand in for older ones.
        head_id: the stored message that the next one hangs under.
        text: what the person asked.
        resolution: the stocks of the turn.
        scope: the stocks that tool calls may be about; None = any.
        rounds: finished rounds of tool calls; the number of the one that is going on.
        results: results of all calls, in order.
        partial_text: visible text of the model call that is running or broke off.
        streamed: whether the final text went out as deltas.
        deferred_question: a question that the next message answers.
        steering: texts of the person that enter before the next model call.
        fetched: what a model without tools needs was fetched.
        doom: watches for calls that repeat themselves.
        warnings: what the person should know about the answer, each once.
    """

    turn_id: str
    conversation_id: str
    deadline: Deadline
    send: Callable[[RuntimeEvent], None]
    messages: list[Message]
    head_id: str | None
    compacted: CompactionRecord | None = None
    text: str = ""
    resolution: Resolution = field(default_factory=Resolution)
    scope: StockScope | None = None
    rounds: int = 0
    usage: Usage = field(default_factory=Usage)
    results: list[CallResult] = field(default_factory=list)
    partial_text: str = ""
    deferred_question: str | None = None
    steering: list[str] = field(default_factory=list)
    fetched: bool = False
    doom: DoomLoopGuard = field(default_factory=DoomLoopGuard)
    warnings: list[str] = field(default_factory=list)

    def warn(self, text: str) -> None:
        """Let the answer carry a warning."""
        if text not in self.warnings:
            self.warnings.append(text)

    def emit(self, event: RuntimeEvent) -> None:
        """Send an event of the round that is going on."""
        self.send(replace(event, round=self.rounds))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """How the loop ended: text that is never empty, whether something is missing, and what the person should know."""

    text: str
    streamed: bool = True
    partial: bool = False
    warnings: tuple[str, ...] = ()
