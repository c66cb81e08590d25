"""The `wyckoff` command as people and programs use it: a real process on a home of its own, with or without a terminal.

Nothing of the machine gets in: no key, no proxy, no keyring, a clock that stands still, a fixed width.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from runtime.core.json import JsonObject, JsonValue, loads_object
from tests.support.person import Person

NOW: Final = "2026-07-01T20:00"  # the evening after the sample market's last day
LIMIT_S: Final = 30.0  # no command of a test runs longer
TERMINALS: Final = ("done", "cancelled", "failed")
BUY: Final = "买入 1000 股 云溪股份 价格 7.7 元"


def command() -> str:
    """The installed command."""
    found = shutil.which("wyckoff", path=str(Path(sys.executable).parent))
    if found is None:
        raise FileNotFoundError("the command `wyckoff` is not installed beside this Python")
    return found


def events_of(text: str) -> list[JsonObject]:
    """The objects of NDJSON."""
    return [loads_object(line) for line in text.splitlines()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A command that ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> JsonObject:
        """The one object on standard output."""
        assert self.out.count("\n") == 1, self.out + self.err
        return loads_object(self.out)

    @property
    def data(self) -> JsonObject:
        """`data` of the one object, which must be ok."""
        value = self.json
        assert value["ok"] is True, value
        assert isinstance(value["data"], dict)
        return value["data"]

    @property
    def message(self) -> str:
        """The message of the one object, which must not be ok."""
        value = self.json
        assert value["ok"] is False, value
        assert isinstance(value["error"], dict)
        return str(value["error"]["message"])

    @property
    def events(self) -> list[JsonObject]:
        """The events on standard output."""
        return events_of(self.out)


@dataclass(slots=True, kw_only=True)
class Running:
    """A command with `--json` that runs."""

    process: subprocess.Popen[str]
    events: list[JsonObject] = field(default_factory=list)
    arrived: list[float] = field(default_factory=list)

    def until(self, kind: str) -> JsonObject:
        """Read events until one of this kind."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.events.append(loads_object(line))
            self.arrived.append(time.monotonic())
            if self.events[-1]["kind"] == kind:
                return self.events[-1]
        raise AssertionError(f"the command ended without {kind}: {self.events[-3:]}")

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    def ended(self) -> Ended:
        """Wait for the end; what was read before counts."""
        out, err = self.process.communicate()
        self.events += events_of(out)
        return Ended(code=self.process.returncode, out=out, err=err)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """Runs commands on one home.

    Attributes:
        home: the folder of `WYCKOFF_HOME`.
        folder: where commands run.
    """

    home: Path
    folder: Path

    def run(self, *args: str, stdin: str | None = None, **variables: str) -> Ended:
        """Run a command to its end; without `stdin` standard input is at its end from the start."""
        done = subprocess.run(
            [command(), *args],
            env=self._environment(variables),
            cwd=self.folder,
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT_S,
            check=False,
            **({"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}),
        )
        return Ended(code=done.returncode, out=done.stdout, err=done.stderr)

    def together(self, *commands: Sequence[str]) -> list[Ended]:
        """Run commands that do not touch each other at the same time; the results in their order."""
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            return list(pool.map(lambda args: self.run(*args), commands))

    @contextmanager
    def running(
        self, *args: str, program: Sequence[str] | None = None, limit_s: float = LIMIT_S, **variables: str
    ) -> Iterator[Running]:
        """Start a command whose standard input stays open; it is gone when the block ends."""
        process = subprocess.Popen(
            [*(program or [command()]), *args],
            env=self._environment(variables),
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        watchdog = threading.Timer(limit_s, process.kill)
        watchdog.start()
        try:
            yield Running(process=process)
        finally:
            watchdog.cancel()
            watchdog.join()
            process.kill()
            process.communicate()

    @contextmanager
    def person(self, *args: str, program: Sequence[str] | None = None, **variables: str) -> Iterator[Person]:
        """Start a command in a pseudo-terminal; it is gone when the block ends."""
        import pexpect

        screen = io.StringIO()
        first, *rest = [*(program or [command()]), *args]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # forkpty beside threads; the child only execs
            child = pexpect.spawn(
                first, rest, env=self._environment(variables), cwd=self.folder, encoding="utf-8", timeout=LIMIT_S / 2
            )
        child.logfile_read = screen
        child.delaybeforesend = None
        try:
            yield Person(child, screen)
        finally:
            child.close(force=True)

    def rows(self, statement: str, *values: str | int) -> list[JsonObject]:
        """Rows of `desk.db`, which another process may be writing."""
        with closing(sqlite3.connect(self.home / "desk.db")) as database:
            database.row_factory = sqlite3.Row
            return [dict(row) for row in database.execute(statement, values)]

    def ledger(self) -> list[JsonObject]:
        """All entries of the portfolio, oldest first."""
        return self.rows("SELECT * FROM ledger ORDER BY id")

    def everything_written(self) -> bytes:
        """The bytes of all files of the home, one after the other."""
        return b"".join(path.read_bytes() for path in sorted(self.home.rglob("*")) if path.is_file())

    def _environment(self, variables: dict[str, str]) -> dict[str, str]:
        """The environment of a command: the machine's without what could change what is tested."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.upper().startswith(("WYCKOFF_", "PYTEST_", "PYTHON"))
            and not name.upper().endswith(("_API_KEY", "_PROXY"))
        }
        fixed = {
            "WYCKOFF_HOME": str(self.home),
            "WYCKOFF_NOW": NOW,
            "WYCKOFF_OFFLINE_PAUSE_S": "0.000001",
            "WYCKOFF_MODEL_RETRIES": "0",
            "PYTHONUTF8": "1",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
            "TERM": "dumb",
            "COLUMNS": "160",
            "LINES": "50",
        }
        return kept | fixed | variables


def kinds(events: list[JsonObject]) -> list[JsonValue]:
    """The kinds of events, in order."""
    return [event["kind"] for event in events]


def the_one_terminal(events: list[JsonObject]) -> JsonObject:
    """The terminal event, which must be the last and the only one."""
    found = [event for event in events if event["kind"] in TERMINALS]
    assert len(found) == 1, kinds(events)
    assert events[-1] is found[0], kinds(events)
    return found[0]
