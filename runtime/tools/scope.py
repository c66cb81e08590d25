"""The stocks that a turn is about: a tool call for another one is refused, so that an answer never rests on the wrong chart.

What the person named is always inside. Nothing named, nothing guarded. Indexes are always allowed: every stock is read against its market.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from runtime.core.json import JsonValue
from runtime.core.symbols import Instrument, Resolution

Mode: TypeAlias = Literal["maintain", "switch", "compare"]

# Tools whose results are stocks that nobody had to name, when the request asks for such.
DISCOVERING: Final = frozenset({"search_stock_by_name", "screen_stocks", "get_sector_rankings", "portfolio"})
_COMPARES: Final = re.compile(
    r"比较|对比|相比|比一比|比起|哪个|哪只|还是|\bvs\b|compare|versus|[和跟与同].{0,12}比", re.IGNORECASE
)
_EXCLUDES: Final = re.compile(r"(不考虑|不看|不要|别看|别管|除了|排除)\s*$")
_ASKS_FOR_OTHERS: Final = re.compile(
    r"同行|同板块|板块|类似|对标|竞争对手|龙头|候选|推荐|还有哪|哪些|持仓|组合|选股|筛选|peers?|holdings?|candidates?|portfolio",
    re.IGNORECASE,
)


@dataclass(slots=True, kw_only=True)
class StockScope:
    """The stocks of one turn.

    Attributes:
        mode: it stays with the stock of the conversation, turns to another, or compares several.
        expected: the stock it is first of all about.
        allowed: exchange-qualified ids.
        asks_for_others: the request asks for peers, holdings or candidates, so that what tools return joins.
    """

    mode: Mode
    expected: str
    allowed: frozenset[str]
    asks_for_others: bool = False
    joined: set[str] = field(default_factory=set)

    def admits(self, instrument: Instrument) -> bool:
        """Whether a call may be about an instrument."""
        return instrument.kind == "index" or instrument.symbol in self.allowed or instrument.symbol in self.joined

    def join(self, tool: str, data: JsonValue) -> None:
        """Let in the stocks that a tool found for a request that asks for such."""
        if self.asks_for_others and tool in DISCOVERING:
            self.joined.update(_symbols(data))

    @property
    def symbols(self) -> tuple[str, ...]:
        """Everything that is inside, in order of the alphabet."""
        return tuple(sorted(self.allowed | self.joined))


def scope_of(text: str, named: Resolution, before: tuple[Instrument, ...]) -> StockScope | None:
    """The scope of a turn; None = nothing was named, nothing is guarded.

    Args:
        text: what the person wrote.
        named: what it resolves to; inherited instruments are those of the conversation.
        before: what the conversation was about before.
    """
    own = () if named.inherited else named.instruments
    kept = tuple(item for item in own if not _excluded(item, text)) or own
    others = _ASKS_FOR_OTHERS.search(text) is not None
    if not kept:
        stays = named.instruments if named.inherited else ()
        return _scope("maintain", stays, stays, others=others) if stays else None
    if _COMPARES.search(text) and (len(kept) > 1 or before):
        both = tuple(dict.fromkeys((*before, *kept))) if len(kept) == 1 or set(before) & set(kept) else kept
        return _scope("compare", both, both, others=others)
    stays_with = not before or kept[0] in before
    return _scope("maintain" if stays_with else "switch", kept, kept, others=others)


def _scope(mode: Mode, first: tuple[Instrument, ...], inside: tuple[Instrument, ...], *, others: bool) -> StockScope:
    allowed = frozenset(item.symbol for item in inside)
    return StockScope(mode=mode, expected=first[0].symbol, allowed=allowed, asks_for_others=others)


def _excluded(item: Instrument, text: str) -> bool:
    """Whether the text names an instrument only to leave it aside."""
    places = [at for word in (item.name, item.code) for at in _places(word, text)]
    return bool(places) and all(_EXCLUDES.search(text[:at]) for at in places)


def _places(word: str, text: str) -> Iterable[int]:
    return (match.start() for match in re.finditer(re.escape(word), text)) if word else ()


def _symbols(data: JsonValue) -> Iterable[str]:
    """All exchange-qualified ids under `symbol` in a result."""
    match data:
        case Mapping():
            symbol = data.get("symbol")
            if isinstance(symbol, str):
                yield symbol
            for value in data.values():
                yield from _symbols(value)
        case list():
            for value in data:
                yield from _symbols(value)
        case _:
            pass
