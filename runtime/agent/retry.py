"""When a failed model call is made again, and by whom.

Only what may pass by itself is tried again: limits, time-outs, connections, servers. Wrong keys, empty accounts, unknown models, a full
context and refused requests are the person's to mend, and no other model is asked in their place.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from runtime.providers.base import ProviderError
from runtime.settings import Settings

Step: TypeAlias = Literal["again", "next", "give_up"]

_GROWTH: Final = 3.0  # each wait is so many times the one before
_SLOW: Final = ("timeout",)  # tried once more at most: each try takes a minute


def next_step(error: ProviderError, tries: int, settings: Settings, *, others: bool) -> Step:
    """What follows a failed call.

    Args:
        error: why it failed.
        tries: how often the same model failed in a row, this time included.
        settings: limits.
        others: whether another model may take over.
    """
    if not error.retryable:
        return "give_up"
    most = settings.model_retries
    if others or error.category in _SLOW:
        most = min(most, 1)
    impatient = others and error.category in (*_SLOW, "rate_limit") and not error.retry_after_s
    if tries <= most and not impatient and wait_s(error, tries, settings) <= settings.longest_retry_wait_s:
        return "again"
    return "next" if others else "give_up"


def wait_s(error: ProviderError, tries: int, settings: Settings) -> float:
    """How long to wait before the same model is asked again: what the vendor asks for, else growing steps."""
    if error.retry_after_s is not None:
        return error.retry_after_s
    return settings.retry_wait_s * _GROWTH ** (tries - 1)
