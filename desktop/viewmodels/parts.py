"""The parts of a turn, as the transcript shows them. They grow while the turn runs; each belongs to one turn and has one widget."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from runtime.core.approvals import ApprovalDecision, ApprovalRequest
from runtime.core.json import JsonObject
from runtime.core.messages import Versions
from runtime.core.verdicts import Verdict

ToolState: TypeAlias = Literal["queued", "running", "waiting", "done", "failed", "stopped"]
TurnStatus: TypeAlias = Literal["running", "done", "partial", "stopped", "failed"]
NoticeKind: TypeAlias = Literal["info", "warning", "error"]


@dataclass(slots=True, kw_only=True, eq=False)
class ThinkingPart:
    """Reasoning; open while it streams (no duration yet)."""

    text: str = ""
    duration_ms: int | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class TextPart:
    """Markdown of the answer; `streaming` while more may come."""

    text: str = ""
    streaming: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class ToolPart:
    """A tool call.

    Attributes:
        detail: the argument that names the call, in one line.
        summary: the result in one line, or the error's words.
        source: where the figures come from, with `as_of`.
        envelope: the whole result as the model read it.
    """

    call_id: str
    name: str
    display_name: str
    detail: str = ""
    state: ToolState = "queued"
    summary: str = ""
    source: str = ""
    as_of: str = ""
    elapsed_ms: int | None = None
    cached: bool = False
    args: JsonObject | None = None
    envelope: JsonObject | None = None
    progress: float | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class VerdictPart:
    """A recorded conclusion, and what capped it."""

    verdict: Verdict
    capped_from: str | None = None
    rules: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True, eq=False)
class ApprovalPart:
    """A write that waits, or how it was decided."""

    request: ApprovalRequest
    decision: ApprovalDecision | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class QuestionPart:
    """A question of the agent; `open` while it can be answered here."""

    question: str
    options: tuple[str, ...] = ()
    answer: str | None = None
    open: bool = True


@dataclass(slots=True, kw_only=True, eq=False)
class NoticePart:
    """A note of the runtime: something was retried, is missing, or went wrong."""

    kind: NoticeKind
    text: str


Part: TypeAlias = ThinkingPart | TextPart | ToolPart | VerdictPart | ApprovalPart | QuestionPart | NoticePart


@dataclass(slots=True, kw_only=True, eq=False)
class Turn:
    """What the person said, and everything that came of it.

    Attributes:
        id: the turn's id.
        message_id: the stored message of the person; empty until it is stored.
        text: what the person said; empty when the turn continues nothing of theirs.
        questions: versions of the person's message (edits).
        answers: versions of the answer to it (answered again).
    """

    id: str
    text: str
    message_id: str = ""
    questions: Versions = field(default_factory=Versions)
    answers: Versions = field(default_factory=Versions)
    parts: list[Part] = field(default_factory=list)
    status: TurnStatus = "running"

    @property
    def answer(self) -> str:
        """The visible text of the answer."""
        return "\n\n".join(part.text.strip() for part in self.parts if isinstance(part, TextPart) and part.text.strip())
