"""The one stream of a turn: a closed union of events, the same for window, terminal, tests and scratchpad.

A top-level stream holds exactly one terminal event (`done`, `cancelled`, `failed`), and it is the last. Every event carries `seq`
(from 0, no gaps), `ts` and `turn_id`; `round`, `call_id` and `agent` where they apply. `runtime.core.codec` writes them as JSON; the
schema in `docs/` is generated from this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from runtime.core.approvals import ApprovalDecision, ApprovalRequest
from runtime.core.event_base import Event
from runtime.core.json import JsonObject, JsonValue
from runtime.core.messages import Usage
from runtime.core.symbols import Instrument
from runtime.core.verdicts import Verdict
from runtime.core.work_events import PipelineBudgetSkipped, ResearchProgress, StageDone, StageStart, SubAgent

FailureCategory: TypeAlias = Literal["user", "provider", "storage", "internal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStart(Event):
    """The person's message is stored and the run begins."""

    kind: Literal["turn_start"] = "turn_start"
    text: str
    conversation_id: str
    symbols: tuple[Instrument, ...] = ()
    required_tool: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecalled(Event):
    """Lines of long-term memory that this turn sees."""

    kind: Literal["memory_recalled"] = "memory_recalled"
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStart(Event):
    """A model call begins."""

    kind: Literal["model_start"] = "model_start"
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta(Event):
    """More of the answer."""

    kind: Literal["text_delta"] = "text_delta"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingDelta(Event):
    """More of the reasoning."""

    kind: Literal["thinking_delta"] = "thinking_delta"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking(Event):
    """The whole reasoning of a model call, when it is over."""

    kind: Literal["thinking"] = "thinking"
    text: str
    duration_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallInfo:
    """A call inside `tool_calls`."""

    id: str
    name: str
    args: JsonObject | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalls(Event):
    """The model asked for tools; `text` is what it said before."""

    kind: Literal["tool_calls"] = "tool_calls"
    calls: tuple[CallInfo, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStart(Event):
    """A tool begins."""

    kind: Literal["tool_start"] = "tool_start"
    name: str
    display_name: str
    args: JsonObject
    args_summary: str
    concurrent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolProgress(Event):
    """How far a tool is; `progress` is 0..1, None where it is not known."""

    kind: Literal["tool_progress"] = "tool_progress"
    stage: str
    detail: str = ""
    progress: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Event):
    """A tool ended well; `result` is the whole envelope. With `offloaded_ref` the model read a preview, and can read the rest by it."""

    kind: Literal["tool_result"] = "tool_result"
    name: str
    ok: bool
    summary: str
    result: JsonObject
    elapsed_ms: int
    cached: bool = False
    offloaded_ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFailed(Event):
    """A call that did not succeed: refused, wrong, timed out or failed."""

    kind: Literal["tool_error"] = "tool_error"
    name: str
    code: str
    message: str
    retriable: bool
    elapsed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequested(Event):
    """A write waits for a decision."""

    kind: Literal["approval_requested"] = "approval_requested"
    request: ApprovalRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalResolved(Event):
    """The decision is there."""

    kind: Literal["approval_resolved"] = "approval_resolved"
    decision: ApprovalDecision


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked(Event):
    """The agent asks the person."""

    kind: Literal["question_asked"] = "question_asked"
    question: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswered(Event):
    """The person answered; None = the question stays open until the next message."""

    kind: Literal["question_answered"] = "question_answered"
    answer: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundStarted(Event):
    """A background task was started by a tool."""

    kind: Literal["background_started"] = "background_started"
    task_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction(Event):
    """Old messages were replaced by a summary."""

    kind: Literal["compaction"] = "compaction"
    before: int
    after: int
    archive_ref: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextOverflow(Event):
    """Old rounds were dropped because the request would not have fitted."""

    kind: Literal["context_overflow"] = "context_overflow"
    dropped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry(Event):
    """Something is tried again. `detail` says in words why, when, and what the failed try cost."""

    kind: Literal["retry"] = "retry"
    reason: str
    required_tool: str | None = None
    attempt: int
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback(Event):
    """Another model takes over. `detail` says in words why, and what the failed try cost."""

    kind: Literal["fallback"] = "fallback"
    from_model: str
    to_model: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamReset(Event):
    """The visible text of this round is void; it starts again."""

    kind: Literal["stream_reset"] = "stream_reset"


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReport(Event):
    """Tokens and cost of one model call."""

    kind: Literal["usage"] = "usage"
    input: int
    output: int
    cache_read: int
    cache_write: int
    cost: float | None
    estimated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictRecorded(Event):
    """A conclusion on a stock was stored, after the caps."""

    kind: Literal["verdict"] = "verdict"
    verdict: Verdict
    capped_from: str | None = None
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard(Event):
    """A guard acted."""

    kind: Literal["guard"] = "guard"
    name: str
    action: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Steered(Event):
    """Texts of the person entered the running turn."""

    kind: Literal["steered"] = "steered"
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation(Event):
    """A cut answer is continued."""

    kind: Literal["continuation"] = "continuation"
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Done(Event):
    """The turn ended with an answer. `partial` = something is missing and the text says what."""

    kind: Literal["done"] = "done"
    text: str
    streamed: bool
    usage: Usage
    elapsed: float
    rounds: int
    partial: bool = False
    warnings: tuple[str, ...] = ()
    grounding: JsonValue = None


MOST_UNSOURCED = 6  # figures that are named; the rest is counted


def unsourced(event: Done) -> tuple[str, ...]:
    """The figures of an answer for which no source was found, each once."""
    grounding = event.grounding if isinstance(event.grounding, dict) else {}
    missing = grounding.get("unmatched")
    found = [item.get("text") for item in missing if isinstance(item, dict)] if isinstance(missing, list) else []
    return tuple(dict.fromkeys(str(text) for text in found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled(Event):
    """The person stopped the turn; `text` is what was there, kept and marked."""

    kind: Literal["cancelled"] = "cancelled"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Event):
    """The turn could not be done; `message` says why and what to do, `text` is what was there."""

    kind: Literal["failed"] = "failed"
    category: FailureCategory
    message: str
    text: str = ""


Terminal: TypeAlias = Done | Cancelled | Failed

RuntimeEvent: TypeAlias = (
    TurnStart
    | MemoryRecalled
    | ModelStart
    | TextDelta
    | ThinkingDelta
    | Thinking
    | ToolCalls
    | ToolStart
    | ToolProgress
    | ToolResult
    | ToolFailed
    | ApprovalRequested
    | ApprovalResolved
    | QuestionAsked
    | QuestionAnswered
    | BackgroundStarted
    | Compaction
    | ContextOverflow
    | Retry
    | Fallback
    | StreamReset
    | UsageReport
    | VerdictRecorded
    | Guard
    | Steered
    | Continuation
    | StageStart
    | StageDone
    | PipelineBudgetSkipped
    | ResearchProgress
    | SubAgent
    | Terminal
)
