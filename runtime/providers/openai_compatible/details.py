"""Signed reasoning of gateways (`reasoning_details` of OpenRouter): kept whole while it streams, sent back as it came.

The vendor behind the gateway wants its own signature back in the next round of tools.
"""

from __future__ import annotations

from runtime.core.json import JsonObject, JsonValue, dumps, loads
from runtime.core.messages import AssistantMessage, ThinkingPart


class SignedReasoning:
    """Collects the deltas of `reasoning_details`."""

    def __init__(self) -> None:
        self._details: dict[str, JsonObject] = {}

    def feed(self, value: JsonValue) -> None:
        """Take in the details of one delta: pieces of one entry carry the same index."""
        for item in value if isinstance(value, list) else []:
            if isinstance(item, dict):
                self._join(item)

    @property
    def signature(self) -> str | None:
        """The entries as the text that a reasoning part carries; None when nobody signed anything."""
        signed = any(entry.get("signature") or entry.get("data") for entry in self._details.values())
        return dumps([*self._details.values()]) if signed else None

    def _join(self, item: JsonObject) -> None:
        at = f"{item.get('index', len(self._details))} {item.get('type', '')}"
        entry = self._details.setdefault(at, {})
        for name, value in item.items():
            before = entry.get(name)
            grows = name in ("text", "summary") and isinstance(before, str) and isinstance(value, str)
            entry[name] = f"{before}{value}" if grows else value if value is not None else before


def details_back(message: AssistantMessage, name: str) -> list[JsonValue]:
    """The signed entries of an answer, if the model of this name gave it."""
    parts = (part for part in message.parts if isinstance(part, ThinkingPart) and part.provider == name)
    signature = next((part.signature for part in parts if part.signature), None)
    try:
        value = loads(signature) if signature else None
    except ValueError:
        return []
    return value if isinstance(value, list) else []
