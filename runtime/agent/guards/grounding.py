"""After the answer: every figure in it is looked for in what the tools returned and what the person said.

A figure is matched when a source rounds to it, whatever the unit (fraction and percent, 元 and 万/亿, 股 and 手, either sign); derived
when it is the sum, difference, ratio or change of two sourced figures; else it is marked. Nothing is changed in the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from runtime.agent.guards.figures import Figure, Unit, figures_in
from runtime.core.json import JsonObject, JsonValue

LONG_LIST: Final = 12  # entries; what stands in a longer one is a series, nobody computes with its members
MOST_COMBINED: Final = 40  # more pairs than these would derive any figure
# What people and models compute with; other source figures are combined only when the answer itself gives them.
COMBINED_FIELDS: Final = frozenset(
    ("close", "price", "previous_close", "cost", "shares", "cash", "equity", "stop", "stop_loss", "entry", "target",
     "invalidation", "support", "resistance")
)  # fmt: skip
_ISO: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_SCALES: Final[dict[Unit, tuple[float, ...]]] = {
    "": (1.0,),
    "times": (1.0,),
    "percent": (1.0, 100.0),
    "wan": (1.0, 1e-4, 1e-6),  # yuan or shares, and lots
    "yi": (1.0, 1e-8, 1e-4),
    "lot": (1.0, 0.01),
    "share": (1.0, 100.0),
}

_WHOLE: Final[dict[Unit, tuple[float, ...]]] = {  # the same for what is worked out, which is in yuan, shares and percent
    "": (1.0,), "times": (1.0,), "percent": (1.0,), "wan": (1e-4,), "yi": (1e-8,), "lot": (0.01,), "share": (1.0,),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sources:
    """What figures may come from.

    Attributes:
        values: all numbers, absolute, ascending.
        combined: those that may be combined with each other.
        days: all dates, as (year, month, day).
    """

    values: np.ndarray
    combined: np.ndarray
    days: frozenset[tuple[int, int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """What was found; `unmatched` are the figures without a source."""

    checked: int
    matched: int
    derived: int
    unmatched: tuple[Figure, ...]

    def to_json(self) -> JsonObject:
        """The form of `done.grounding`; a span is (first character, behind the last)."""
        missing: list[JsonValue] = [
            {"span": [figure.start, figure.end], "text": figure.text} for figure in self.unmatched
        ]
        return {"checked": self.checked, "matched": self.matched, "derived": self.derived, "unmatched": missing}


def sources_of(results: Iterable[JsonValue], said: Iterable[str]) -> Sources:
    """The sources in tool results and in what the person wrote."""
    found = _Found()
    for result in results:
        found.take(result, "")
    for text in said:
        found.combined += found.read(text)
    return Sources(_ascending(found.values), _ascending(found.combined), frozenset(found.days))


def grounded(answer: str, sources: Sources) -> Grounding:
    """Look for the figures of an answer."""
    figures = figures_in(answer)
    missing = [figure for figure in figures if not _matches(figure, sources)]
    given = [figure.value for figure in figures if figure.day is None and figure not in missing]
    combined = _combined(_ascending([*sources.combined, *given])[:MOST_COMBINED]) if missing else np.empty(0)
    unmatched = tuple(
        figure for figure in missing if figure.day is not None or not _near(figure, combined, _WHOLE[figure.unit])
    )
    derived = len(missing) - len(unmatched)
    return Grounding(checked=len(figures), matched=len(figures) - len(missing), derived=derived, unmatched=unmatched)


def _matches(figure: Figure, sources: Sources) -> bool:
    if figure.day is None:
        return _near(figure, sources.values, _SCALES[figure.unit])
    return any((month, day) == figure.day and figure.year in (None, year) for year, month, day in sources.days)


def _near(figure: Figure, ascending: np.ndarray, scales: tuple[float, ...]) -> bool:
    """Whether a value rounds to the figure at its own exactness."""
    value, half = abs(figure.value), 0.5 * 10.0**-figure.decimals
    for scale in scales:
        low, high = (value - half) / scale, (value + half) / scale
        slack = 1e-9 * max(1.0, high)
        at = int(np.searchsorted(ascending, low - slack))
        if at < len(ascending) and ascending[at] <= high + slack:
            return True
    return False


def _combined(single: np.ndarray) -> np.ndarray:
    """Sums, differences, ratios and changes of two sources, as they stand and in percent, absolute and ascending."""
    if len(single) < 2:
        return np.empty(0)
    first, second = single[:, None], single[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(second > 0, first / second, np.nan)
    found = np.concatenate(
        [part.ravel() for part in (first + second, first - second, ratio, ratio * 100, (ratio - 1) * 100)]
    )
    return np.unique(np.abs(found[np.isfinite(found)]))


class _Found:
    """Collects figures and dates from JSON."""

    def __init__(self) -> None:
        self.values: list[float] = []
        self.combined: list[float] = []
        self.days: set[tuple[int, int, int]] = set()

    def take(self, value: JsonValue, field: str, *, series: bool = False) -> None:
        """Take in a value that stands under a field; `series` = inside a long list."""
        match value:
            case bool() | None:
                pass
            case int() | float():
                self.values.append(float(value))
                if field in COMBINED_FIELDS and not series:
                    self.combined.append(float(value))
            case str():
                self.read(value)
            case list():
                for item in value:
                    self.take(item, "", series=series or len(value) > LONG_LIST)
            case Mapping():
                for name, item in value.items():
                    self.take(item, name, series=series)

    def read(self, text: str) -> list[float]:
        """Take in the figures and dates of a text; returns the figures."""
        self.days.update((int(year), int(month), int(day)) for year, month, day in _ISO.findall(text))
        numbers = list(_numbers(text))
        self.values += numbers
        return numbers


def _ascending(values: Iterable[float]) -> np.ndarray:
    return np.unique(np.abs(np.fromiter(values, dtype=float)))


def _numbers(text: str) -> Iterator[float]:
    """All numbers of a text, those with 万 and 亿 also in full."""
    for match in re.finditer(r"(\d[\d,]*(?:\.\d+)?)\s*([万亿])?", _ISO.sub(" ", text)):
        number = float(match[1].replace(",", ""))
        yield number
        if match[2]:
            yield number * (1e4 if match[2] == "万" else 1e8)
