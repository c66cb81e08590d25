"""The log file of a home: rotated, and redacted at the handler so that nothing gets past it."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from typing import Final

from runtime.paths import Home
from runtime.redact import RedactingFilter, Redactor

MAX_BYTES: Final = 2_000_000
KEPT_FILES: Final = 3


def install_logging(home: Home, redactor: Redactor) -> logging.Handler:
    """Send the program's own log, and warnings of libraries, to the home's log file; returns the handler, to remove it again."""
    home.log_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handler = RotatingFileHandler(
        home.log_file, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8", delay=True
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    handler.addFilter(RedactingFilter(redactor))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("runtime").setLevel(logging.INFO)
    return handler
