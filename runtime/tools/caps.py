"""Risk caps on a verdict: code, not advice. A flag of high severity holds a buy at hold; the most cautious of all rules counts.

Every cap leaves its trace: what was said, what it became, which rule did it, on what evidence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

import numpy as np

from runtime.core.json import JsonObject
from runtime.core.symbols import Instrument
from runtime.core.verdicts import Action, Verdict
from runtime.market.bars import Bars
from runtime.texts import Texts
from runtime.wyckoff.records import EventKind, Phase, Reading

CHASING_PCT: Final = 5.0  # above the average of five days, seed 004
CAPPED_CONFIDENCE: Final = 0.5  # what a capped verdict may claim at most
DANGER_BARS: Final = 60  # how long an event of distribution weighs
_DANGERS: Final = frozenset({EventKind.BC, EventKind.UTAD, EventKind.SOW})
_LADDER: Final = {Action.BUY: 3, Action.ADD: 3, Action.HOLD: 2, Action.WAIT: 2, Action.REDUCE: 1, Action.SELL: 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A danger that code sees.

    Attributes:
        rule: its name, `tools.cap_<rule>` in words.
        evidence: the figures behind it.
        ceiling: the boldest action that it leaves.
    """

    rule: str
    evidence: str
    ceiling: Action = Action.HOLD

    def words(self, texts: Texts) -> str:
        """The rule and its evidence for the person."""
        return texts(f"tools.cap_{self.rule}", evidence=self.evidence)


def flags_of(
    instrument: Instrument,
    bars: Bars,
    reading: Reading,
    *,
    stale: bool,
    limit_ratio: float | None,
    stop: Decimal | None,
) -> tuple[Flag, ...]:
    """The dangers of a stock as of its last bar.

    Args:
        instrument: the stock.
        bars: its daily bars.
        reading: what the engine says of them.
        stale: a newer trading day should be there.
        limit_ratio: the daily limit of its board; None = none.
        stop: the stop that is stored for the holding; None = no holding, or no stop.
    """
    close = float(bars.close[-1])
    found = [*_of_the_chart(bars, reading), *_of_the_name(instrument), *_of_the_day(bars, limit_ratio, stale=stale)]
    average = float(np.mean(bars.close[-5:]))
    if average > 0 and (close / average - 1) * 100 > CHASING_PCT:
        found.append(Flag(rule="chasing", evidence=f"{(close / average - 1) * 100:.1f}%"))
    if stop is not None and close < float(stop):
        found.append(Flag(rule="below_stop", evidence=f"{close:.2f} < {stop}", ceiling=Action.REDUCE))
    return tuple(found)


def capped(verdict: Verdict, flags: Iterable[Flag], *, held: bool) -> tuple[Verdict, tuple[Flag, ...]]:
    """The verdict under all flags, and those that lowered it.

    Below hold is only for what is held: a stock that is not held is waited for.
    """
    bold = _LADDER[verdict.action]
    active = tuple(flag for flag in flags if _LADDER[flag.ceiling] < bold and (held or bold > _LADDER[Action.WAIT]))
    if not active:
        return verdict, ()
    lowest = min((flag.ceiling for flag in active), key=lambda action: _LADDER[action])
    action = lowest if held else Action.WAIT
    confidence = None if verdict.confidence is None else min(verdict.confidence, CAPPED_CONFIDENCE)
    levels = replace(verdict.levels, entry=None)
    return replace(verdict, action=action, confidence=confidence, levels=levels), active


def audit(before: Action, after: Action, flags: tuple[Flag, ...]) -> JsonObject:
    """The record of a cap."""
    rules: list[JsonObject] = [{"rule": flag.rule, "evidence": flag.evidence} for flag in flags]
    return {"from": before.value, "to": after.value, "rules": [*rules]}


def _of_the_chart(bars: Bars, reading: Reading) -> Iterable[Flag]:
    if reading.phase.phase is Phase.FAILED:
        yield Flag(rule="failed", evidence=str(reading.as_of))
    recent = (
        event
        for event in reversed(reading.events)
        if event.kind in _DANGERS and event.invalidated_at is None and event.confirm_index >= len(bars) - DANGER_BARS
    )
    event = next(recent, None)
    if event is not None and reading.danger.level == "danger":
        yield Flag(rule="distribution", evidence=f"{event.kind.value} {event.date.isoformat()}")


def _of_the_name(instrument: Instrument) -> Iterable[Flag]:
    if "退" in instrument.name:
        yield Flag(rule="delisting", evidence=instrument.name)
    elif "ST" in instrument.name.upper():
        yield Flag(rule="st", evidence=instrument.name)


def _of_the_day(bars: Bars, limit_ratio: float | None, *, stale: bool) -> Iterable[Flag]:
    if stale:
        yield Flag(rule="stale", evidence=bars.as_of.isoformat())
    if float(bars.volume[-1]) <= 0:
        yield Flag(rule="suspended", evidence=bars.as_of.isoformat())
    elif limit_ratio is not None and len(bars) > 1 and float(bars.high[-1]) == float(bars.low[-1]):
        change = float(bars.close[-1] / bars.close[-2] - 1)
        if abs(change) > limit_ratio - 0.005:  # prices are rounded to a cent
            yield Flag(rule="sealed_limit", evidence=f"{change * 100:+.1f}%")
