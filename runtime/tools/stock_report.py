"""What `analyze_stock` says of one stock: last prices, averages, and the engine's reading cut to what decides.

The engine's own records go in unchanged in their values: chart, tool and verdict show the same figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

import numpy as np

from runtime.core.json import JsonObject, JsonValue
from runtime.core.symbols import Instrument
from runtime.market.bars import Bars, day
from runtime.market.rules.limits import LimitSchedule
from runtime.texts import Texts
from runtime.wyckoff.engine import analyze
from runtime.wyckoff.records import Event, Reading
from runtime.wyckoff.report import reading_to_json

ANALYSED_BARS: Final = 500  # two trading years
SHOWN_EVENTS: Final = 10
AVERAGES: Final = (5, 10, 20, 60, 120, 250)
VOLUME_DAYS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class StockReport:
    """The data for the model, and one line for the person."""

    data: JsonObject
    summary: str


def limit_ratio_of(instrument: Instrument, bars: Bars, limits: LimitSchedule) -> float | None:
    """The daily limit of the board on the last day; None for indices."""
    if instrument.kind == "index":
        return None
    ratio = limits.ratio(instrument.symbol, bars.as_of, st="ST" in instrument.name)
    return None if ratio is None else float(ratio)


def stock_report(instrument: Instrument, bars: Bars, limits: LimitSchedule, texts: Texts) -> StockReport:
    """The report on a stock as of its last bar."""
    reading = analyze(bars, limit_ratio=limit_ratio_of(instrument, bars, limits))
    plain = reading_to_json(reading)
    shown = [_event_json(event, texts) for event in reading.events[-SHOWN_EVENTS:]]
    data: JsonObject = {
        "last": last_bar_json(bars, 0),
        "change_20d_pct": _change(bars, 20),
        "change_60d_pct": _change(bars, 60),
        "moving_averages": _averages(bars),
        "volume_ratio_60d": _volume_ratio(bars),
        "trend": plain["trend"],
        "range": plain["range"],
        "phase": plain["phase"],
        "events": cast("list[JsonValue]", shown),
        "levels": [_with_reason(level, texts) for level in cast("list[JsonObject]", plain["levels"])],
        "stop": None if reading.stop is None else _with_reason(cast("JsonObject", plain["stop"]), texts),
        "danger": _with_reason(cast("JsonObject", plain["danger"]), texts),
        "note": None if reading.note_key is None else texts(reading.note_key),
        "bars_analysed": len(bars),
        "first_day": day(bars.dates[0]).isoformat(),
    }
    return StockReport(data=data, summary=_summary(instrument, bars, reading, texts))


def last_bar_json(bars: Bars, back: int) -> JsonObject:
    """The bar `back` sessions before the last, with its change against the one before."""
    at = len(bars) - 1 - back
    change = round(float(bars.close[at] / bars.close[at - 1] - 1) * 100, 2) if at > 0 else None
    amount = float(bars.amount[at])
    return {
        "date": day(bars.dates[at]).isoformat(),
        "open": round(float(bars.open[at]), 4),
        "high": round(float(bars.high[at]), 4),
        "low": round(float(bars.low[at]), 4),
        "close": round(float(bars.close[at]), 4),
        "change_pct": change,
        "volume": int(bars.volume[at]),
        "amount": None if np.isnan(amount) else round(amount, 2),
    }


def phase_text(reading: Reading, texts: Texts) -> str:
    """Structure and phase in words."""
    structure = reading.phase.structure
    if structure is None:
        return texts("tools.no_structure", trend=texts(f"wyckoff.trend_{reading.trend}"))
    return texts(
        "tools.structure",
        structure=texts(f"wyckoff.structure_{structure.value}"),
        phase=texts(f"wyckoff.phase_{reading.phase.phase.value}"),
    )


def _summary(instrument: Instrument, bars: Bars, reading: Reading, texts: Texts) -> str:
    standing = [event for event in reading.events if event.invalidated_at is None]
    last = standing[-1] if standing else None
    text = texts(
        "tools.analysis",
        name=instrument.name,
        close=f"{float(bars.close[-1]):.2f}",
        day=bars.as_of,
        phase=phase_text(reading, texts),
    )
    if last is None:
        return text
    return text + texts("tools.last_event", kind=last.kind.value, day=last.date)


def _event_json(event: Event, texts: Texts) -> JsonObject:
    """An event without the indices that only a chart needs."""
    return {
        "kind": event.kind.value,
        "name": texts(f"wyckoff.event_{event.kind.value}"),
        "structure": event.structure.value,
        "phase": event.phase.value,
        "date": event.date.isoformat(),
        "confirmed": event.confirm_date.isoformat(),
        "price": _round(event.price),
        "level": _round(event.level),
        "level_kind": None if event.level_kind is None else event.level_kind.value,
        "volume_ratio": _round(event.volume_ratio),
        "range_atr": _round(event.range_atr),
        "close_position": _round(event.close_position),
        "penetration_atr": _round(event.penetration_atr),
        "confidence": event.confidence,
        "valid": event.invalidated_at is None,
        "evidence": [
            f"{texts(f'wyckoff.evidence_{item.name}')} {'--' if item.value is None else f'{item.value:g}'}（{item.need}）"
            + ("" if item.ok else "✗")
            for item in event.evidence
        ],
    }


def _with_reason(record: JsonObject, texts: Texts) -> JsonObject:
    """A record with the text of its reason in place of the key, and without bar indices."""
    key = record.get("reason_key")
    kept = {name: value for name, value in record.items() if name not in ("reason_key", "index")}
    return kept | {"reason": texts(str(key)) if key else None}


def _averages(bars: Bars) -> JsonObject:
    averages: JsonObject = {}
    for length in AVERAGES:
        if len(bars) >= length:
            value = float(np.mean(bars.close[-length:]))
            distance = round((float(bars.close[-1]) / value - 1) * 100, 2)
            averages[f"ma{length}"] = {"value": round(value, 2), "distance_pct": distance}
    return averages


def _volume_ratio(bars: Bars) -> float | None:
    before = bars.volume[-VOLUME_DAYS - 1 : -1]
    median = float(np.median(before)) if len(before) >= VOLUME_DAYS else 0.0
    return round(float(bars.volume[-1]) / median, 2) if median > 0 else None


def _change(bars: Bars, back: int) -> float | None:
    return round(float(bars.close[-1] / bars.close[-1 - back] - 1) * 100, 2) if len(bars) > back else None


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
