"""The one asyncio loop of the window, on Qt's event loop. Nothing else imports qasync, so that another bridge could take its place.

PySide6 is imported before qasync and pyqtgraph: both bind to whatever Qt they find first.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Coroutine
from typing import Any, Final

os.environ.setdefault("QT_API", "pyside6")
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")

import asyncio

import PySide6
from PySide6.QtWidgets import QApplication

BROKEN_FROM: Final = (6, 12)  # PySide6 6.12 aborts on Python < 3.12 after some hundred signal emits


def broken_pyside() -> str | None:
    """The version of a PySide6 that would abort on this Python, else None."""
    if sys.version_info < (3, 12) and PySide6.__version_info__[:2] >= BROKEN_FROM:
        return PySide6.__version__
    return None


def loop_factory(app: QApplication) -> Callable[[], asyncio.AbstractEventLoop]:
    """Makes the loop for `asyncio.Runner`."""

    def make() -> asyncio.AbstractEventLoop:
        import qasync

        loop: asyncio.AbstractEventLoop = qasync.QEventLoop(app)
        return loop

    return make


def settle() -> None:
    """Everything is loaded: the garbage collector leaves it alone from now on.

    A full collection over the modules and models of a running window stops it for 130-160 ms, in the middle of an answer.
    """
    gc.freeze()


def run(app: QApplication, main: Coroutine[Any, Any, int]) -> int:
    """Run the window's main coroutine to its end; what is left running is cancelled and waited for."""
    with asyncio.Runner(loop_factory=loop_factory(app)) as runner:
        return runner.run(main)
