"""Events of work inside a turn: committees, deep research, sub-agents. Part of the union in `runtime.core.events`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runtime.core.event_base import Event
from runtime.core.json import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class StageStart(Event):
    """A stage of a committee begins."""

    kind: Literal["stage_start"] = "stage_start"
    stage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StageDone(Event):
    """A stage of a committee ended."""

    kind: Literal["stage_done"] = "stage_done"
    stage: str
    status: str
    duration_ms: int
    opinion: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineBudgetSkipped(Event):
    """A stage was left out because its time would not have sufficed (seconds)."""

    kind: Literal["pipeline_budget_skipped"] = "pipeline_budget_skipped"
    stage: str
    elapsed: float
    timeout: float
    remaining: float
    minimum: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchProgress(Event):
    """How far a deep research is."""

    kind: Literal["research_progress"] = "research_progress"
    phase: str
    question: str
    progress: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubAgent(Event):
    """An event of a sub-agent, in its JSON form; its own `agent` path says which."""

    kind: Literal["sub_agent"] = "sub_agent"
    event: JsonObject
