"""Ids for calls that came without one."""

from __future__ import annotations

import secrets
import string
from typing import Final

_ALPHABET: Final = string.ascii_letters + string.digits
_LENGTH: Final = 9  # Mistral takes exactly nine alphanumeric characters


def new_call_id() -> str:
    """An id for a call that came without one."""
    return "call_" + "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
