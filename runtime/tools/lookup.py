"""From what a model or a person wrote to one instrument."""

from __future__ import annotations

from runtime.core.symbols import Instrument
from runtime.errors import ModelFacingError
from runtime.market.symbols import InstrumentDirectory

SHOWN_CANDIDATES = 6


def instrument_of(directory: InstrumentDirectory, text: str) -> Instrument:
    """The one instrument that a code, name or pinyin stands for.

    Raises:
        ModelFacingError: nothing or several; the message lists the candidates.
    """
    exact = directory.get(text)
    if exact is not None:
        return exact
    found = directory.resolve(text)
    if len(found.instruments) == 1 and not found.ambiguities:
        return found.instruments[0]
    candidates = found.instruments or tuple(item for group in found.ambiguities for item in group.candidates)
    if not candidates:
        candidates = () if found.unknown else directory.search(text, SHOWN_CANDIDATES)
        if len(candidates) == 1:
            return candidates[0]
    if not candidates:
        raise ModelFacingError("tools.unknown_symbol", code="unknown_symbol", text=text)
    listed = "、".join(f"{item.name} {item.symbol}" for item in candidates[:SHOWN_CANDIDATES])
    raise ModelFacingError("tools.ambiguous_symbol", code="ambiguous_symbol", text=text, candidates=listed)
