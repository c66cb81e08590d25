"""A model that asks for the same thing over and over is stopped before the call runs.

The same tool with the same arguments three times among the last six calls; or, for long arguments, three that hardly differ. Calls that
name different numbers are never alike: another stock, date or amount is another question.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from runtime.core.json import canonical
from runtime.core.messages import ToolCall

WINDOW: Final = 6  # calls, seed 000
THRESHOLD: Final = 3  # seed 000
SIMILAR: Final = 0.8  # Jaccard of 3-grams, seed 000
SHORTEST_SIMILAR: Final = 50  # characters of arguments, seed 000
EXEMPT: Final = frozenset({"check_background_tasks"})  # polling is its purpose
_GRAM: Final = 3
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?|[零〇一二两三四五六七八九十百千万亿]")


@dataclass(frozen=True, slots=True)
class _Seen:
    name: str
    args: str
    numbers: tuple[str, ...]
    grams: frozenset[str]


class DoomLoopGuard:
    """Watches the calls of one turn."""

    def __init__(self) -> None:
        self._recent: deque[_Seen] = deque(maxlen=WINDOW)
        self.triggers = 0

    def admitted(self, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """The calls of a message that may run: those before the first one that repeats itself too often."""
        for at, call in enumerate(calls):
            if self._repeats(call):
                self.triggers += 1
                return tuple(calls[:at])
        return tuple(calls)

    def _repeats(self, call: ToolCall) -> bool:
        if call.name in EXEMPT or call.args is None:
            return False
        seen = _seen(call.name, canonical(call.args))
        same = 1 + sum(earlier.name == seen.name and _alike(earlier, seen) for earlier in self._recent)
        self._recent.append(seen)
        return same >= THRESHOLD


def _seen(name: str, args: str) -> _Seen:
    long = len(args) >= SHORTEST_SIMILAR
    grams = frozenset(args[at : at + _GRAM] for at in range(len(args) - _GRAM + 1)) if long else frozenset[str]()
    return _Seen(name, args, tuple(sorted(_NUMBER.findall(args))), grams)


def _alike(one: _Seen, other: _Seen) -> bool:
    if one.args == other.args:
        return True
    if not one.grams or not other.grams or one.numbers != other.numbers:
        return False
    return len(one.grams & other.grams) / len(one.grams | other.grams) >= SIMILAR
