"""Content and reasoning in the notations that servers use: a text, or a list of typed parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from runtime.core.json import JsonObject, JsonValue

# In this order: gateways send the same words in two of them, and only one may be taken.
_REASONING: Final = ("reasoning_content", "reasoning", "thinking", "thought", "reasoning_details")


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What one delta adds."""

    text: str = ""
    thinking: str = ""


def split_content(content: JsonValue) -> Content:
    """Text and reasoning of `delta.content`."""
    match content:
        case str():
            return Content(text=content)
        case list():
            text = "".join(_words(part) for part in content if not _is_thinking(part))
            return Content(text=text, thinking="".join(_words(part) for part in content if _is_thinking(part)))
        case dict():
            return split_content([content])
        case _:
            return Content()


def reasoning_of(delta: JsonObject) -> str:
    """The reasoning of a delta."""
    for name in _REASONING:
        words = _words(delta.get(name))
        if words:
            return words
    return ""


def _is_thinking(part: JsonValue) -> bool:
    return isinstance(part, dict) and str(part.get("type", "")).startswith(("thinking", "reasoning"))


def _words(part: JsonValue) -> str:
    """The readable words of a part; references, images and encrypted reasoning have none."""
    match part:
        case str():
            return part
        case list():
            return "".join(_words(item) for item in part)
        case dict():
            values = (part.get(name) for name in ("text", "thinking", "summary", "content"))
            return next((words for value in values if (words := _words(value))), "")
        case _:
            return ""
