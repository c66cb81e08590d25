"""The time that a run has left. Waiting for the person (approvals, questions) does not count."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from runtime.clock import Clock


class Deadline:
    """A budget of seconds on the monotonic clock that can stand still while a person thinks.

    Args:
        clock: where monotonic time comes from.
        seconds: the budget.
    """

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._end = clock.monotonic() + seconds
        self._paused_since: float | None = None
        self._pauses = 0

    @property
    def remaining(self) -> float:
        """Seconds left, never negative."""
        now = self._clock.monotonic() if self._paused_since is None else self._paused_since
        return max(0.0, self._end - now)

    def cut(self, seconds: float | None) -> float:
        """A time-out of its own, cut to what is left; None means all that is left."""
        return self.remaining if seconds is None else min(seconds, self.remaining)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the clock while a person is asked; nests."""
        if self._pauses == 0:
            self._paused_since = self._clock.monotonic()
        self._pauses += 1
        try:
            yield
        finally:
            self._pauses -= 1
            if self._pauses == 0 and self._paused_since is not None:
                self._end += self._clock.monotonic() - self._paused_since
                self._paused_since = None
