"""Figures in a text: prices, percentages, amounts, counts of shares and dates, with where they stand.

Codes, ordinals, periods (`MA20`, 20 日), years, clock times, the numbers of lists and quoted examples are no figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Unit: TypeAlias = Literal["", "percent", "wan", "yi", "lot", "share", "times"]

_UNITS: Final[dict[str, Unit]] = {
    "%": "percent", "％": "percent", "个百分点": "percent", "万": "wan", "万元": "wan", "万股": "wan", "万手": "wan", "亿": "yi",
    "亿元": "yi", "亿股": "yi", "手": "lot", "股": "share", "元": "", "倍": "times", "块": "",
}  # fmt: skip
_NUMBER: Final = re.compile(
    r"(?<![\w.,\-/])(?P<number>[-+−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+−]?\d+(?:\.\d+)?)"
    r"\s*(?P<unit>个百分点|万元|万股|万手|亿元|亿股|[%％万亿手股元倍块])?(?![\d.]*[A-Za-z_])"
)
_DATE: Final = re.compile(
    r"(?<!\d)(?:(?P<year>\d{4})\s*[-/年.]\s*)?(?P<month>\d{1,2})\s*[-/月]\s*(?P<day>\d{1,2})(?:\s*日|(?![\d%％.]))"
)
_CODE: Final = re.compile(r"(?<!\d)\d{6}(?:\.(?:SH|SZ|BJ|SIM|HK))?(?!\d)", re.IGNORECASE)
_CLOCK: Final = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_EXAMPLE: Final = re.compile(
    r"(?:可以说|例如|比如|for example|you can say)[：:,，]?\s*[“\"「][^”\"」]*[”\"」]", re.IGNORECASE
)
_LIST_MARK: Final = re.compile(r"(?m)^\s*(?:\d+[.、)）]\s|[（(]\d+[)）])")
_PERIOD: Final = re.compile(
    r"\s*(?:个?交易日|日|天|周|个月|月|年|根|次|轮|步|条|只|家|名|个|点\b|分钟|小时|秒|阶段|\s*/)"
)
_PRICE_WORD: Final = re.compile(
    r"(?:价|止损|支撑|压力|阻力|目标|收盘|开盘|最高|最低|买点|失效|成本|stop|target|entry|close)\D{0,6}$", re.IGNORECASE
)
_LATIN_BEFORE: Final = re.compile(r"[A-Za-z+]$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure as it stands in a text.

    Attributes:
        start: position of its first character.
        end: position behind its last character.
        text: what stands there.
        value: in its own unit; 0 for dates.
        decimals: digits behind the point: how exact it claims to be.
        unit: what it is counted in.
        day: month and day of a date, else None.
        year: of a date that has one.
    """

    start: int
    end: int
    text: str
    value: float = 0.0
    decimals: int = 0
    unit: Unit = ""
    day: tuple[int, int] | None = None
    year: int | None = None


def figures_in(text: str) -> tuple[Figure, ...]:
    """The figures of a text, in order."""
    taken = [False] * len(text)
    for pattern in (_CODE, _CLOCK, _LIST_MARK, _EXAMPLE):
        for match in pattern.finditer(text):
            _take(taken, match.start(), match.end())
    dates = tuple(_dates(text, taken))
    return tuple(sorted((*dates, *_numbers(text, taken)), key=lambda figure: figure.start))


def _dates(text: str, taken: list[bool]) -> Iterator[Figure]:
    for match in _DATE.finditer(text):
        month, day = int(match["month"]), int(match["day"])
        if any(taken[match.start() : match.end()]) or not (1 <= month <= 12 and 1 <= day <= 31):
            continue
        _take(taken, match.start(), match.end())
        year = int(match["year"]) if match["year"] else None
        yield Figure(start=match.start(), end=match.end(), text=match[0], day=(month, day), year=year)


def _numbers(text: str, taken: list[bool]) -> Iterator[Figure]:
    for match in _NUMBER.finditer(text):
        start, end = match.start("number"), match.end()
        if any(taken[start:end]):
            continue
        number, unit = match["number"].replace(",", "").replace("−", "-"), match["unit"] or ""
        decimals = len(number.partition(".")[2])
        if not unit and not _counts(text, start, match.end("number"), decimals):
            continue
        yield Figure(
            start=start,
            end=end,
            text=text[start:end].rstrip(),
            value=float(number),
            decimals=decimals,
            unit=_UNITS.get(unit, ""),
        )


def _counts(text: str, start: int, end: int, decimals: int) -> bool:
    """Whether a number without a unit is a figure."""
    if _LATIN_BEFORE.search(text[:start]) or _PERIOD.match(text[end:]):
        return False
    return decimals > 0 or _PRICE_WORD.search(text[max(0, start - 16) : start]) is not None


def _take(taken: list[bool], start: int, end: int) -> None:
    taken[start:end] = [True] * (end - start)
