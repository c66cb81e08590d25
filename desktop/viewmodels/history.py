"""Stored conversations as turns: the same parts that a running turn grows, read back from its messages."""

from __future__ import annotations

from collections.abc import Sequence

from desktop.viewmodels.parts import NoticePart, Part, TextPart, ThinkingPart, ToolPart, Turn, VerdictPart
from desktop.viewmodels.transcript import provenance
from runtime.core.json import JsonObject, loads_object
from runtime.core.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from runtime.core.messages import TextPart as StoredText
from runtime.core.messages import ThinkingPart as StoredThinking
from runtime.core.verdicts import Verdict
from runtime.storage.shown_path import PathMessage, StoredPath
from runtime.texts import Texts
from runtime.tools.registry import ToolRegistry


class HistoryReader:
    """Builds turns.

    Args:
        texts: words for notices.
        registry: knows the names of tools.
    """

    def __init__(self, texts: Texts, registry: ToolRegistry) -> None:
        self._texts = texts
        self._registry = registry

    def turns(self, path: StoredPath) -> list[Turn]:
        """The turns of a path, the oldest first. Values only: it may run on any thread."""
        turns: list[Turn] = []
        for stored in path.messages:
            message = stored.message
            if message is None:
                self._gap(turns, stored)
            elif isinstance(message, UserMessage):
                self._said(turns, stored, message)
            else:
                if not turns:
                    turns.append(Turn(id=stored.turn_id, text="", status="done"))
                self._into(turns[-1], stored, message)
        self._place_verdicts(turns, path.verdicts)
        for turn in turns:
            if not turn.parts:  # ended before it could say anything
                turn.status = "failed"
        return turns

    def _said(self, turns: list[Turn], stored: PathMessage, message: UserMessage) -> None:
        if turns and turns[-1].id == stored.turn_id:  # entered the running turn
            turns[-1].parts.append(NoticePart(kind="info", text=self._texts("desktop.steered", text=message.text)))
            return
        turns.append(
            Turn(
                id=stored.turn_id,
                text=message.text,
                message_id=stored.id,
                questions=stored.versions,
                status="done",
            )
        )

    def _gap(self, turns: list[Turn], stored: PathMessage) -> None:
        """A row that cannot be read leaves a note in its place."""
        if not turns or stored.role == "user":
            turns.append(Turn(id=stored.turn_id, text="", status="done"))
        turns[-1].parts.append(NoticePart(kind="warning", text=self._texts("desktop.unreadable")))

    def _into(self, turn: Turn, stored: PathMessage, message: AssistantMessage | ToolMessage) -> None:
        match message:
            case AssistantMessage() if stored.status == "withdrawn":
                pass  # a guard took it back
            case AssistantMessage():
                for part in message.parts:
                    found = self._part(part)
                    if found is not None:
                        turn.parts.append(found)
                if turn.id != stored.turn_id or not turn.answers.ids:
                    turn.answers = stored.versions
                turn.id = stored.turn_id
                if stored.status in ("stopped", "streaming"):
                    turn.status = "stopped"
                elif stored.status == "failed":
                    turn.status = "failed"
            case ToolMessage():
                self._result(turn, message)

    def _part(self, part: StoredText | StoredThinking | ToolCall) -> Part | None:
        match part:
            case StoredText():
                return TextPart(text=part.text) if part.text.strip() else None
            case StoredThinking():
                return ThinkingPart(text=part.text, duration_ms=0) if part.text.strip() else None
            case ToolCall():
                tool = self._registry.get(part.name)
                return ToolPart(
                    call_id=part.id,
                    name=part.name,
                    display_name=part.name if tool is None else tool.display_name(self._texts),
                    detail="" if tool is None or part.args is None else tool.args_summary(part.args),
                    state="stopped",
                    args=part.args,
                )

    def _result(self, turn: Turn, message: ToolMessage) -> None:
        part = next(
            (item for item in reversed(turn.parts) if isinstance(item, ToolPart) and item.call_id == message.call_id),
            None,
        )
        if part is None:
            return
        envelope = _envelope(message.content)
        part.state = "done" if message.ok else "failed"
        part.envelope = envelope
        part.source, part.as_of = provenance(envelope)
        error = envelope.get("error")
        if isinstance(error, dict):
            part.summary = str(error.get("message") or "")
            part.state = "stopped" if error.get("code") == "aborted" else "failed"

    def _place_verdicts(self, turns: Sequence[Turn], verdicts: Sequence[tuple[str, Verdict]]) -> None:
        """Each verdict behind the call that recorded it."""
        for turn_id, verdict in verdicts:
            turn = next((item for item in turns if item.id == turn_id), None)
            if turn is None:
                continue
            calls = [index for index, part in enumerate(turn.parts) if _records(part, verdict.symbol)]
            position = calls[0] + 1 if calls else len(turn.parts)
            turn.parts.insert(position, VerdictPart(verdict=verdict))


def _records(part: Part, symbol: str) -> bool:
    """Whether a part is the call that recorded a verdict on a stock."""
    if not isinstance(part, ToolPart) or part.name != "record_verdict" or part.envelope is None:
        return False
    data = part.envelope.get("data")
    return isinstance(data, dict) and data.get("symbol") == symbol


def _envelope(content: str) -> JsonObject:
    """The envelope of a stored result; a damaged row shows as an empty one."""
    try:
        return loads_object(content)
    except ValueError:
        return {}
