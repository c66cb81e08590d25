"""Looks at an answer before it counts: was there a look at what it is about, and was a conclusion recorded?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from runtime.agent.guards.expectation import MOST_NUDGES, Expectation
from runtime.agent.turn import TurnState
from runtime.texts import Texts

_CONCLUDES: Final = re.compile(
    r"建议|结论|可以买|值得买|买入|建仓|加仓|减仓|清仓|卖出|持有|观望|回避|recommend|\b(?:buy|sell|hold|avoid)\b",
    re.IGNORECASE,
)
# A text that tells somebody to buy; a negation just before it is the opposite.
RECOMMENDS: Final = re.compile(
    r"(?<!不)(?<!不要)(?<!不宜)(?:建议|可以|值得|适合|应该|现价).{0,4}(?:买入|建仓|加仓|买进|上车)"
    r"|(?<!not )recommend(?:s|ed)? buying|strong buy",
    re.IGNORECASE,
)
_VERDICT: Final = "record_verdict"
_READING: Final = "analyze_stock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """Why an answer does not count yet.

    Attributes:
        guard: who objects.
        nudge: what the model is told.
        detail: what the person is told.
        tool: the tool that is missing.
    """

    guard: str
    nudge: str
    detail: str
    tool: str


class AnswerGuards:
    """The objections of one turn.

    Args:
        expectation: what the question expects.
        can_record: whether the tool for verdicts is there.
        texts: for people and the model.
    """

    def __init__(self, expectation: Expectation | None, texts: Texts, *, can_record: bool) -> None:
        self.expectation = expectation
        self._texts = texts
        self._can_record = can_record
        self._nudges = 0
        self._verdict_nudged = False

    def objection(self, turn: TurnState, text: str) -> Objection | None:
        """What is missing from an answer; None = it counts, with a warning where nudging did not help."""
        return self._unlooked(turn) or self._unrecorded(turn, text)

    def _unlooked(self, turn: TurnState) -> Objection | None:
        wanted = self.expectation
        if wanted is None or wanted.met_by(turn.results):
            return None
        if self._nudges >= MOST_NUDGES:
            turn.warn(self._texts("agent.unlooked", tool=wanted.tool))
            return None
        self._nudges += 1
        return Objection(
            guard="expectation",
            nudge=self._texts("agent.nudge_tool", tool=wanted.tool, mode=wanted.mode),
            detail=self._texts("agent.nudged_tool", attempt=self._nudges),
            tool=wanted.tool,
        )

    def _unrecorded(self, turn: TurnState, text: str) -> Objection | None:
        """A conclusion on a stock whose chart was read, and no verdict."""
        called = {result.call.name for result in turn.results if result.ok}
        if self._verdict_nudged or not self._can_record or _VERDICT in called or _READING not in called:
            return None
        if len(turn.resolution.instruments) != 1 or not _CONCLUDES.search(text):
            return None
        self._verdict_nudged = True
        return Objection(
            guard="missing_verdict",
            nudge=self._texts("agent.nudge_verdict", tool=_VERDICT),
            detail=self._texts("agent.nudged_verdict"),
            tool=_VERDICT,
        )
