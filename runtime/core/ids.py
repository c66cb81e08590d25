"""New ids for turns, messages, calls and requests."""

from __future__ import annotations

import uuid


def new_id() -> str:
    """A random id: 32 hexadecimal digits."""
    return uuid.uuid4().hex
