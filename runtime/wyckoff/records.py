"""What the engine says about one stock: records that a chart can draw and a test can check.

Always: prices in yuan of the bars' own adjustment, indices into the analysed bars, `confirm_index` the first bar at whose close the
record could be known. An event never changes once confirmed, except that `invalidated_at` may be set by a later bar.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from runtime.market.bars import Adjust

Trend: TypeAlias = Literal["up", "down", "sideways"]
Side: TypeAlias = Literal[1, -1]
"""1 reads a range as accumulation; -1 reads its mirror image, distribution."""


class EventKind(StrEnum):
    """Wyckoff's events under the names of the literature."""

    PS = "PS"
    SC = "SC"
    AR = "AR"
    ST = "ST"
    UA = "UA"
    SPRING = "SPRING"
    SHAKEOUT = "SHAKEOUT"
    TEST = "TEST"
    SOS = "SOS"
    JAC = "JAC"
    LPS = "LPS"
    BU = "BU"
    PSY = "PSY"
    BC = "BC"
    UT = "UT"
    UTAD = "UTAD"
    SOW = "SOW"
    LPSY = "LPSY"
    STOPPING_VOLUME = "STOPPING_VOLUME"
    NO_SUPPLY = "NO_SUPPLY"
    NO_DEMAND = "NO_DEMAND"
    ABSORPTION = "ABSORPTION"


class Structure(StrEnum):
    """What a trading range is read as; the prefix `re` means in the direction of the trend before it."""

    ACCUMULATION = "accumulation"
    DISTRIBUTION = "distribution"
    REACCUMULATION = "reaccumulation"
    REDISTRIBUTION = "redistribution"

    @property
    def is_accumulation(self) -> bool:
        """Whether a rise is expected from it."""
        return self in {Structure.ACCUMULATION, Structure.REACCUMULATION}


class Phase(StrEnum):
    """Where a structure stands; NONE means there is no structure."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"
    E = "E"
    FAILED = "FAILED"
    NONE = "NONE"


class LevelKind(StrEnum):
    """The edge of a range: support and creek in accumulation, resistance and ice in distribution."""

    SUPPORT = "support"
    RESISTANCE = "resistance"
    CREEK = "creek"
    ICE = "ice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One measured fact behind an event.

    Attributes:
        name: key of its text, `wyckoff.evidence_<name>`.
        value: the measurement, None where it could not be taken (no volume).
        need: the bound it is held against, for example `>=2`.
        ok: whether it holds. An event may stand with a minor fact missing.
    """

    name: str
    value: float | None
    need: str
    ok: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A Wyckoff event.

    Attributes:
        index: bar at which it is drawn.
        price: the extreme that it is drawn at.
        level: the edge it is about, as known at `confirm_index`; None before a range has edges.
        confirm_index: first bar at whose close it could be known.
        volume_ratio: volume over the median of the 60 bars before, None where volume says nothing.
        range_atr: high to low in ATR(20) of the bar before.
        close_position: 0 at the low, 1 at the high.
        penetration_atr: how far it went beyond the level; None where not applicable.
        confidence: calibrated probability; None until calibrated.
        refs: events it leans on as (name, index).
        invalidated_at: bar whose close took it back.
    """

    kind: EventKind
    structure: Structure
    phase: Phase
    index: int
    date: dt.date
    price: float
    level: float | None
    level_kind: LevelKind | None
    confirm_index: int
    confirm_date: dt.date
    volume_ratio: float | None
    range_atr: float
    close_position: float
    penetration_atr: float | None
    confidence: float | None
    evidence: tuple[Evidence, ...]
    refs: tuple[tuple[str, int], ...]
    invalidated_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TradingRange:
    """The box of the latest structure.

    Attributes:
        known_index: first bar at whose close the box could be known.
        end_index: bar that left the box, or the last bar while it is active.
        active: whether the price has not left it for good.
        quality: 1 minus the probability that a random walk of the same volatility stays in such a box as long (not corrected
            for the many boxes tried).
        touches: confirmed pivots within a quarter of the width from an edge.
        width_atr: height in ATR(20) at `known_index`.
    """

    start_index: int
    start_date: dt.date
    known_index: int
    end_index: int
    end_date: dt.date
    active: bool
    support: float
    resistance: float
    quality: float
    touches: int
    width_atr: float
    structure: Structure


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseState:
    """Where the latest structure stands.

    Attributes:
        since_index: bar at whose close the phase began, None without a structure.
        p_accumulation: rule-based score in 0..1, not a calibrated probability: a logistic weight of the side, scaled by the
            range's quality, so both scores together reach at most 1. None without a range, and while its box is too
            young or too wide to be told from a random walk.
        p_distribution: the same for the other side.
        next_expected: kinds that would carry the structure on.
        invalidation_price: a close beyond it takes the case for the structure away.
    """

    phase: Phase
    structure: Structure | None
    since_index: int | None
    since_date: dt.date | None
    p_accumulation: float | None
    p_distribution: float | None
    next_expected: tuple[EventKind, ...]
    invalidation_price: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A price worth a line on the chart, and the key of the text that says why."""

    kind: LevelKind
    price: float
    reason_key: str
    index: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A protective stop for someone who holds the stock, and the key of its reason."""

    price: float
    reason_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Danger:
    """Whether a holder should worry, and the key of the reason (None when there is none)."""

    level: Literal["none", "watch", "danger"]
    reason_key: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Everything the engine says about one series, as of its last bar.

    Attributes:
        bars: number of bars analysed.
        range: the box of `phase.structure`, None while a random walk would as easily have stayed in it. After the price
            left it, it is kept for the 40 bars in which E or FAILED is shown, with `active` false.
        events: by `confirm_index`.
        note_key: key of a text when the reading is limited (too short), else None.
    """

    symbol: str
    as_of: dt.date | None
    adjust: Adjust
    bars: int
    range: TradingRange | None
    phase: PhaseState
    events: tuple[Event, ...]
    levels: tuple[Level, ...]
    stop: Stop | None
    trend: Trend
    danger: Danger
    note_key: str | None
