"""The transcript of one conversation: turns made of parts, kept up by the runtime's events.

Signals carry what changed and nothing else; whoever shows the transcript never looks at an event.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from desktop.viewmodels.parts import (
    ApprovalPart,
    NoticePart,
    Part,
    QuestionPart,
    TextPart,
    ThinkingPart,
    ToolPart,
    Turn,
    VerdictPart,
)
from runtime.core.events import (
    MOST_UNSOURCED,
    ApprovalRequested,
    ApprovalResolved,
    Cancelled,
    Compaction,
    ContextOverflow,
    Done,
    Failed,
    Fallback,
    Guard,
    QuestionAnswered,
    QuestionAsked,
    Retry,
    RuntimeEvent,
    Steered,
    StreamReset,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolFailed,
    ToolProgress,
    ToolResult,
    ToolStart,
    VerdictRecorded,
    unsourced,
)
from runtime.core.json import JsonObject
from runtime.texts import Texts

P = TypeVar("P", bound=Part)


class TranscriptModel(QObject):
    """Turns of the conversation that is shown.

    Args:
        texts: words for notices.
    """

    reset = Signal()  # everything is different: read `turns`
    turn_added = Signal(object)  # Turn
    turn_changed = Signal(object)  # Turn: its status
    part_added = Signal(object, object)  # Turn, Part
    part_changed = Signal(object, object)  # Turn, Part
    text_grew = Signal(object, object, str)  # Turn, TextPart or ThinkingPart, what was added
    part_removed = Signal(object, object)  # Turn, Part

    def __init__(self, texts: Texts, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._texts = texts
        self.turns: list[Turn] = []

    def load(self, turns: Sequence[Turn]) -> None:
        """Show other turns."""
        self.turns = list(turns)
        self.reset.emit()

    def cut(self, turn: Turn) -> None:
        """Leave a turn and what came after it out of sight, because its place is taken anew."""
        self.load(self.turns[: self.turns.index(turn)])

    def begin(self, turn: Turn) -> None:
        """A new turn at the end."""
        self.turns.append(turn)
        self.turn_added.emit(turn)

    def apply(self, turn: Turn, event: RuntimeEvent) -> None:
        """Let an event of a turn change it."""
        match event:
            case TextDelta(text=text):
                self._grow(turn, TextPart, text)
            case ThinkingDelta(text=text):
                self._grow(turn, ThinkingPart, text)
            case Thinking(duration_ms=duration):
                self._end_thinking(turn, duration)
            case StreamReset():
                self._drop_round(turn)
            case ToolStart() | ToolProgress() | ToolResult() | ToolFailed():
                self._tool(turn, event)
            case VerdictRecorded():
                self._add(turn, VerdictPart(verdict=event.verdict, capped_from=event.capped_from, rules=event.rules))
            case ApprovalRequested() | ApprovalResolved():
                self._approval(turn, event)
            case QuestionAsked() | QuestionAnswered():
                self._question(turn, event)
            case Retry() | Fallback():
                text = event.detail or self._texts(f"cli.{event.kind}")
                self._add(turn, NoticePart(kind="info", text=text))
            case Guard(detail=detail):
                self._add(turn, NoticePart(kind="info", text=detail))
            case Compaction() | ContextOverflow():
                self._add(turn, NoticePart(kind="info", text=self._context_words(event)))
            case Steered(texts=said):
                self._close_text(turn)
                self._add(turn, NoticePart(kind="info", text=self._texts("desktop.steered", text="；".join(said))))
            case Done() | Cancelled() | Failed():
                self._end(turn, event)
            case _:
                pass

    def _context_words(self, event: Compaction | ContextOverflow) -> str:
        if isinstance(event, Compaction):
            return self._texts("agent.compacted", before=event.before, after=event.after)
        return self._texts("agent.overflowed", dropped=event.dropped)

    def _grow(self, turn: Turn, kind: type[TextPart | ThinkingPart], text: str) -> None:
        last = turn.parts[-1] if turn.parts else None
        if not isinstance(last, kind):
            self._close_text(turn)
            last = TextPart(streaming=True) if kind is TextPart else ThinkingPart()
            self._add(turn, last)
        if isinstance(last, TextPart | ThinkingPart):
            last.text += text
            self.text_grew.emit(turn, last, text)

    def _end_thinking(self, turn: Turn, duration_ms: int) -> None:
        part = self._last(turn, ThinkingPart)
        if part is not None and part.duration_ms is None:
            part.duration_ms = duration_ms
            self.part_changed.emit(turn, part)

    def _close_text(self, turn: Turn) -> None:
        part = self._last(turn, TextPart)
        if part is not None and part.streaming:
            part.streaming = False
            self.part_changed.emit(turn, part)

    def _drop_round(self, turn: Turn) -> None:
        """Take away what a broken answer of this round has said; tools end a round, notices stay."""
        for part in reversed([*turn.parts]):
            if isinstance(part, ToolPart):
                break
            if isinstance(part, ThinkingPart) or (isinstance(part, TextPart) and part.streaming):
                turn.parts.remove(part)
                self.part_removed.emit(turn, part)

    def _tool(self, turn: Turn, event: ToolStart | ToolProgress | ToolResult | ToolFailed) -> None:
        part = self.tool(turn, event.call_id or "")
        if part is None:
            self._close_text(turn)
            name = "" if isinstance(event, ToolProgress) else event.name
            part = ToolPart(call_id=event.call_id or "", name=name, display_name=name)
            self._update_tool(part, event)
            self._add(turn, part)
        else:
            self._update_tool(part, event)
            self.part_changed.emit(turn, part)

    def _update_tool(self, part: ToolPart, event: ToolStart | ToolProgress | ToolResult | ToolFailed) -> None:
        match event:
            case ToolStart():
                part.display_name, part.detail, part.args = event.display_name, event.args_summary, event.args
                part.state = "running"
            case ToolProgress():
                part.summary, part.progress = f"{event.stage} {event.detail}".strip(), event.progress
            case ToolResult():
                part.state, part.summary = "done", event.summary
                part.elapsed_ms, part.cached, part.envelope = event.elapsed_ms, event.cached, event.result
                part.source, part.as_of = provenance(event.result)
            case ToolFailed():
                part.state = "stopped" if event.code == "aborted" else "failed"
                part.summary, part.elapsed_ms = event.message, event.elapsed_ms

    def _approval(self, turn: Turn, event: ApprovalRequested | ApprovalResolved) -> None:
        tool = self.tool(turn, event.call_id or "")
        if isinstance(event, ApprovalRequested):
            self._close_text(turn)
            self._add(turn, ApprovalPart(request=event.request))
        else:
            for part in turn.parts:
                if isinstance(part, ApprovalPart) and part.request.id == event.decision.request_id:
                    part.decision = event.decision
                    self.part_changed.emit(turn, part)
        if tool is not None:
            tool.state = "waiting" if isinstance(event, ApprovalRequested) else "running"
            self.part_changed.emit(turn, tool)

    def _question(self, turn: Turn, event: QuestionAsked | QuestionAnswered) -> None:
        if isinstance(event, QuestionAsked):
            self._close_text(turn)
            self._add(turn, QuestionPart(question=event.question, options=event.options))
            return
        part = self._last(turn, QuestionPart)
        if part is not None:
            part.answer, part.open = event.answer, False
            self.part_changed.emit(turn, part)

    def _end(self, turn: Turn, event: Done | Cancelled | Failed) -> None:
        self._close_text(turn)
        for part in turn.parts:
            if isinstance(part, ToolPart) and part.state in ("queued", "running", "waiting"):
                part.state = "stopped"
                self.part_changed.emit(turn, part)
            elif isinstance(part, QuestionPart) and part.open:
                part.open = False
                self.part_changed.emit(turn, part)
        match event:
            case Done():
                if not event.streamed and event.text not in turn.answer:
                    self._add(turn, TextPart(text=event.text))
                if missing := unsourced(event):
                    text = self._texts(
                        "agent.unsourced", count=len(missing), figures="、".join(missing[:MOST_UNSOURCED])
                    )
                    self._add(turn, NoticePart(kind="warning", text=text))
                for warning in event.warnings:
                    self._add(turn, NoticePart(kind="warning", text=warning))
                turn.status = "partial" if event.partial else "done"
            case Cancelled():
                turn.status = "stopped"
            case Failed():
                self._add(turn, NoticePart(kind="error", text=event.message))
                turn.status = "failed"
        self.turn_changed.emit(turn)

    def tool(self, turn: Turn, call_id: str) -> ToolPart | None:
        """The part of a call."""
        return next((part for part in turn.parts if isinstance(part, ToolPart) and part.call_id == call_id), None)

    def _add(self, turn: Turn, part: Part) -> None:
        turn.parts.append(part)
        self.part_added.emit(turn, part)

    def _last(self, turn: Turn, kind: type[P]) -> P | None:
        return next((part for part in reversed(turn.parts) if isinstance(part, kind)), None)


def provenance(envelope: JsonObject) -> tuple[str, str]:
    """Source and as-of of a result, empty where it has none."""
    meta = envelope.get("meta")
    if not isinstance(meta, dict):
        return "", ""
    return str(meta.get("source") or ""), str(meta.get("as_of") or "")
