"""Lines from standard input that an asyncio program can wait for and stop waiting for."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import deque
from typing import Final

CHUNK: Final = 4096


class StdinLines:
    """Standard input, line by line. Cancelling a wait loses nothing: what was typed stays for the next one."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque()
        self._rest = b""
        self._closed = sys.stdin is None
        self._thread: threading.Thread | None = None
        self._arrived = asyncio.Event()

    async def read(self) -> str | None:
        """The next line without its end; None when standard input is closed."""
        while not self._lines:
            if self._closed:
                return None
            await self._wait()
        return self._lines.popleft()

    async def _wait(self) -> None:
        """Wait for more input without blocking the loop."""
        if sys.platform == "win32":
            await self._wait_thread()
            return
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        descriptor = sys.stdin.fileno()
        try:
            loop.add_reader(descriptor, ready.set)
        except PermissionError:  # a plain file or the null device is always ready
            self._take(os.read(descriptor, CHUNK))
            return
        try:
            await ready.wait()
        finally:
            loop.remove_reader(descriptor)
        self._take(os.read(descriptor, CHUNK))

    def _take(self, data: bytes) -> None:
        if not data:
            self._closed = True
            if self._rest:
                self._lines.append(self._rest.decode("utf-8", "replace"))
                self._rest = b""
            return
        *whole, self._rest = (self._rest + data).split(b"\n")
        self._lines.extend(line.decode("utf-8", "replace").rstrip("\r") for line in whole)

    async def _wait_thread(self) -> None:
        """Windows: consoles cannot be polled; one daemon thread reads a line, and dies with the process."""
        loop = asyncio.get_running_loop()
        if self._thread is None:
            self._arrived = asyncio.Event()
            arrived = self._arrived

            def read() -> None:
                line = sys.stdin.readline()
                loop.call_soon_threadsafe(self._take_line, line, arrived)

            self._thread = threading.Thread(target=read, daemon=True, name="stdin")
            self._thread.start()
        await self._arrived.wait()

    def _take_line(self, line: str, arrived: asyncio.Event) -> None:
        self._thread = None
        if line:
            self._lines.append(line.rstrip("\r\n"))
        else:
            self._closed = True
        arrived.set()
