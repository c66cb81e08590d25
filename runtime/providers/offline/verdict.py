"""A conclusion from the engine's reading by rules: the method's own, stated in words, with the engine's levels and no others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

from runtime.core.json import JsonObject, JsonValue

CHASE_LIMIT_PCT: Final = 5.0  # distance from MA5 above which nothing is bought
BUY_EVENTS: Final = frozenset(
    {"TEST", "LPS", "BU"}
)  # where the method buys: after a test, at the last point of support
EVIDENCE: Final = 4  # events that a conclusion names
RISING: Final = frozenset({"accumulation", "reaccumulation"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What to do, the keys of the reasons (texts `offline.reason_…`), the levels, and the newest events, each with its day."""

    action: str
    reason_keys: tuple[str, ...]
    levels: JsonObject
    evidence: tuple[str, ...]


def conclude(report: JsonObject, *, held: bool, stale: bool) -> Conclusion:
    """The conclusion on one stock.

    Args:
        report: data of `analyze_stock`.
        held: whether the person holds the stock: only then reduce or sell.
        stale: the bars are old: nothing is bought on them.
    """
    phase = _object(report.get("phase"))
    danger = _object(report.get("danger"))
    action, reasons = _by_structure(report, phase, held=held)
    if danger.get("level") == "danger":
        action, reasons = ("reduce" if held else "wait"), ("danger", *reasons)
    if phase.get("phase") == "FAILED":
        action, reasons = ("sell" if held else "wait"), ("failed",)
    if action == "buy" and stale:
        action, reasons = ("hold" if held else "wait"), ("stale", *reasons)
    if action == "buy" and _distance_ma5(report) > CHASE_LIMIT_PCT:
        action, reasons = ("hold" if held else "wait"), ("chase", *reasons)
    if action == "buy" and held:
        action = "add"
    return Conclusion(
        action=action,
        reason_keys=reasons,
        levels=_levels(report, phase, buying=action in ("buy", "add")),
        evidence=_evidence(report, phase),
    )


def _by_structure(report: JsonObject, phase: JsonObject, *, held: bool) -> tuple[str, tuple[str, ...]]:
    """The action that structure and phase suggest before risks are looked at."""
    structure = phase.get("structure")
    stage = str(phase.get("phase"))
    passive = "hold" if held else "wait"
    if structure is None:
        return passive, (f"no_structure_{report.get('trend')}",)
    if structure in RISING:
        last = _last_event(report)
        if stage in ("C", "D") and last in BUY_EVENTS:
            return "buy", (f"after_{last}",)
        return passive, (f"accumulation_{stage}",)
    if stage in ("C", "D", "E"):
        return ("reduce" if held else "wait"), (f"distribution_{stage}",)
    return passive, (f"distribution_{stage}",)


def _levels(report: JsonObject, phase: JsonObject, *, buying: bool) -> JsonObject:
    """Stop, invalidation and, for a purchase, entry and target: all as the engine gave them."""
    close = _number(_object(report.get("last")).get("close"))
    box = _object(report.get("range"))
    stop = _number(_object(report.get("stop")).get("price"))
    levels: JsonObject = {}
    if stop is not None:
        levels["stop"] = stop
    invalidation = _number(phase.get("invalidation_price"))
    if invalidation is not None:
        levels["invalidation"] = invalidation
    if buying and close is not None:
        levels["entry"] = close
        resistance = _number(box.get("resistance"))
        if resistance is not None and resistance > close:
            levels["target"] = resistance
    return levels


def _valid_events(report: JsonObject) -> list[JsonObject]:
    events = cast("list[JsonValue]", report.get("events") or [])
    return [_object(event) for event in events if _object(event).get("valid")]


def _last_event(report: JsonObject) -> str:
    valid = _valid_events(report)
    return str(valid[-1].get("kind")) if valid else ""


def _evidence(report: JsonObject, phase: JsonObject) -> tuple[str, ...]:
    """The newest events of the structure, each with its day."""
    own = [event for event in _valid_events(report) if event.get("structure") == phase.get("structure")]
    return tuple(f"{event['kind']} {event['date']}" for event in own[-EVIDENCE:])


def _distance_ma5(report: JsonObject) -> float:
    averages = _object(report.get("moving_averages"))
    return _number(_object(averages.get("ma5")).get("distance_pct")) or 0.0


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
