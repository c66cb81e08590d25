"""What a model wants to be sent, by its name."""

from __future__ import annotations

import hashlib
import re
from typing import Final, Literal, TypeAlias

ThinkingStyle: TypeAlias = Literal["adaptive", "manual", "none"]

THINKING_BUDGET: Final = 4096  # tokens, for models that want a number
MAX_OUTPUT: Final = 16_384  # tokens of an answer, thinking included; every Claude since 3.7 takes it
_OLD_MAX_OUTPUT: Final = 8_192
_OLDEST_MAX_OUTPUT: Final = 4_096

_OLDEST: Final = re.compile(r"claude-(2|instant|3-(opus|sonnet|haiku))")
_OLD: Final = re.compile(r"claude-3")
_MANUAL: Final = re.compile(r"claude-(3-7|(opus|sonnet|haiku)-4(-[0-5])?(-2\d{7}|@2\d{7}|-latest|$))")
_CLAUDE: Final = re.compile(r"claude")
_CALL_ID: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def max_output_of(model: str) -> int:
    """The longest answer in tokens to ask for."""
    name = model.lower()
    if _MANUAL.search(name):
        return MAX_OUTPUT
    if _OLDEST.search(name):
        return _OLDEST_MAX_OUTPUT
    return _OLD_MAX_OUTPUT if _OLD.search(name) else MAX_OUTPUT


def thinking_style_of(model: str) -> ThinkingStyle:
    """How thinking is asked for; services that only speak the same API think as they like."""
    name = model.lower()
    if _MANUAL.search(name):
        return "manual"
    if _OLD.search(name) or _OLDEST.search(name) or not _CLAUDE.search(name):
        return "none"
    return "adaptive"


def wire_call_id(call_id: str) -> str:
    """The id of a call in the form that the API takes; the same id always gives the same form."""
    if _CALL_ID.fullmatch(call_id):
        return call_id
    return f"call_{hashlib.sha256(call_id.encode('utf-8', 'replace')).hexdigest()[:24]}"
