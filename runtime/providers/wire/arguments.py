"""The arguments of a tool call, as servers write them: a JSON text, "" or null for none, an object, a JSON text inside a JSON text.

Always: what is not an object is an error with its position, never `{}`; malformed arguments are never run.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import NoReturn

from runtime.core.json import JsonObject, JsonValue
from runtime.providers.wire.surrogates import well_formed, well_formed_value


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """Exactly one of `args` and `error` is set; the error is for the model."""

    args: JsonObject | None = None
    error: str | None = None


def read_arguments(raw: str | JsonObject) -> Arguments:
    """The arguments of a finished call."""
    try:
        value = raw if isinstance(raw, dict) else _decoded(well_formed(raw))
    except json.JSONDecodeError as problem:
        return Arguments(error=f"{problem.msg}: line {problem.lineno} column {problem.colno} (char {problem.pos})")
    except (ValueError, RecursionError) as problem:
        return Arguments(error=str(problem))
    clean = well_formed_value({} if value is None else value)
    if not isinstance(clean, dict):
        return Arguments(error=f"a JSON object is expected, not {type(value).__name__}: line 1 column 1 (char 0)")
    return Arguments(args=clean)


def _decoded(text: str) -> JsonValue:
    """The value of a JSON text that may be empty, or encoded twice."""
    value = _loads(text) if text.strip() else None
    if isinstance(value, str):
        return _loads(value) if value.strip() else None
    return value


def is_complete(text: str) -> bool:
    """Whether a text is already one whole JSON object."""
    if not text.rstrip().endswith("}"):
        return False
    try:
        return isinstance(_loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _loads(text: str) -> JsonValue:
    # strict=False: some models write raw line breaks inside JSON strings; nothing is guessed by taking them.
    value: JsonValue = json.loads(text, strict=False, parse_constant=_refuse)
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON value")
