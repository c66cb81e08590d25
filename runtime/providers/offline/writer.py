"""Answers from tool results by template. Every figure in a text stands in a result of this turn; what is missing is said."""

from __future__ import annotations

from typing import Final

from runtime.core.json import JsonObject, JsonValue
from runtime.providers.offline.verdict import Conclusion
from runtime.providers.offline.view import Step
from runtime.texts import Texts

SHOWN_EVENTS: Final = 5
SHOWN_POSITIONS: Final = 20


class Writer:
    """Writes answers in one language.

    Args:
        texts: the templates (`offline.…`).
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def stock(self, report: Step, conclusion: Conclusion | None, held: JsonObject | None) -> str:
        """The reading of one stock."""
        data = report.data
        parts = [self._head(report), self._now(data), self._structure(data)]
        events = [self._event(_object(event)) for event in _list(data.get("events"))[-SHOWN_EVENTS:]]
        if events:
            parts.append("\n".join([self._texts("offline.events"), *events]))
        levels = self._levels(data)
        if levels:
            parts.append("\n".join([self._texts("offline.levels"), *levels]))
        if held is not None:
            parts.append(self._held(held))
        if conclusion is not None:
            parts.append(self._conclusion(conclusion))
        if data.get("note"):
            parts.append(str(data["note"]))
        return "\n\n".join(part for part in parts if part)

    def market(self, overview: Step) -> str:
        """The market in one paragraph and a list of indices."""
        data = overview.data
        lines = [
            self._texts(
                "offline.index",
                name=item.get("name"),
                close=_price(item.get("close")),
                change=_percent(item.get("change_pct")),
                change20=_percent(item.get("change_20d_pct")),
                ma60=_percent(item.get("above_ma60_pct")),
            )
            for item in map(_object, _list(data.get("indices")))
        ]
        breadth = _object(data.get("breadth"))
        if breadth:
            lines.append(
                self._texts(
                    "offline.breadth",
                    day=breadth.get("day"),
                    size=breadth.get("sample_size"),
                    up=breadth.get("up"),
                    down=breadth.get("down"),
                    flat=breadth.get("flat"),
                    median=_percent(breadth.get("median_change_pct")),
                )
            )
        if not lines:
            return self._texts("offline.market_empty")
        meta = overview.meta
        head = self._texts("offline.market_head", source=meta.get("source"), as_of=meta.get("as_of"))
        stale = [self._texts("offline.stale", as_of=meta.get("as_of"))] if meta.get("stale") else []
        return "\n".join([head, "", *lines, *stale])

    def portfolio(self, step: Step) -> str:
        """Holdings as a table, cash, and the state of each when it was asked for."""
        data = step.data
        positions = [_object(item) for item in _list(data.get("positions"))]
        cash = self._texts("offline.cash", cash=_amount(data.get("free_cash")))
        if not data.get("cash_known"):
            cash = self._texts("offline.cash_unknown")
        if not positions:
            return self._texts("offline.no_positions") + "\n\n" + cash
        rows = [self._texts("offline.table_head"), "|---|---:|---:|---:|---:|---:|---:|"]
        rows += [
            f"| {item.get('name')} {item.get('symbol')} | {item.get('shares')} | {item.get('sellable_today')} "
            f"| {_price(item.get('cost_price'))} | {_price(item.get('last_price'))} | {_percent(item.get('profit_pct'))} "
            f"| {_price(item.get('stop_loss'))} |"
            for item in positions[:SHOWN_POSITIONS]
        ]
        health = [
            self._texts(
                "offline.health",
                name=item.get("name"),
                state=self._texts(f"offline.health_{item['health']}"),
                phase=item.get("phase") or "--",
                reasons="；".join(str(reason) for reason in _list(item.get("reasons"))),
            )
            for item in positions
            if item.get("health")
        ]
        total = self._texts(
            "offline.totals",
            value=_amount(data.get("market_value")),
            equity=_amount(data.get("total_equity")),
            as_of=data.get("as_of") or "--",
        )
        return "\n\n".join(part for part in ["\n".join(rows), "\n".join(health), cash, total] if part)

    def wrote(self, step: Step) -> str:
        """What became of a write."""
        if step.ok:
            done = self._texts("offline.done", what=step.data.get("done"))
            approval = _object(step.envelope.get("approval"))
            return done + (self._texts("offline.done_changed") if approval.get("choice") == "modify" else "")
        if step.error_details.get("rule"):
            return self._texts("offline.denied_by_rule", what=step.error_details.get("headline"))
        if step.error_code in ("denied", "unanswered"):
            return self._texts(f"offline.{step.error_code}", what=step.error_details.get("headline"))
        return self._texts("offline.not_done", why=step.error_message)

    def confirm(self, step: Step) -> str:
        """The question that asks for a consent: what would happen, cash before and after, and the warnings."""
        details = step.error_details
        parts = [str(details.get("headline"))]
        if details.get("cash_after") is not None:
            cash = self._texts(
                "offline.confirm_cash",
                before=_amount(details.get("cash_before")),
                after=_amount(details.get("cash_after")),
            )
            parts.append(cash)
        if details.get("fees") is not None:
            parts.append(self._texts("offline.confirm_fees", fees=_amount(details.get("fees"))))
        notices = "".join(f"\n- {notice}" for notice in _list(details.get("notices")))
        separator = self._texts("offline.separator")
        return self._texts("offline.confirm", what=separator.join(parts), notices=notices)

    def failed(self, step: Step) -> str:
        """Why a tool gave nothing, in its own words."""
        return self._texts("offline.tool_failed", why=step.error_message)

    def _head(self, report: Step) -> str:
        data, meta = report.data, report.meta
        head = self._texts(
            "offline.head",
            name=data.get("name"),
            symbol=data.get("symbol"),
            as_of=meta.get("as_of"),
            source=meta.get("source"),
            adjust=self._texts(f"offline.adjust_{meta.get('adjust')}"),
        )
        stale = "\n\n" + self._texts("offline.stale", as_of=meta.get("as_of")) if meta.get("stale") else ""
        return head + stale

    def _now(self, data: JsonObject) -> str:
        last = _object(data.get("last"))
        ma20 = _object(_object(data.get("moving_averages")).get("ma20"))
        return self._texts(
            "offline.now",
            close=_price(last.get("close")),
            change=_percent(last.get("change_pct")),
            change20=_percent(data.get("change_20d_pct")),
            change60=_percent(data.get("change_60d_pct")),
            ma20=_price(ma20.get("value")),
            distance=_percent(ma20.get("distance_pct")),
            volume=_plain(data.get("volume_ratio_60d")),
        )

    def _structure(self, data: JsonObject) -> str:
        phase, box = _object(data.get("phase")), _object(data.get("range"))
        if not box:
            return self._texts(f"offline.no_range_{data.get('trend')}")
        expected = "、".join(self._texts(f"wyckoff.event_{kind}") for kind in _list(phase.get("next_expected")))
        text = self._texts(
            "offline.structure",
            structure=self._texts(f"wyckoff.structure_{phase.get('structure')}"),
            phase=self._texts(f"wyckoff.phase_{phase.get('phase')}"),
            since=phase.get("since_date"),
            start=box.get("start_date"),
            support=_price(box.get("support")),
            resistance=_price(box.get("resistance")),
            expected=expected or "--",
        )
        return text if box.get("active") else text + self._texts("offline.range_left", end=box.get("end_date"))

    def _event(self, event: JsonObject) -> str:
        key = "offline.event" if event.get("valid") else "offline.event_invalid"
        return self._texts(
            key,
            date=event.get("date"),
            name=event.get("name"),
            kind=event.get("kind"),
            price=_price(event.get("price")),
            volume=_plain(event.get("volume_ratio")),
            confirmed=event.get("confirmed"),
        )

    def _levels(self, data: JsonObject) -> list[str]:
        lines = [
            self._texts(
                "offline.level",
                kind=self._texts(f"wyckoff.level_kind_{level.get('kind')}"),
                price=_price(level.get("price")),
                reason=level.get("reason") or "",
            )
            for level in map(_object, _list(data.get("levels")))
        ]
        stop = _object(data.get("stop"))
        if stop:
            lines.append(self._texts("offline.stop", price=_price(stop.get("price")), reason=stop.get("reason") or ""))
        invalid = _object(data.get("phase")).get("invalidation_price")
        if invalid is not None:
            side = invalidation_side(_object(data.get("phase")).get("structure"))
            lines.append(self._texts(f"offline.invalidation_{side}", price=_price(invalid)))
        return lines

    def _held(self, held: JsonObject) -> str:
        return self._texts(
            "offline.held",
            shares=held.get("shares"),
            cost=_price(held.get("cost_price")),
            profit=_percent(held.get("profit_pct")),
            sellable=held.get("sellable_today"),
            stop=_price(held.get("stop_loss")),
        )

    def _conclusion(self, conclusion: Conclusion) -> str:
        reasons = "".join(self._texts(f"offline.reason_{key}") for key in conclusion.reason_keys)
        action = self._texts(f"tools.action_{conclusion.action}")
        return self._texts("offline.conclusion", action=action, reasons=reasons)


def invalidation_side(structure: JsonValue) -> str:
    """On which side of its price a structure fails: accumulation below, distribution above."""
    return "below" if structure in ("accumulation", "reaccumulation") else "above"


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _price(value: JsonValue) -> str:
    """A price with two decimals; `--` when unknown."""
    return f"{value:.2f}" if isinstance(value, int | float) else "--"


def _percent(value: JsonValue) -> str:
    return f"{value:+.2f}%" if isinstance(value, int | float) else "--"


def _plain(value: JsonValue) -> str:
    return f"{value:g}" if isinstance(value, int | float) else "--"


def _amount(value: JsonValue) -> str:
    return f"{value:,.2f}" if isinstance(value, int | float) else "--"
