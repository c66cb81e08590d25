"""Markdown of answers to HTML that Qt's rich text understands.

Raw HTML is escaped. Emphasis next to Chinese punctuation works (`**结论：**量价`), where
CommonMark on its own shows the asterisks: its flanking rule knows only spaces between words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

_CJK: Final = re.compile(r"[⺀-鿿豈-﫿＀-￯　-〿“”‘’—…]")
STYLES: Final = {"light": "default", "dark": "github-dark"}


class _CjkState(StateInline):
    """Scans emphasis marks so that a CJK neighbour counts as a word border on its side."""

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        scanned = super().scanDelims(start, canSplitWord)
        end = start + scanned.length
        before = self.src[start - 1] if start > 0 else " "
        after = self.src[end] if end < self.posMax else " "
        if not (_CJK.match(before) or _CJK.match(after)):
            return scanned
        return Scanned(
            scanned.can_open or not after.isspace(), scanned.can_close or not before.isspace(), scanned.length
        )


class _CjkInline(ParserInline):
    """The library's inline parser on our state."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = _CjkState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


class MarkdownRenderer:
    """Renders with one code style.

    Args:
        scheme: `light` or `dark`.
    """

    def __init__(self, scheme: str) -> None:
        self._formatter = HtmlFormatter(noclasses=True, nowrap=True, style=STYLES.get(scheme, "default"))
        self._parser = MarkdownIt("commonmark", {"html": False, "highlight": self._highlight})
        rules = self._parser.inline
        self._parser.inline = _CjkInline()
        self._parser.inline.ruler, self._parser.inline.ruler2 = rules.ruler, rules.ruler2
        self._parser.enable(["table", "strikethrough"])

    def html(self, text: str) -> str:
        """The HTML of a piece of markdown."""
        return str(self._parser.render(text))

    def _highlight(self, code: str, language: str, _attributes: str) -> str:
        try:
            lexer = get_lexer_by_name(language or "text")
        except ClassNotFound:
            lexer = get_lexer_by_name("text")
        return f"<pre>{highlight(code, lexer, self._formatter)}</pre>"


_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_LIST: Final = re.compile(r"^(\s{2,}\S|\s*([-*+]|\d+[.)])\s)")


class BlockSplitter:
    """Cuts a growing text into finished top-level blocks and an open tail; the cost of a piece is that of the tail."""

    def __init__(self) -> None:
        self.tail = ""

    def feed(self, piece: str) -> list[str]:
        """Take in more text; returns the blocks that are finished by it."""
        self.tail += piece
        done: list[str] = []
        while (cut := _cut(self.tail)) is not None:
            done.append(self.tail[:cut].rstrip("\n"))
            self.tail = self.tail[cut:].lstrip("\n")
        return done


def _cut(text: str) -> int | None:
    """Where the first block ends; None while it may go on."""
    lines = text.split("\n")
    fence: str | None = None
    position = 0
    for index, line in enumerate(lines[:-1]):
        mark = _FENCE.match(line)
        if mark is not None and fence is None:
            fence = mark[1]
        elif mark is not None and fence is not None:
            if mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not mark[2].strip():
                return position + len(line) + 1
        elif fence is None and not line.strip() and position > 0:
            return _block_end(lines, index, position)
        position += len(line) + 1
    return None


def _block_end(lines: Sequence[str], blank: int, position: int) -> int | None:
    """Whether an empty line ends the block: not inside a list that goes on, and only when the next line is known."""
    following = next((line for line in lines[blank + 1 :] if line.strip()), "")
    if not following:
        return None
    undecided = following is lines[-1] and len(following) < 4
    if _LIST.match(lines[0]) is not None and (_LIST.match(following) or undecided):
        return None
    return position
