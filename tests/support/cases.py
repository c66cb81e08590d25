"""Observed behaviour that no part of this project wrote, read where it lies; tests that need it are skipped where it is absent."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from runtime.core.json import JsonObject, JsonValue
from tests.support.replay import SHARED

_FILE = SHARED / "cases" / "runtime.json"

needs_cases = pytest.mark.skipif(not _FILE.is_file(), reason=f"no observed cases at {_FILE}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One observation: what went in, what came out."""

    id: str
    input: JsonObject
    expected: JsonValue


def cases_of(area: str) -> list[Case]:
    """The observations of one area; none where the file is absent."""
    return [
        Case(id=str(item["id"]), input=item["input"], expected=item["expected"])
        for item in _all()
        if item["area"] == area
    ]


@cache
def _all() -> list[dict[str, Any]]:
    if not _FILE.is_file():
        return []
    found: list[dict[str, Any]] = json.loads(_FILE.read_text("utf-8"))
    return found
