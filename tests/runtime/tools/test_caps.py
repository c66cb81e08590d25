"""Risk caps: which dangers code sees, how far they lower a verdict, and what is left of it in the record and in the answer."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from runtime.core.events import VerdictRecorded
from runtime.core.json import JsonObject, loads_object
from runtime.core.messages import ToolMessage
from runtime.core.symbols import Instrument
from runtime.core.verdicts import Action, Verdict, VerdictLevels
from runtime.market.bars import Bars
from runtime.paths import Home
from runtime.tools.caps import Flag, capped, flags_of
from runtime.wyckoff.engine import analyze
from tests.support.bars import series
from tests.support.desks import done, open_desk, run_turn
from tests.support.scripted import ScriptedProvider, call, calls, say
from tests.support.turns import of

STOCK = Instrument(symbol="600519.SH", name="贵州茅台")
HIGH = Flag(rule="st", evidence="x")
BELOW = Flag(rule="below_stop", evidence="x", ceiling=Action.REDUCE)


def a_verdict(action: Action) -> Verdict:
    return Verdict(
        id=0,
        symbol=STOCK.symbol,
        name=STOCK.name,
        action=action,
        confidence=0.9,
        levels=VerdictLevels(entry=10.0, stop=9.0),
        horizon_days=20,
        reasons=(),
        evidence=(),
        price=10.0,
        price_as_of=None,
    )


@pytest.mark.parametrize(
    ("action", "flags", "held", "after"),
    [
        (Action.BUY, (HIGH,), False, Action.WAIT),
        (Action.BUY, (HIGH,), True, Action.HOLD),
        (Action.ADD, (HIGH,), True, Action.HOLD),
        (Action.HOLD, (HIGH,), True, Action.HOLD),
        (Action.WAIT, (HIGH, BELOW), False, Action.WAIT),
        (Action.HOLD, (HIGH, BELOW), True, Action.REDUCE),
        (Action.BUY, (HIGH, BELOW), True, Action.REDUCE),
        (Action.SELL, (HIGH, BELOW), True, Action.SELL),
        (Action.BUY, (), True, Action.BUY),
    ],
)
def test_the_most_cautious_rule_counts(action: Action, flags: tuple[Flag, ...], held: bool, after: Action) -> None:
    verdict, active = capped(a_verdict(action), flags, held=held)
    assert verdict.action == after
    assert bool(active) == (after != action)
    if active:
        assert verdict.levels.entry is None
        assert verdict.levels.stop == 9.0
        assert verdict.confidence == 0.5


def rules(bars: Bars, instrument: Instrument = STOCK, *, stale: bool = False, stop: Decimal | None = None) -> set[str]:
    flags = flags_of(instrument, bars, analyze(bars), stale=stale, limit_ratio=0.1, stop=stop)
    return {flag.rule for flag in flags}


def test_dangers_of_name_and_day() -> None:
    bars = series(closes=[10 + 0.01 * (at % 7) for at in range(80)])
    close = float(bars.close[-1])
    calm = rules(bars)
    assert rules(bars, replace(STOCK, name="*ST 某某")) - calm == {"st"}
    assert rules(bars, replace(STOCK, name="退市某某")) - calm == {"delisting"}
    assert rules(bars, stale=True) - calm == {"stale"}
    assert rules(bars, stop=Decimal(str(round(close * 1.1, 2)))) - calm == {"below_stop"}


def with_last(bars: Bars, close: float, volume: float, *, flat: bool = False) -> Bars:
    """The bars with another last day."""
    columns = {name: np.array(getattr(bars, name)) for name in ("open", "high", "low", "close", "volume")}
    for name in ("open", "high", "low", "close"):
        columns[name][-1] = close
    if not flat:
        columns["high"][-1], columns["low"][-1] = close * 1.01, close * 0.97
    columns["volume"][-1] = volume
    return replace(bars, **columns)  # type: ignore[arg-type]


def test_suspended_sealed_and_chased() -> None:
    bars = series(closes=[10 + 0.01 * (at % 7) for at in range(80)])
    before = float(bars.close[-2])
    assert "suspended" in rules(with_last(bars, before, 0.0))
    assert "sealed_limit" in rules(with_last(bars, round(before * 1.1, 2), 1e6, flat=True))
    assert "chasing" in rules(with_last(bars, before * 1.09, 1e6))
    assert "chasing" not in rules(with_last(bars, before * 1.001, 1e6))


BUY: JsonObject = {"symbol": "309103.SIM", "action": "buy", "confidence": 0.9, "levels": {"entry": 7.8, "stop": 5.83}}


async def test_a_cap_is_recorded_shown_and_corrects_the_prose(home: Home) -> None:
    record = calls(call("analyze_stock", {"symbol": "309103.SIM"}), call("record_verdict", dict(BUY)))
    provider = ScriptedProvider(record, say("建议买入，现价就可以买入。"))
    async with open_desk(home, provider) as desk:
        events = await run_turn(desk, "凌霄装备怎么样")
        path = await desk.stores.conversations.path("c1")
    [event] = of(events, VerdictRecorded)
    assert (event.verdict.action, event.capped_from) == (Action.WAIT, "buy")
    assert event.verdict.levels.entry is None
    assert event.rules
    end = done(events)
    assert end.text.startswith("建议买入")
    assert "更正：凌霄装备的结论是" in end.text.replace(" ", "")
    assert event.rules[0] in end.text
    result = next(
        loads_object(item.message.content)
        for item in path
        if isinstance(item.message, ToolMessage) and item.message.name == "record_verdict"
    )
    data = result["data"]
    assert isinstance(data, dict)
    assert isinstance(data["capped"], dict)
    assert (data["capped"]["from"], data["capped"]["to"]) == ("buy", "wait")


async def test_an_answer_that_agrees_needs_no_correction(home: Home) -> None:
    record = calls(call("analyze_stock", {"symbol": "309103.SIM"}), call("record_verdict", dict(BUY)))
    provider = ScriptedProvider(record, say("结论是等待，不建议买入。"))
    async with open_desk(home, provider) as desk:
        assert done(await run_turn(desk, "凌霄装备怎么样")).text == "结论是等待，不建议买入。"
