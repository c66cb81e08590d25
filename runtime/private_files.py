"""Files of the person: written as a whole or not at all, readable by nobody else."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


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
