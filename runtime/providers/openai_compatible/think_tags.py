"""Reasoning that a model writes into its text between tags, split over chunks as it comes.

Only at the start of the answer: later on a tag is text that somebody writes about tags.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_TAGS: Final = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<thought>", "</thought>"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of the answer."""

    text: str
    thinking: bool


class ThinkTags:
    """Tells reasoning from text."""

    def __init__(self) -> None:
        self._held = ""
        self._closer: str | None = None
        self._started = False

    def feed(self, text: str) -> list[Piece]:
        """The pieces that are certain now."""
        if self._started and self._closer is None:
            return [Piece(text=text, thinking=False)] if text else []
        self._held += text
        return self._inside(self._closer) if self._closer is not None else self._start()

    def flush(self) -> list[Piece]:
        """What is left at the end."""
        held, self._held = self._held, ""
        return [Piece(text=held, thinking=self._closer is not None)] if held else []

    def _start(self) -> list[Piece]:
        body = self._held.lstrip()
        for opener, closer in _TAGS:
            if body.startswith(opener):
                self._started, self._closer, self._held = True, closer, body[len(opener) :]
                return self._inside(closer)
            if body.startswith(closer):  # the opener was part of the prompt, or the reasoning came apart
                body = body[len(closer) :]
                break
        else:
            if any(tag.startswith(body) for pair in _TAGS for tag in pair):
                return []
            body = self._held
        self._started, self._held = True, ""
        return [Piece(text=body, thinking=False)] if body else []

    def _inside(self, closer: str) -> list[Piece]:
        end = self._held.find(closer)
        if end < 0:
            cut = len(self._held) - _beginning(self._held, closer)
            ready, self._held = self._held[:cut], self._held[cut:]
            return [Piece(text=ready, thinking=True)] if ready else []
        thinking, text = self._held[:end], self._held[end + len(closer) :]
        self._held, self._closer = "", None
        pieces = (Piece(text=thinking, thinking=True), Piece(text=text, thinking=False))
        return [piece for piece in pieces if piece.text]


def _beginning(text: str, mark: str) -> int:
    """How many characters at the end of the text may be the beginning of the mark."""
    return next((size for size in range(min(len(mark) - 1, len(text)), 0, -1) if text.endswith(mark[:size])), 0)
