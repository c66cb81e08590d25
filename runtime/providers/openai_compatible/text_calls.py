"""Tool calls that a model writes as text: hidden while the answer streams, read when their block is complete.

Always: what is shown and what is called depends on the text alone, not on how it was cut. An unterminated block is neither shown nor run,
a call of an unknown tool is not run. Code in fences reaches the screen as it is, unless the whole fence is a call of a known tool.
"""

from __future__ import annotations

import re
from itertools import groupby
from operator import attrgetter
from typing import Final

from runtime.providers.openai_compatible.text_dialects import DIALECTS, FENCE, STRAYS, Dialect
from runtime.providers.openai_compatible.text_readers import TextCall, Tools, names_a_tool

_BY_OPENER: Final = {opener: [*group] for opener, group in groupby(DIALECTS, attrgetter("opener"))}
_OPENER: Final = re.compile("|".join(re.escape(opener) for opener in _BY_OPENER))
_LONGEST: Final = max(len(opener) for opener in _BY_OPENER)
_BEGINNINGS: Final = frozenset(opener[:size] for opener in _BY_OPENER for size in range(1, len(opener)))
_TOKENS: Final = tuple(dialect.opener for dialect in DIALECTS if dialect.token)
_RESIDUE: Final = 6  # characters of a special token that cannot be anything else: `<｜DSML`, `<|tool`


class CallHider:
    """Splits streamed text into what is shown and the calls that are written in it.

    Args:
        tools: the tools that the request offered, with their schemas; calls of others are not run.

    Attributes:
        hid: something was hidden, whether or not a call came of it.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._held = ""
        self._opener = ""  # the mark before the held text
        self._fence = 0  # backticks that close the code which is being shown
        self._behind_block = False
        self._spaced = True  # what was shown last ends with white space
        self._calls: list[TextCall] = []
        self.hid = False

    @property
    def calls(self) -> tuple[TextCall, ...]:
        """The complete calls of known tools so far."""
        return tuple(self._calls)

    def feed(self, text: str) -> str:
        """What can be shown now."""
        self._held += text
        return self._advance(last=False)

    def flush(self) -> str:
        """What is left to show at the end; the rest of an unterminated block is dropped."""
        return self._advance(last=True)

    def _advance(self, *, last: bool) -> str:
        shown = ""
        while (piece := self._step(last=last)) is not None:
            if piece:
                self._spaced = piece[-1].isspace()
                shown += piece
        return shown

    def _step(self, *, last: bool) -> str | None:
        """The next piece to show, maybe empty; None = more text is needed."""
        if self._opener:
            return self._block(last=last)
        if not self._held:
            return None
        if self._behind_block:
            return self._after(last=last)
        return self._code(last=last) if self._fence else self._prose(last=last)

    def _prose(self, *, last: bool) -> str | None:
        """Up to the next opener, or to what may become one."""
        hit = _OPENER.search(self._held)
        if hit is not None:
            self._opener = hit[0]
            return self._take(hit.start(), hit.end())
        cut = len(self._held) - self._beginning()
        if not last:
            return self._take(cut) or None
        residue = self._held[cut:]
        if len(residue) >= _RESIDUE and any(token.startswith(residue) for token in _TOKENS):
            self.hid = True
            return self._take(cut, len(self._held))
        return self._take(len(self._held))

    def _beginning(self) -> int:
        """How many characters at the end may be the beginning of an opener."""
        sizes = range(min(_LONGEST, len(self._held)), 0, -1)
        return next((size for size in sizes if self._held[-size:] in _BEGINNINGS), 0)

    def _code(self, *, last: bool) -> str | None:
        """Code is shown as it comes, up to its closing fence."""
        run = re.search(rf"`{{{self._fence},}}", self._held)
        if run is not None and (last or run.end() < len(self._held)):
            self._fence = 0
            return self._take(run.end())
        return self._take(len(self._held.rstrip("`")) if not last else len(self._held)) or None

    def _after(self, *, last: bool) -> str | None:
        """Closing marks that are left over, and white space that would double what stands before the block."""
        text = self._held.lstrip()
        stray = next((mark for mark in STRAYS if text.startswith(mark)), None)
        if stray is not None:
            self._held = text[len(stray) :]
            return ""
        beginning = any(mark.startswith(text) for mark in STRAYS)
        if beginning and not last:
            return None
        self._behind_block = False
        if beginning and text.startswith("</"):  # a closing mark that broke off
            return self._take(0, len(self._held))
        if self._spaced:
            self._held = text
        return ""

    def _block(self, *, last: bool) -> str | None:
        """Read a block once it is complete."""
        dialects = _BY_OPENER[self._opener]
        verdicts = [dialect.begins(self._held) for dialect in dialects]
        if True in verdicts:
            return self._begun(dialects[verdicts.index(True)], last=last)
        if None in verdicts:
            if not last:
                return None
            if dialects[0].token or (dialects[0].explicit and self._held.strip()):
                return self._unterminated()
        return self._plain()

    def _begun(self, dialect: Dialect, *, last: bool) -> str | None:
        span = dialect.end(self._held, last)
        if span is None:
            if not last:
                return None
            called = dialect.explicit or names_a_tool(self._held, self._tools)
            return self._unterminated() if called else self._plain()
        calls = dialect.read(self._held[: span.content], self._tools)
        known = [call for call in calls if call.name in self._tools]
        if not dialect.explicit and (not calls or len(known) < len(calls)):
            opener, self._opener = self._opener, ""
            return opener + self._take(span.block)
        self._calls += known
        self._take(0, span.block)
        self._opener, self._behind_block, self.hid = "", True, True
        return ""

    def _plain(self) -> str:
        """The mark is text; what follows it is looked at anew."""
        opener, self._opener = self._opener, ""
        if opener == FENCE:
            self._fence = len(opener) + len(self._held) - len(self._held.lstrip("`"))
            return opener + self._take(self._fence - len(opener))
        return opener

    def _unterminated(self) -> str:
        self._opener, self._held, self.hid = "", "", True
        return ""

    def _take(self, shown: int, used: int | None = None) -> str:
        """Remove the beginning of the held text and return the part of it that is shown."""
        piece, self._held = self._held[:shown], self._held[shown if used is None else used :]
        return piece
