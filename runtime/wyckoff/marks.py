"""What a campaign works on and what it leaves: the ground of one range and the marks on it, in the frame of the campaign."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from runtime.wyckoff.climax import Climax
from runtime.wyckoff.records import Evidence, Phase


class Role(Enum):
    """What an event does in its structure, whichever way it points."""

    CLIMAX = auto()
    REACTION = auto()
    SECONDARY_TEST = auto()
    THRUST = auto()  # spring, upthrust
    TEST = auto()
    BREAK = auto()  # sign of strength, sign of weakness
    BACKUP = auto()  # last point of support, last point of supply


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """An event in the frame of its campaign; `level` in log units, None before a range has edges."""

    role: Role
    phase: Phase
    index: int
    confirm: int
    level: float | None
    evidence: tuple[Evidence, ...]
    refs: tuple[tuple[Role, int], ...] = ()
    invalidated_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The range of a campaign in its own frame, log units.

    Attributes:
        start: first bar.
        known: bar that knew the edges.
        end: bar that left for good, the number of bars while active.
        stop: bar to look no further at.
        works: whether the exit, if any, was upwards; the other way the structure failed.
        climax: the climax it is anchored on, None for a range of pivots.
    """

    start: int
    known: int
    end: int
    stop: int
    works: bool
    floor: float
    ceiling: float
    climax: Climax | None
