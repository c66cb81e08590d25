"""Files of the person: written as a whole or not at all, readable by nobody else, under names that stay inside their folder."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import Final

_PLAIN_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def folder_name(conversation_id: str) -> str:
    """The folder of a conversation: its id where that can be the name of a folder, else a name made of it."""
    if _PLAIN_ID.fullmatch(conversation_id):
        return conversation_id
    return "id-" + hashlib.sha256(conversation_id.encode("utf-8", "replace")).hexdigest()[:32]


def write_private(path: Path, text: str) -> None:
    """Write a file so that a crash leaves either the old or the new one; only its owner can read it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # 0600 from the start
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
