"""The second lock: without somebody to ask directly, a write needs a consent that the person typed.

A consent is an answer to a question of the agent. It covers one action, once, and only an action that the question named: what is done,
the stock, and every number in its place. Whoever hedges, asks back, talks of something else or names other numbers has not consented: the
agent can ask again. Texts of tools, files, web pages or memory never get here.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from runtime.approvals.naming import names
from runtime.core.approvals import ApprovalRequest

_NEGATIONS: Final = re.compile(
    r"不|别|勿|拒绝|取消|算了|等等|等一下|稍后|暂停|停|否|\b(?:no|not|don't|dont|never|cancel|stop|wait|later)\b",
    re.IGNORECASE,
)
# Not a plain yes: a condition, another wish, a question in the middle of the answer, or talk that goes on.
_HEDGES: Final = re.compile(
    r"什么|怎|多少|如何|哪|吗|是否|为何|谁|先|再|如果|要是|假如|除非|万一|但|不过|可是|想想|想一想|考虑|看看|看一|看情况|分析|观察|研究"
    r"|跟踪|改|换|只|一半|的话|前提|确认一下|继续(?:说|讲|聊|等|问)|对了"
    r"|\b(?:what|why|how|which|when|if|but|first|instead|except|only|half|maybe|unless|explain|change)\b",
    re.IGNORECASE,
)
_AFFIRMATIONS: Final = re.compile(
    r"可以|同意|确认|允许|继续|执行|没问题|好的|好吧|买吧|卖吧"
    # One character is a yes only when nothing makes another word of it: 行, not 行情; 好, not 好像.
    r"|^(?:好|行|嗯+|是|对|要)(?:$|[的吧啊呀啦了呗哒嘞哦\W]|买|卖|登记|就|按|照|办)"
    r"|\b(?:yes|y|ok|okay|sure|allow|confirm|confirmed|proceed|go ahead|agreed|approve|approved)\b",
    re.IGNORECASE,
)
_HARMLESS: Final = re.compile(r"没问题|没有问题|\bno problem\b", re.IGNORECASE)  # contain a negation and are none
_QUESTION: Final = re.compile(r"[?？]|吗\s*$|么\s*$|呢\s*$")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


def is_affirmative(answer: str) -> bool:
    """Whether an answer consents. A negation anywhere wins; a counter-question, a condition or another wish is no consent."""
    text = _HARMLESS.sub("可以", unicodedata.normalize("NFKC", answer).strip())
    if not text or any(pattern.search(text) for pattern in (_QUESTION, _NEGATIONS, _HEDGES)):
        return False
    return _AFFIRMATIONS.search(text) is not None


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
        consents = is_affirmative(answer) and _figures(answer) <= _figures(question)
        self._answered = _Answered(question) if consents else None
        return consents

    def use_for(self, request: ApprovalRequest) -> bool:
        """Whether the last answer consents to this action; using it up."""
        if self._answered is None or self._answered.used or not names(self._answered.question, request):
            return False
        self._answered.used = True
        return True


def _figures(text: str) -> set[float]:
    """Every number of a text: an answer with a number of its own wants something else than what was asked."""
    return {float(number) for number in _NUMBER.findall(unicodedata.normalize("NFKC", text).replace(",", ""))}
