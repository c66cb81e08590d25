"""Where the old messages end and the recent ones begin.

Always: head and tail together are all messages in their order, and a call and its results are on the same side.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from runtime.core.messages import Message, ToolMessage

TAIL_KEEP: Final = 4  # messages, seed 000


def tail_start(messages: Sequence[Message], sizes: Sequence[float], *, keep: float, limit: float) -> int:
    """The index of the first recent message.

    Args:
        messages: the oldest first.
        sizes: tokens of each.
        keep: tokens of recent messages to keep; at least `TAIL_KEEP` messages are, as long as they fit.
        limit: tokens that recent messages may take at most; only the last round may be larger by itself.
    """
    count = len(messages)
    behind = [0.0, *accumulate(reversed(sizes))]  # tokens of the last so many messages
    kept = next((number for number in range(count, -1, -1) if behind[number] <= keep), 0)
    start = aligned(messages, max(0, count - max(kept, TAIL_KEEP)))
    while behind[count - start] > limit:
        following = _next_round(messages, start)
        if following >= count:
            break
        start = following
    return start


def aligned(messages: Sequence[Message], start: int) -> int:
    """The index, moved back to the call whose results it would cut off."""
    while 0 < start < len(messages) and isinstance(messages[start], ToolMessage):
        start -= 1
    return start


def _next_round(messages: Sequence[Message], start: int) -> int:
    """Where the round after the one at an index begins."""
    start += 1
    while start < len(messages) and isinstance(messages[start], ToolMessage):
        start += 1
    return start
