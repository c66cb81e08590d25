"""Token counts of the Messages API: fresh, read from the cache and written to it stand apart already."""

from __future__ import annotations

from runtime.core.json import JsonObject, JsonValue
from runtime.core.messages import Usage


class UsageCount:
    """Counts that come in pieces: some with the first event, some with the last; a later one replaces an earlier one."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._counts)

    def take(self, usage: JsonValue) -> bool:
        """Take in a `usage` object; returns whether anything changed."""
        before = dict(self._counts)
        table: JsonObject = usage if isinstance(usage, dict) else {}
        for name in ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"):
            value = table.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
                self._counts[name] = int(value)
        return self._counts != before

    @property
    def usage(self) -> Usage:
        """The counts so far."""
        return Usage(
            input=self._counts.get("input_tokens", 0),
            output=self._counts.get("output_tokens", 0),
            cache_read=self._counts.get("cache_read_input_tokens", 0),
            cache_write=self._counts.get("cache_creation_input_tokens", 0),
        )
