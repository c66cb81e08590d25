"""Finding texts by words: a query becomes terms, a text is worth the share of them that it holds.

Chinese has no spaces: longer runs are looked for by their pairs of characters, so that another order or a word between does no harm.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

ENOUGH: Final = 0.5  # share of the terms from which a text counts as found
MOST_TERMS: Final = 24
_RUNS: Final = re.compile(r"[a-z0-9_][a-z0-9_./\\:%-]*|[\u3400-\u9fff]+")
_WHOLE: Final = 4  # characters of a Chinese run that is looked for as it is


def terms_of(query: str) -> tuple[str, ...]:
    """The terms of a query, each once; at most `MOST_TERMS`."""
    terms: dict[str, None] = {}
    for run in _RUNS.findall(_plain(query)):
        if run.isascii() or len(run) <= _WHOLE:
            terms[run.rstrip(".:")] = None
        else:
            terms.update(dict.fromkeys(run[at : at + 2] for at in range(len(run) - 1)))
    return tuple(terms)[:MOST_TERMS]


def share_found(text: str, terms: tuple[str, ...]) -> float:
    """Which share of the terms a text holds, 0 to 1."""
    plain = _plain(text)
    return sum(term in plain for term in terms) / len(terms) if terms else 0.0


def excerpt(text: str, terms: tuple[str, ...], length: int = 200) -> str:
    """The passage around the first term that is found, else the beginning, in one line."""
    flat = " ".join(text.split())
    plain = flat.casefold()
    at = min((place for term in terms if (place := plain.find(term)) >= 0), default=0)
    start = max(0, at - length // 3)
    piece = flat[start : start + length]
    return ("…" if start else "") + piece + ("…" if start + length < len(flat) else "")


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
