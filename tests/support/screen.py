"""A screen of its own, and a person at it: real key and mouse events through the X server, into the real program."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import pytest

from tests.support.terminal import LIMIT_S, Terminal

T = TypeVar("T")
STEP_S: Final = 0.05  # how often another process is looked at
SESSION_S: Final = 120.0  # no program of a test is open longer
REST_S: Final = 0.3  # a program that used no processor for so long has nothing to do
WIDTH, HEIGHT = 1440, 900
PICTURE: Final = """
import sys
from PySide6.QtGui import QGuiApplication
app = QGuiApplication(sys.argv[:1])
image = app.primaryScreen().grabWindow(0).toImage()
for y in range(image.height()):
    print(*(image.pixelColor(x, y).name() for x in range(int(sys.argv[1]), image.width())))
"""

needs_screen = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("Xvfb") is None or shutil.which("xdotool") is None,
    reason="needs the Debian packages xvfb and xdotool",
)


@contextmanager
def virtual_screen() -> Iterator[str]:
    """The name of a new display; the server is gone when the block ends."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        assert number, "the X server did not start"
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()


def until(condition: Callable[[], T], step_s: float = STEP_S) -> T:
    """What `condition` gives as soon as that is true; another process brings it about."""
    never = threading.Event()
    for _ in range(int(LIMIT_S / step_s)):
        found = condition()
        if found:
            return found
        never.wait(step_s)
    raise AssertionError(f"did not happen within {LIMIT_S} s")


@dataclass(slots=True, kw_only=True)
class Opened:
    """The running program, its windows, and the person's hands."""

    process: subprocess.Popen[str]
    display: str
    terminal: Terminal

    def window(self, title: str) -> str:
        """The number of the visible window whose title holds a text, with the keyboard on it."""
        found = until(lambda: self._do("search", "--onlyvisible", "--name", title).split())[-1]
        self._do("windowfocus", "--sync", found)
        return found

    def titles(self) -> list[str]:
        """The titles of all visible windows."""
        return [self._do("getwindowname", found).strip() for found in self._do("search", "--onlyvisible", ".").split()]

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        self._do("key", *keys)

    def type(self, text: str) -> None:
        """Type a text."""
        self._do("type", "--delay", "40", text)

    def click(self, window: str, x: int, y: int) -> None:
        """Click at a place in a window; a negative place counts from the right or from the bottom."""
        lines = self._do("getwindowgeometry", "--shell", window).splitlines()
        size = dict(line.split("=") for line in lines)
        across = x if x >= 0 else int(size["WIDTH"]) + x
        down = y if y >= 0 else int(size["HEIGHT"]) + y
        self._do("mousemove", "--window", window, str(across), str(down), "click", "1")

    def rest(self) -> None:
        """Wait until the program has nothing to do.

        Han characters are typed by keys that are renamed for a moment; a busy program reads them too late.
        """
        used = -2

        def resting() -> bool:
            nonlocal used
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
            before, used = used, int(fields[11]) + int(fields[12])
            return used - before <= 1

        until(resting, REST_S)

    def say(self, text: str) -> None:
        """Type a message into the composer and send it."""
        self.rest()
        self.click(self.window("威科夫"), WIDTH // 2, -90)
        self.press("ctrl+a")
        self.type(text)
        self.press("Return")

    def colours(self, left: int) -> Counter[str]:
        """How often each colour stands on the screen, right of a column."""
        done = subprocess.run(
            [sys.executable, "-c", PICTURE, str(left)],
            env=os.environ | {"DISPLAY": self.display, "QT_QPA_PLATFORM": "xcb"},
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT_S,
        )
        return Counter(done.stdout.split())

    def rows(self, statement: str, *values: str | int) -> list[dict[str, object]]:
        """Rows of the home's database; none before the program has made it."""
        exists = "SELECT 1 FROM sqlite_master WHERE name = 'verdict'"
        if not (self.terminal.home / "desk.db").exists() or not self.terminal.rows(exists):
            return []
        return [dict(row) for row in self.terminal.rows(statement, *values)]

    def _do(self, *args: str) -> str:
        done = subprocess.run(
            ["xdotool", *args],
            env=os.environ | {"DISPLAY": self.display},
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
        return done.stdout


@contextmanager
def opened(terminal: Terminal, display: str, **variables: str) -> Iterator[Opened]:
    """The program on a home and a screen; it is gone when the block ends."""
    with terminal.running(limit_s=SESSION_S, DISPLAY=display, QT_QPA_PLATFORM="xcb", **variables) as running:
        program = Opened(process=running.process, display=display, terminal=terminal)
        program.window("威科夫")
        yield program
