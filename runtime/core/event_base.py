"""What every event of a turn carries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What every event carries. `seq`, `ts` and `turn_id` are set by the sink that sends it."""

    seq: int = -1
    ts: datetime | None = None
    turn_id: str = ""
    round: int | None = None
    call_id: str | None = None
    agent: tuple[str, ...] = ()
