"""Somebody at a pseudo-terminal: sees what is printed, types lines, presses keys, closes the window."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pexpect


class Person:
    """Somebody at a terminal.

    Args:
        child: the command in its pseudo-terminal.
        screen: everything that it printed.
    """

    def __init__(self, child: pexpect.spawn, screen: io.StringIO) -> None:
        self._child = child
        self._screen = screen

    @property
    def pid(self) -> int:
        """The process."""
        return int(self._child.pid)

    @property
    def screen(self) -> str:
        """Everything that was shown so far."""
        return self._screen.getvalue().replace("\r\n", "\n")

    def sees(self, text: str) -> str:
        """Wait for a text; returns what was shown before it since the last one."""
        self._child.expect_exact(text)
        return str(self._child.before).replace("\r\n", "\n")

    def types(self, line: str) -> None:
        """Type a line."""
        self._child.sendline(line)

    def presses_control(self, letter: str) -> None:
        """Press Ctrl and a letter."""
        self._child.sendcontrol(letter)

    def closes_the_terminal(self) -> None:
        """Close the window of the terminal and wait until the command is gone."""
        self._child.close(force=False)

    def ends(self) -> int:
        """Wait for the end; returns the exit code."""
        import pexpect

        self._child.expect(pexpect.EOF)
        self._child.close()
        return int(self._child.exitstatus if self._child.exitstatus is not None else -self._child.signalstatus)
