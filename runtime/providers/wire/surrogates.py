"""Characters outside the basic plane that a server cut in two: JSON escapes them as two surrogates, and each may come in its own chunk."""

from __future__ import annotations

import re
from typing import Final

from runtime.core.json import JsonValue

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """The text with surrogate pairs joined and lone ones replaced: it can be stored and sent."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def well_formed_value(value: JsonValue) -> JsonValue:
    """The JSON value with all its texts well formed."""
    match value:
        case str():
            return well_formed(value)
        case list():
            return [well_formed_value(item) for item in value]
        case dict():
            return {well_formed(name): well_formed_value(item) for name, item in value.items()}
        case _:
            return value


class SurrogateJoiner:
    """Holds back a high surrogate at the end of a piece until the next one brings its other half."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """What can be shown now."""
        text = self._held + text
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return well_formed(text)

    def flush(self) -> str:
        """What is left at the end."""
        text, self._held = self._held, ""
        return well_formed(text)
