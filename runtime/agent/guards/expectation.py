"""Questions that cannot be answered without looking: the tool that must have been called before an answer counts.

Only what the person wrote is read, never recalled memory. A question about a concept, or about a stock that it names itself, expects
nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, TypeAlias

from runtime.core.messages import Message, ToolMessage, text_of
from runtime.core.symbols import Resolution
from runtime.paths import resource
from runtime.tools.results import CallResult

Mode: TypeAlias = Literal["view", "diagnose"]

CONTEXT_MESSAGES: Final = 4  # before the question, seed 000
MOST_NUDGES: Final = 2  # seed 000
_SHORT: Final = 12  # characters; a longer text is a question of its own
_OPEN, _CLOSE = "<current-user-message>", "</current-user-message>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """The portfolio must be looked at, in this mode."""

    mode: Mode
    tool: str = "portfolio"

    def met_by(self, results: Sequence[CallResult]) -> bool:
        """Whether a call asked for it; a failed one counts, the model has seen the failure."""
        return any(
            result.call.name == self.tool and (result.call.args or {}).get("mode", "view") == self.mode
            for result in results
        )


def expectation_of(text: str, history: Sequence[Message], resolution: Resolution) -> Expectation | None:
    """What a question expects.

    Args:
        text: the question as it was written.
        history: what came before it, the newest last.
        resolution: the stocks that it names.
    """
    words, said = _phrases(), _own_words(text)
    if not said or any(phrase in said for phrase in words["explanation"]):
        return None
    if any(phrase in said for phrase in words["view"]):
        return Expectation(mode="view")
    if any(phrase in said for phrase in words["diagnose"]):
        return Expectation(mode="diagnose")
    if resolution.instruments and not resolution.inherited:
        return None
    before = " ".join(_marked_text(message) for message in history[-CONTEXT_MESSAGES:])
    if not any(marker in before for marker in words["context"]):
        return None
    return Expectation(mode="diagnose") if _refers_back(said, before) else None


def _refers_back(said: str, before: str) -> bool:
    """Whether a short text takes up the holdings that were just spoken of."""
    words = _phrases()
    hints = (*words["follow_up"], *words["generic"])
    if said.strip("。！？!?，,") in words["affirmative"]:
        return any(hint in before for hint in hints)
    if len(said) <= _SHORT and any(phrase in said for phrase in words["follow_up"]):
        return True
    return any(hint in said for hint in words["generic"]) and any(phrase in said for phrase in words["reference"])


def _own_words(text: str) -> str:
    """What the person typed, without what was recalled around it."""
    if _OPEN in text:
        text = text.rpartition(_OPEN)[2].partition(_CLOSE)[0]
    return text.strip().lower()


def _marked_text(message: Message) -> str:
    name = message.name if isinstance(message, ToolMessage) else ""
    return f"{name} {text_of(message)}".lower()


@cache
def _phrases() -> dict[str, tuple[str, ...]]:
    table = tomllib.loads(resource("rules", "expectations.toml").read_text("utf-8"))
    return {name: tuple(phrases) for name, phrases in table.items()}
