"""Events of a turn as text for a person, or as NDJSON for a program."""

from __future__ import annotations

import re
import sys
from typing import Final, Protocol

from rich.console import Console
from rich.markup import escape

from runtime.cli.start import print_json
from runtime.core.codec import to_json
from runtime.core.events import (
    MOST_UNSOURCED,
    ApprovalResolved,
    Cancelled,
    Compaction,
    ContextOverflow,
    Done,
    Failed,
    Fallback,
    Guard,
    Retry,
    RuntimeEvent,
    StreamReset,
    TextDelta,
    Thinking,
    ToolFailed,
    ToolProgress,
    ToolResult,
    ToolStart,
    TurnStart,
    VerdictRecorded,
    unsourced,
)
from runtime.core.verdicts import Verdict
from runtime.texts import Texts

SLOW_MS: Final = 1000


class Renderer(Protocol):
    """Shows events."""

    def show(self, event: RuntimeEvent) -> None:
        """Show one event as it comes."""
        ...


class JsonRenderer:
    """One JSON object a line, flushed for each event."""

    def show(self, event: RuntimeEvent) -> None:
        """Print the event."""
        print_json(to_json(event))


class TextRenderer:
    """The answer on standard output, everything around it on standard error, so that the answer can be piped.

    Args:
        texts: in the person's language.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._aside = Console(stderr=True, highlight=False)
        self._names: dict[str, str] = {}
        self._line_open = False

    def show(self, event: RuntimeEvent) -> None:
        """Show the event, or nothing where a terminal needs nothing."""
        match event:
            case TurnStart(symbols=symbols) if symbols:
                self._note("dim", "、".join(f"{item.name} {item.symbol}" for item in symbols))
            case Thinking(text=text) if text:
                self._note("dim italic", self._texts("cli.thought", text=text))
            case TextDelta(text=text):
                self._write(text)
            case ToolStart():
                self._names[event.call_id or ""] = event.display_name
                self._note("cyan", f"▸ {event.display_name} {event.args_summary}".rstrip())
            case ToolProgress(stage=stage, detail=detail):
                self._note("dim", f"  {stage} {detail}")
            case ToolResult(summary=summary, elapsed_ms=elapsed):
                self._note("green", f"✓ {summary}{_seconds(elapsed)}")
            case ToolFailed():
                self._failed_tool(event)
            case ApprovalResolved(decision=decision):
                self._note("yellow", self._texts(f"cli.decision_{decision.choice}", by=self._by(decision.decided_by)))
            case VerdictRecorded(verdict=verdict):
                self._verdict(verdict)
            case Retry() | Fallback() | Guard() | StreamReset() | Compaction() | ContextOverflow():
                self._note("yellow", self._went_on(event))
            case Done():
                self._done(event)
            case Cancelled():
                self._note("yellow", self._texts("agent.stopped"))
            case Failed(message=message):
                self._note("bold red", message)
            case _:
                pass

    def _went_on(self, event: Retry | Fallback | Guard | StreamReset | Compaction | ContextOverflow) -> str:
        """What the runtime did so that the turn can go on."""
        match event:
            case Compaction():
                return self._texts("agent.compacted", before=event.before, after=event.after)
            case ContextOverflow():
                return self._texts("agent.overflowed", dropped=event.dropped)
            case StreamReset():
                return self._texts(f"cli.{event.kind}")
            case _:
                return event.detail or self._texts(f"cli.{event.kind}")

    def _failed_tool(self, event: ToolFailed) -> None:
        name, message = self._names.get(event.call_id or "", event.name), event.message
        if event.code in ("approval_required", "denied", "unanswered"):  # these words are for the model
            message = self._texts(f"cli.not_done_{event.code}")
        self._note("red", f"✗ {name}：{message}")

    def _by(self, decided_by: str) -> str:
        """Who decided, in words: the log's `person, rule:1` is for programs."""
        kind = re.split("[,:]", decided_by)[0]
        return self._texts(f"cli.by_{kind}") if self._texts.knows(f"cli.by_{kind}") else decided_by

    def _verdict(self, verdict: Verdict) -> None:
        """The verdict in one line, with its levels."""
        levels = verdict.levels
        named = (
            ("entry", levels.entry),
            ("stop", levels.stop),
            ("target", levels.target),
            ("invalidation", levels.invalidation),
        )
        figures = " · ".join(self._texts(f"cli.level_{name}", price=f"{value:.2f}") for name, value in named if value)
        action = self._texts(f"tools.action_{verdict.action.value}")
        line = self._texts("cli.verdict", name=verdict.name, action=action, figures=figures)
        self._note("bold magenta", line.rstrip(" ·"))

    def _done(self, event: Done) -> None:
        if not event.streamed:
            self._write(event.text)
        self._end_line()
        if missing := unsourced(event):
            named = "、".join(missing[:MOST_UNSOURCED])
            self._note("yellow", f"⚠ {self._texts('agent.unsourced', count=len(missing), figures=named)}")
        for warning in event.warnings:
            self._note("yellow", f"⚠ {warning}")
        tokens = event.usage.input + event.usage.cache_read + event.usage.cache_write + event.usage.output
        key = "cli.done_tokens" if tokens else "cli.done"
        self._note("dim", self._texts(key, seconds=f"{event.elapsed:.1f}", rounds=event.rounds, tokens=tokens))

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
        self._line_open = not text.endswith("\n")

    def _note(self, style: str, text: str) -> None:
        self._end_line()
        self._aside.print(escape(text), style=style, soft_wrap=True)

    def _end_line(self) -> None:
        if self._line_open:
            self._write("\n")


def _seconds(elapsed_ms: int) -> str:
    return f"  {elapsed_ms / 1000:.1f} s" if elapsed_ms >= SLOW_MS else ""
