"""Secrets never reach a log, a scratchpad, an export or an error: one redactor, installed once.

It knows two things: the values of keys that were read in this process, and the shapes that keys usually have.
"""

from __future__ import annotations

import logging
import re
from typing import Final

from runtime.core.json import JsonObject, JsonValue

MASK: Final = "[已隐藏]"
_SENSITIVE_NAME: Final = re.compile(
    r"api[_-]?key|(?:^|[_-])token$|[a-z]Token$|password|passwd|secret|authorization|cookie", re.IGNORECASE
)
_SHAPES: Final = re.compile(
    r"""\bsk-[A-Za-z0-9_\-]{8,}            # OpenAI-like and Anthropic keys
    |\bAIza[0-9A-Za-z_\-]{20,}             # Google keys
    |(?i:\bBearer\s+)[A-Za-z0-9._\-]{8,}   # Authorization headers
    |(?i:\b[A-Z0-9_]*API_KEY\s*=\s*)\S+    # shell assignments
    """,
    re.VERBOSE,
)
_MIN_SECRET: Final = 6  # shorter values would blank ordinary words


class Redactor:
    """Replaces secrets in texts and JSON values."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def learn(self, secret: str) -> None:
        """Remember a secret that this process holds, so that it is removed wherever it turns up."""
        if len(secret) >= _MIN_SECRET:
            self._known.add(secret)

    def text(self, text: str) -> str:
        """The text without secrets."""
        for secret in sorted(self._known, key=len, reverse=True):  # a secret may be part of a longer one
            text = text.replace(secret, MASK)
        return _SHAPES.sub(MASK, text)

    def object(self, value: JsonObject) -> JsonObject:
        """The JSON object without secrets: by name of the field, by known value, by shape."""
        return {
            name: MASK
            if _SENSITIVE_NAME.search(name) and isinstance(item, str | list | dict) and item
            else self._value(item)
            for name, item in value.items()
        }

    def _value(self, value: JsonValue) -> JsonValue:
        match value:
            case str():
                return self.text(value)
            case dict():
                return self.object(value)
            case list():
                return [self._value(item) for item in value]
            case _:
                return value


class RedactingFilter(logging.Filter):
    """A logging filter that redacts the finished message, arguments and traceback included."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor
        self._formatter = logging.Formatter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact the record in place and let it pass."""
        try:
            message = record.getMessage()
        except (TypeError, ValueError):  # a library's arguments do not fit its message: keep both as they are
            message = f"{record.msg} {record.args}"
        record.msg = self._redactor.text(message)
        record.args = None
        if record.exc_info:
            record.exc_text = self._redactor.text(self._formatter.formatException(record.exc_info))
        return True
