"""The second lock: without somebody to ask directly, a write needs a consent that the person typed.

A consent is an answer to a question of the agent. It covers one action, once, and only an action that the question named: the stock and
every number of it. Texts of tools, files, web pages or memory never get here.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from runtime.core.approvals import ApprovalRequest
from runtime.core.json import JsonValue

_NEGATIONS: Final = re.compile(
    r"不|别|勿|拒绝|取消|算了|等等|等一下|稍后|暂停|停|否|\b(?:no|not|don't|dont|never|cancel|stop|wait|later)\b",
    re.IGNORECASE,
)
_AFFIRMATIONS: Final = re.compile(
    r"可以|同意|确认|允许|继续|执行|没问题|好的|好吧|^好|^行|^嗯|^是|^对|^要|^买吧|^卖吧"
    r"|\b(?:yes|y|ok|okay|sure|allow|confirm|proceed|go ahead)\b",
    re.IGNORECASE,
)
_HARMLESS: Final = re.compile(r"没问题|不错|没有问题|要不要紧")  # contain a negation and are none
_QUESTION: Final = re.compile(r"[?？]\s*$|吗\s*$|么\s*$|呢\s*$")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_NAMES: Final = frozenset({"symbol", "code", "name", "date", "buy_dt"})  # checked as a stock, or no figure


def is_affirmative(answer: str) -> bool:
    """Whether an answer consents. A negation anywhere wins, a counter-question is no consent."""
    text = unicodedata.normalize("NFKC", answer).strip()
    without = _HARMLESS.sub("好", text)
    if not without or _QUESTION.search(without) or _NEGATIONS.search(without):
        return False
    return _AFFIRMATIONS.search(without) is not None


@dataclass(slots=True)
class _Answered:
    question: str
    used: bool = False


class ConsentBook:
    """The consents of one turn."""

    def __init__(self) -> None:
        self._answered: _Answered | None = None

    def record(self, question: str, answer: str) -> bool:
        """Note the person's answer to a question; a newer answer replaces an older one. Returns whether it consents."""
        consents = is_affirmative(answer)
        self._answered = _Answered(question) if consents else None
        return consents

    def use_for(self, request: ApprovalRequest) -> bool:
        """Whether the last answer consents to this action; using it up."""
        if self._answered is None or self._answered.used or not _names(self._answered.question, request):
            return False
        self._answered.used = True
        return True


def _names(question: str, request: ApprovalRequest) -> bool:
    """Whether a question names the stock (code or name) and every number of the action's arguments."""
    text = unicodedata.normalize("NFKC", question).replace(",", "")
    figures = {float(number) for number in _NUMBER.findall(text)}
    positions = request.preview.positions if request.preview is not None else ()
    stocks = all(change.symbol.partition(".")[0] in text or change.name in text for change in positions)
    return stocks and all(number in figures for number in _numbers(request.args))


def _numbers(value: JsonValue) -> list[float]:
    """Every number in the arguments, at any depth. Exact decimals come as texts; texts that are no figures are left out."""
    match value:
        case bool() | None:
            return []
        case int() | float():
            return [float(value)]
        case str():
            return [float(value)] if _NUMBER.fullmatch(value) else []
        case list():
            return [number for item in value for number in _numbers(item)]
        case dict():
            named = (item for name, item in value.items() if name not in _NAMES)
            return [number for item in named for number in _numbers(item)]
