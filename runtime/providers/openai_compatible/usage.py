"""Token counts in every notation that endpoints use, as one `Usage`: input counts fresh tokens only."""

from __future__ import annotations

import math

from runtime.core.json import JsonObject, JsonValue
from runtime.core.messages import Usage


def usage_of(chunk: JsonObject) -> Usage | None:
    """The usage that a chunk carries: at its top, under `x_groq`, or in its choice (Moonshot)."""
    places: list[JsonValue] = [chunk.get("usage")]
    groq = chunk.get("x_groq")
    if isinstance(groq, dict):
        places.append(groq.get("usage"))
    choices = chunk.get("choices")
    if isinstance(choices, list):
        places += [choice.get("usage") for choice in choices if isinstance(choice, dict)]
    for place in places:
        if isinstance(place, dict) and place:
            return _normalised(place)
    return None


def _normalised(usage: JsonObject) -> Usage | None:
    prompt = _count(usage, "prompt_tokens", "input_tokens")
    output = _count(usage, "completion_tokens", "output_tokens")
    if prompt is None and output is None:
        return None
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    details = details if isinstance(details, dict) else {}
    total = prompt or 0
    # DeepSeek's own count comes first: gateways add the other one, and not always the same.
    read = _count(usage, "prompt_cache_hit_tokens") or _count(details, "cached_tokens")
    if read is None:
        read = _count(usage, "cached_tokens", "cache_read_input_tokens")
    write = _count(details, "cache_write_tokens", "cache_creation_tokens")
    if write is None:
        write = _count(usage, "cache_creation_input_tokens", "cache_write_tokens")
    read = min(read or 0, total)
    write = min(write or 0, total - read)
    return Usage(input=total - read - write, output=output or 0, cache_read=read, cache_write=write)


def _count(table: JsonObject, *names: str) -> int | None:
    for name in names:
        value = table.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0:
            return int(value)
    return None
