"""Instruments by code, name, short form and pinyin, and what a text names.

Everything inside the program uses exchange-qualified ids; this is the one place where what people type becomes one. Amounts are not codes,
and what several instruments answer to is returned with its candidates, never guessed.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from runtime.core.symbols import Ambiguity, AssetKind, Instrument, Resolution
from runtime.paths import resource

_QUALIFIED: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:(?P<before>sh|sz|bj)\.?(?P<code1>\d{6})|(?P<code2>\d{6})\.(?P<after>sh|ss|sz|bj|sim))(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_BARE: Final = re.compile(
    r"(?<![\d.A-Za-z¥$])(?<!¥ )(?P<code>\d{6})"
    r"(?![\dA-Za-z%]|\.[\dA-Za-z]|,\d|\s*(?:元|块|股|手|万|亿|%|点|份|人民币|美元|港元|(?:rmb|cny|yuan|shares)\b))",
    re.IGNORECASE,
)
_LATIN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{3,}(?![A-Za-z0-9])")
_A_SHARE: Final = re.compile(r"^(?:60|68|00|30|43|8[37]|92)")
# Words of charts and trading that are spelled like pinyin initials.
_NOT_PINYIN: Final = frozenset(
    "macd kdj rsi boll etf lof cpo ttm roe roa eps pe pb ps yoy qoq ipo atr obv dmi ema sma vwap nav sim usd cny hkd wyckoff spring test "
    "utad lpsy sos sow lps jac bu psy buy sell hold ask the and you stop loss what how why can now today".split()
)
_LONGEST_NAME: Final = 10


class InstrumentDirectory:
    """All instruments that the program knows.

    Args:
        instruments: besides the shipped table, for example those of the sample market.
        folder: the folder of the shipped tables, for tests.
    """

    def __init__(self, instruments: Iterable[Instrument] = (), folder: Path | None = None) -> None:
        self._by_symbol: dict[str, Instrument] = {}
        self._by_code: dict[str, list[Instrument]] = defaultdict(list)
        self._by_name: dict[str, list[Instrument]] = defaultdict(list)
        self._by_pinyin: dict[str, list[Instrument]] = defaultdict(list)
        base = folder or resource("symbols")
        self._read_stocks(base / "a_shares.csv")
        self._read_indices(base / "indices.csv")
        for instrument in instruments:
            self.add(instrument)

    def add(self, instrument: Instrument, *, names: Iterable[str] = (), pinyin: Iterable[str] = ()) -> None:
        """Make an instrument known; one that is known already stays as it is."""
        if instrument.symbol in self._by_symbol:
            return
        self._by_symbol[instrument.symbol] = instrument
        self._by_code[instrument.code].append(instrument)
        for name in (instrument.name, *names):
            self._by_name[name.lower()].append(instrument)
        for spelling in pinyin:
            self._by_pinyin[spelling].append(instrument)

    def get(self, symbol: str) -> Instrument | None:
        """The instrument of an exchange-qualified id."""
        return self._by_symbol.get(symbol.upper())

    def resolve(self, text: str) -> Resolution:
        """The instruments that a text names, in order. Longest names first; a span is used once."""
        plain = _plain(text)
        found: dict[int, tuple[str, list[Instrument]]] = {}
        unknown: dict[int, str] = {}
        used = [False] * len(plain)
        self._codes(plain, used, found, unknown)
        self._names(plain, used, found)
        self._pinyin(plain, used, found)
        return _resolution(found, unknown)

    def search(self, keyword: str, limit: int = 10) -> tuple[Instrument, ...]:
        """Instruments for a keyword: exact code, name or pinyin first, then what begins with it, then what contains it."""
        word = "".join(_plain(keyword).split()).lower()
        if not word:
            return ()
        exact = self.resolve(keyword)
        ranked: dict[str, tuple[int, Instrument]] = {item.symbol: (0, item) for item in exact.instruments}
        for ambiguity in exact.ambiguities:
            ranked |= {item.symbol: (0, item) for item in ambiguity.candidates}
        for table in (self._by_code, self._by_name, self._by_pinyin):
            for key, items in table.items():
                if word in key:
                    rank = 0 if key == word else 1 if key.startswith(word) else 2
                    for item in items:
                        if item.symbol not in ranked or ranked[item.symbol][0] > rank:
                            ranked[item.symbol] = (rank, item)
        best = sorted(ranked.values(), key=lambda pair: (pair[0], len(pair[1].name), pair[1].symbol))
        return tuple(item for _, item in best[:limit])

    def _codes(
        self, text: str, used: list[bool], found: dict[int, tuple[str, list[Instrument]]], unknown: dict[int, str]
    ) -> None:
        for match in _QUALIFIED.finditer(text):
            exchange = (match["before"] or match["after"]).upper().replace("SS", "SH")
            symbol = f"{match['code1'] or match['code2']}.{exchange}"
            _use(used, match.start(), match.end())
            if (instrument := self.get(symbol)) is not None:
                found[match.start()] = (match.group(), [instrument])
            else:
                unknown[match.start()] = symbol
        for match in _BARE.finditer(text):
            if any(used[match.start() : match.end()]):
                continue
            candidates = self._by_code.get(match["code"], [])
            named = [item for item in candidates if item.name.lower() in text.lower()]  # 000001 上证指数: the index
            stocks = named or [item for item in candidates if item.kind == "stock"] or candidates
            if stocks:
                found[match.start()] = (match.group(), stocks)
            elif _A_SHARE.match(match["code"]):
                unknown[match.start()] = match["code"]
            else:
                continue
            _use(used, match.start(), match.end())

    def _names(self, text: str, used: list[bool], found: dict[int, tuple[str, list[Instrument]]]) -> None:
        lowered = text.lower()
        for length in range(min(_LONGEST_NAME, len(lowered)), 1, -1):
            for start in range(len(lowered) - length + 1):
                items = self._by_name.get(lowered[start : start + length])
                if items and not any(used[start : start + length]):
                    _use(used, start, start + length)
                    found[start] = (text[start : start + length], items)

    def _pinyin(self, text: str, used: list[bool], found: dict[int, tuple[str, list[Instrument]]]) -> None:
        for match in _LATIN.finditer(text):
            word = match.group().lower()
            items = self._by_pinyin.get(word)
            if items and word not in _NOT_PINYIN and not any(used[match.start() : match.end()]):
                _use(used, match.start(), match.end())
                found[match.start()] = (match.group(), items)

    def _read_stocks(self, file: Path) -> None:
        with file.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                shorts = row["shorts"].split("|") if row["shorts"] else []
                instrument = Instrument(symbol=row["symbol"], name=row["name"])
                self.add(instrument, names=shorts, pinyin={row["initials"], row["pinyin"]})

    def _read_indices(self, file: Path) -> None:
        kind: AssetKind = "index"
        with file.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                aliases = row["aliases"].split("|") if row["aliases"] else []
                self.add(Instrument(symbol=row["symbol"], name=row["name"], kind=kind), names=aliases)


def _plain(text: str) -> str:
    """Full-width forms as ordinary ones."""
    return unicodedata.normalize("NFKC", text)


def _use(used: list[bool], start: int, stop: int) -> None:
    used[start:stop] = [True] * (stop - start)


def _resolution(found: dict[int, tuple[str, list[Instrument]]], unknown: dict[int, str]) -> Resolution:
    instruments: dict[str, Instrument] = {}
    ambiguities: list[Ambiguity] = []
    for _, (text, items) in sorted(found.items()):
        distinct = {item.symbol: item for item in items}
        if len(distinct) == 1:
            instruments |= distinct
        else:
            ambiguities.append(Ambiguity(text=text, candidates=tuple(distinct.values())))
    # A name that several answer to is decided when one of them is named for certain elsewhere in the text.
    open_questions = [item for item in ambiguities if not any(c.symbol in instruments for c in item.candidates)]
    return Resolution(
        instruments=tuple(instruments.values()),
        ambiguities=tuple(open_questions),
        unknown=tuple(text for _, text in sorted(unknown.items())),
    )
