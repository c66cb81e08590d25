"""What the marks in front of a stock's name say: special treatment, a new listing, an ex-rights day."""

from __future__ import annotations

import re
from typing import Final

_ST: Final = re.compile(r"^(?:XD|XR|DR|S)?\*?ST(?![A-Z])")
_NEW: Final = re.compile(r"^[NC](?=[^\x00-\x7f])")  # N on the listing day, C while there is no limit
_EX_RIGHTS: Final = re.compile(r"^(?:XD|XR|DR)")


def is_special_treatment(name: str) -> bool:
    """Whether the name carries ST or *ST."""
    return _ST.match(name.upper()) is not None


def is_new_listing(name: str) -> bool:
    """Whether the name carries the N or C of the first sessions."""
    return _NEW.match(name.upper()) is not None


def is_ex_rights(name: str) -> bool:
    """Whether the name carries XD, XR or DR: limits are then taken from a reference price, not from the previous close."""
    return _EX_RIGHTS.match(name.upper()) is not None
