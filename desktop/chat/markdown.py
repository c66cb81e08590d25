"""Markdown of answers to HTML that Qt's rich text understands.

Raw HTML is escaped. Emphasis next to Chinese punctuation works (`**结论：**量价`), where
CommonMark on its own shows the asterisks: its flanking rule knows only spaces between words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.style import Style
from pygments.token import Comment, Keyword, Name, String
from pygments.util import ClassNotFound

from desktop.theme import Theme

_CJK: Final = re.compile(r"[⺀-鿿豈-﫿＀-￯　-〿“”‘’—…]")


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


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of an answer with a widget of its own; `source` is the code without its marks."""

    kind: Literal["text", "table", "code"]
    html: str
    source: str = ""


class MarkdownRenderer:
    """Renders in one look.

    Args:
        theme: gives the colours of code.
    """

    def __init__(self, theme: Theme) -> None:
        self._formatter = HtmlFormatter(noclasses=True, nowrap=True, style=_code_style(theme))
        self._parser = MarkdownIt("commonmark", {"html": False, "highlight": self._highlight})
        rules = self._parser.inline
        self._parser.inline = _CjkInline()
        self._parser.inline.ruler, self._parser.inline.ruler2 = rules.ruler, rules.ruler2
        self._parser.enable(["table", "strikethrough"])

    def html(self, text: str) -> str:
        """The HTML of a piece of markdown."""
        return str(self._parser.render(text))

    def blocks(self, text: str) -> list[Block]:
        """Tables and code apart, everything between them together."""
        env: EnvType = {}
        tokens = self._parser.parse(text, env)
        found: list[Block] = []
        begun = 0
        position = 0
        while position < len(tokens):
            token = tokens[position]
            end = position + 1
            if token.type == "table_open" and token.level == 0:
                end = (
                    next(
                        i
                        for i in range(position, len(tokens))
                        if tokens[i].type == "table_close" and not tokens[i].level
                    )
                    + 1
                )
            elif token.type not in ("fence", "code_block") or token.level:
                position = end
                continue
            self._text(tokens[begun:position], env, found)
            html = self._parser.renderer.render(tokens[position:end], self._parser.options, env)
            found.append(Block("table" if token.type == "table_open" else "code", html, token.content.rstrip("\n")))
            begun = position = end
        self._text(tokens[begun:], env, found)
        return found

    def _text(self, tokens: Sequence[Token], env: EnvType, into: list[Block]) -> None:
        if tokens:
            into.append(Block("text", self._parser.renderer.render(tokens, self._parser.options, env)))

    def _highlight(self, code: str, language: str, _attributes: str) -> str:
        try:
            lexer = get_lexer_by_name(language or "text")
        except ClassNotFound:
            lexer = get_lexer_by_name("text")
        return f"<pre>{highlight(code, lexer, self._formatter)}</pre>"


def _code_style(theme: Theme) -> type[Style]:
    """Code in the accent and in shades of text: red and green belong to the market."""

    class CodeStyle(Style):
        background_color = theme.colors["bg.raised"]
        styles: ClassVar = {
            Comment: theme.colors["text.3"],
            Keyword: theme.colors["accent"],
            Name.Builtin: theme.colors["accent"],
            String: theme.colors["text.2"],
        }

    return CodeStyle


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
