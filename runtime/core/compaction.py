"""What is left of the messages that a compaction took out of a model's sight."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionRecord:
    """Everything that stands in for the messages before a point of a conversation.

    Attributes:
        covered: how many messages it stands for.
        summary: in the words of a model; "" where none could be made.
        question: what the person asked last, when that is among them; "" otherwise.
        constraints: sentences in which the person said what must or must not be, the oldest first.
        fragments: passages of the messages that matter most, in order.
        stocks: the stocks that were spoken of (`name symbol`).
        files: the files that were spoken of.
        archives: references of the archives that hold the messages, the oldest first.
    """

    covered: int
    summary: str = ""
    question: str = ""
    constraints: tuple[str, ...] = ()
    fragments: tuple[str, ...] = ()
    stocks: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    archives: tuple[str, ...] = ()
