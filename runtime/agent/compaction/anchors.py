"""What of old messages must not get lost: what the person demanded, stocks, files, and the passages that matter most.

Found by rules, so that it does not depend on what a summary happens to mention.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from runtime.agent.compaction.shrink import shrunk
from runtime.core.compaction import CompactionRecord
from runtime.core.json import dumps
from runtime.core.messages import AssistantMessage, Message, ToolMessage, UserMessage
from runtime.core.symbols import Resolution

MOST_FRAGMENTS: Final = 6  # of one compaction, seed 000; two of the one before stay beside them
FRAGMENT_LENGTH: Final = 220  # characters
MOST_CONSTRAINTS: Final = 40
CONSTRAINT_LENGTH: Final = 160
MOST_STOCKS: Final = 40
MOST_FILES: Final = 24
MOST_ARCHIVES: Final = 8  # each names the one before it
QUESTION_LENGTH: Final = 2_000
_SCORED_LENGTH: Final = 400  # characters of a message that its weight is read from

_CODE: Final = re.compile(r"(?<!\d)\d{6}(?!\d)")
_QUALIFIED: Final = re.compile(r"(?<![0-9A-Za-z])\d{6}\.(?:SH|SZ|BJ|SIM)(?![0-9A-Za-z])", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\s，。；：、！？“”‘’（）《》()<>\"'|*`]+")
_LONGEST_PATH: Final = 200  # characters
_FILE: Final = re.compile(
    r"(?:[A-Za-z]:\\|~?/)?(?:[\w.+-]+[/\\])+[\w.+-]*\.[A-Za-z][A-Za-z0-9]{0,7}(?![A-Za-z0-9])"
    r"|[\w+-]+\.(?:py|md|csv|json|jsonl|toml|xlsx?|txt|pdf|ya?ml|html?|png|parquet|sql|log|docx?)(?![A-Za-z0-9])"
)
_WEIGHTY: Final = re.compile(r"失败|报错|错误|止损|止盈|持仓|建仓|提交|回测|todo|error|fail", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"(?:[^。！？!?；;\n.]|\.(?!\s|$))+[。！？!?；;.]*")
_DEMAND: Final = re.compile(
    r"必须|务必|一定要|(?<!要)不要|别再|别|不准|不许|不能|不得|不可|不超过|不低于|不高于|不碰|不买|不卖|不做|不追|不用|不再|绝不|从不|永远|禁止|避免"
    r"|(?<![这那哪几一二两三四五六七八九十每某多0-9])只|仅|至少|至多|最多|最少|最高|最低|上限|下限|止损|止盈|以后|记住|除非|之前先|先别"
    r"|\b(?:must|never|always|only|don'?t|do not|avoid|at (?:most|least)|no more than|unless|remember|stop[- ]loss|limit)\b",
    re.IGNORECASE,
)
_QUESTION: Final = re.compile(r"[?？吗呢]\s*$|能不能|要不要|是不是|会不会|该不该")
_FIRM: Final = re.compile(r"必须|务必|(?<!要)不要|不准|禁止|绝不|记住|\b(?:must|never|always)\b", re.IGNORECASE)


def anchored(
    before: CompactionRecord | None,
    head: Sequence[Message],
    resolve: Callable[[str], Resolution],
    tail: Sequence[Message] = (),
) -> CompactionRecord:
    """What must not get lost of old messages, together with what an earlier compaction kept. Summary and archive are not set anew.

    Args:
        before: the record of the earlier compaction.
        head: the messages since then, the oldest first.
        resolve: finds the stocks that a text names.
        tail: the messages that stay; where the person's last question is not among them, it is kept.
    """
    earlier = before or CompactionRecord(covered=0)
    said = [message.text for message in head if isinstance(message, UserMessage) and message.text]
    texts = [_shown(message) for message in head]
    # Lists that tools returned are not talk.
    spoken = [text for text, message in zip(texts, head, strict=True) if not isinstance(message, ToolMessage)]
    wanted = [line for text in said for line in demands(text)]
    files = [name for text in spoken for name in files_in(text)]
    return replace(
        earlier,
        covered=earlier.covered + len(head),
        question=_question(earlier, said, tail),
        constraints=_newest((*earlier.constraints, *wanted), MOST_CONSTRAINTS),
        fragments=(*earlier.fragments[-2:], *_fragments(head, texts)),
        stocks=_newest((*earlier.stocks, *_stocks(spoken, said, resolve)), MOST_STOCKS),
        files=_newest((*earlier.files, *files), MOST_FILES),
    )


def _question(earlier: CompactionRecord, said: Sequence[str], tail: Sequence[Message]) -> str:
    """What is to be answered, where the messages that stay do not say it."""
    if any(isinstance(message, UserMessage) and message.text for message in tail):
        return ""
    return said[-1][:QUESTION_LENGTH] if said else earlier.question


def score(message: Message, index: int, total: int) -> float:
    """How much a message matters; the later of two equal ones a little more. Weights of seed 000."""
    return _kind_worth(message) + _text_worth(_shown(message)) + (index / total if total else 0.0)


def _kind_worth(message: Message) -> float:
    worth = 0.0
    match message:
        case UserMessage():
            worth += 3.0 if message.text else 0.0
        case ToolMessage():
            worth += 1.0 if message.ok else 3.0
        case AssistantMessage():
            worth += 1.5 if message.calls else 0.0
    return worth


def _text_worth(text: str) -> float:
    text = text[:_SCORED_LENGTH]
    worth = 2.0 if _CODE.search(text) else 0.0
    worth += 1.5 if next(files_in(text), None) else 0.0
    return worth + (2.0 if _WEIGHTY.search(text) else 0.0)


def demands(text: str) -> Iterator[str]:
    """The sentences of a person that say what must or must not be; questions are none unless they are firm."""
    for sentence in _SENTENCE.findall(text):
        line = " ".join(sentence.split())
        if _DEMAND.search(line) and (not _QUESTION.search(line) or _FIRM.search(line)):
            yield line[:CONSTRAINT_LENGTH]


def files_in(text: str) -> Iterator[str]:
    """The files that a text names."""
    for word in _WORD.findall(text):
        if "." in word and "://" not in word and len(word) <= _LONGEST_PATH:
            yield from _FILE.findall(word)


def _fragments(head: Sequence[Message], texts: Sequence[str]) -> list[str]:
    """The weightiest passages in their order."""
    worth = [score(message, at, len(head)) for at, message in enumerate(head)]
    weightiest = heapq.nlargest(MOST_FRAGMENTS, range(len(head)), key=worth.__getitem__)
    lines: list[str] = []
    for at in sorted(weightiest):
        message = head[at]
        passage = shrunk(message, FRAGMENT_LENGTH) if isinstance(message, ToolMessage) else _clipped(texts[at])
        if passage:
            lines.append(f"{message.role}: {passage}")
    return lines


def _stocks(spoken: Sequence[str], said: Sequence[str], resolve: Callable[[str], Resolution]) -> Iterator[str]:
    """The stocks that the person named, and those that were written about or looked up."""
    codes = dict.fromkeys(code.upper() for text in spoken for code in _QUALIFIED.findall(text))
    sentences = dict.fromkeys(sentence for text in said for sentence in _SENTENCE.findall(text))
    for text in ("\n".join(sentences), " ".join(codes)):
        for item in resolve(text).instruments:
            codes.pop(item.symbol, None)
            yield f"{item.name} {item.symbol}"
    yield from codes  # no table knows them


def _shown(message: Message) -> str:
    match message:
        case UserMessage():
            return message.text
        case AssistantMessage():
            return message.text + "".join(f" {call.name} {dumps(call.args or {})}" for call in message.calls)
        case ToolMessage():
            return message.content


def _newest(items: Sequence[str], most: int) -> tuple[str, ...]:
    """Each item once, at the place where it came last; the newest of too many."""
    return tuple(reversed(tuple(dict.fromkeys(reversed(items)))))[-most:]


def _clipped(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= FRAGMENT_LENGTH else flat[:FRAGMENT_LENGTH] + "…"
