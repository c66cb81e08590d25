"""Lines for the chart, the stop of someone who holds the stock, the trend, and whether to worry."""

from __future__ import annotations

from typing import Final

from runtime.wyckoff.frame import Frame
from runtime.wyckoff.marks import Role
from runtime.wyckoff.naming import price_of
from runtime.wyckoff.phases import Standing
from runtime.wyckoff.pivots import Pivot
from runtime.wyckoff.primitives import rolling_mean
from runtime.wyckoff.records import Danger, Level, LevelKind, Phase, Stop, Trend

STOP_ATR: Final = 0.5
TREND_BARS: Final = 20
TREND_ATR: Final = 2.0
NO_DANGER: Final = Danger(level="none", reason_key=None)


def levels_of(frame: Frame, pivots: tuple[Pivot, ...], now: Standing | None) -> tuple[Level, ...]:
    """The edges of the range and the extremes that matter in it; without a range the nearest swings."""
    if now is None:
        return _swing_levels(frame, pivots)
    up = now.structure.is_accumulation
    campaign, side = now.campaign, now.campaign.frame.side
    floor_kind, ceiling_kind = (LevelKind.SUPPORT, LevelKind.CREEK) if up else (LevelKind.RESISTANCE, LevelKind.ICE)
    found = [
        _level(floor_kind, price_of(side, campaign.floor), f"level_{floor_kind.value}", None),
        _level(ceiling_kind, price_of(side, campaign.ground.ceiling), f"level_{ceiling_kind.value}", None),
    ]
    names = {Role.THRUST: "spring" if up else "upthrust", Role.BACKUP: "lps" if up else "lpsy"}
    for role, name in names.items():
        mark = campaign.held(role)
        if mark is not None:
            kind = LevelKind.SUPPORT if up else LevelKind.RESISTANCE
            extreme = price_of(side, float(campaign.frame.low[mark.index]))
            found.append(_level(kind, extreme, f"level_{name}", mark.index))
    return tuple(found)


def stop_of(frame: Frame, pivots: tuple[Pivot, ...], now: Standing | None) -> Stop | None:
    """Where a holder's case is over; None when the price is already there."""
    cushion, close = STOP_ATR * float(frame.atr[-1]), float(frame.close[-1])
    place: tuple[float, str] | None = None
    if now is None or now.campaign.phase is Phase.FAILED:
        lows = [pivot.price for pivot in pivots if pivot.is_low and pivot.price < close]
        place = (lows[-1], "stop_swing_low") if lows else None
    elif now.structure.is_accumulation:
        place = _accumulation_stop(now)
    else:
        place = (now.box.support, "stop_below_ice")
    if place is None or place[0] - cushion >= close:
        return None
    return Stop(price=price_of(1, place[0] - cushion), reason_key=f"wyckoff.{place[1]}")


def trend_of(frame: Frame) -> Trend:
    """Direction of the 20-bar mean over the last 20 bars, at least 2 ATR."""
    mean = rolling_mean(frame.close, TREND_BARS)
    moved = float(mean[-1] - mean[max(len(frame) - 1 - TREND_BARS, 0)]) / float(frame.atr[-1])
    if abs(moved) < TREND_ATR:
        return "sideways"
    return "up" if moved > 0 else "down"


def danger_of(now: Standing | None) -> Danger:
    """Whether a holder should worry: signs of distribution and failed bases do, a spring or its test does not."""
    if now is None:
        return NO_DANGER
    phase = now.campaign.phase
    if now.structure.is_accumulation:
        return _danger("danger", "accumulation_failed") if phase is Phase.FAILED else NO_DANGER
    match phase:
        case Phase.D | Phase.E:
            return _danger("danger", "sign_of_weakness")
        case Phase.C:
            return _danger("danger", "upthrust")
        case Phase.A | Phase.B:
            return _danger("watch", "distribution")
        case _:
            return NO_DANGER


def _accumulation_stop(now: Standing) -> tuple[float, str]:
    campaign = now.campaign
    backup, thrust = campaign.held(Role.BACKUP), campaign.held(Role.THRUST)
    if backup is not None:
        return float(campaign.frame.low[backup.index]), "stop_below_lps"
    if thrust is not None:
        return float(campaign.frame.low[thrust.index]), "stop_below_spring"
    return campaign.floor, "stop_below_support"


def _swing_levels(frame: Frame, pivots: tuple[Pivot, ...]) -> tuple[Level, ...]:
    close = float(frame.close[-1])
    low = next((p for p in reversed(pivots) if p.is_low and p.price < close), None)
    high = next((p for p in reversed(pivots) if not p.is_low and p.price > close), None)
    found = []
    if low is not None:
        found.append(_level(LevelKind.SUPPORT, price_of(1, low.price), "level_swing_low", low.index))
    if high is not None:
        found.append(_level(LevelKind.RESISTANCE, price_of(1, high.price), "level_swing_high", high.index))
    return tuple(found)


def _level(kind: LevelKind, price: float, reason: str, index: int | None) -> Level:
    return Level(kind=kind, price=price, reason_key=f"wyckoff.{reason}", index=index)


def _danger(level: str, reason: str) -> Danger:
    return Danger(level="danger" if level == "danger" else "watch", reason_key=f"wyckoff.danger_{reason}")
