"""A process that dies in the middle of an answer: what was said is kept, and the conversation goes on."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from runtime.core.json import JsonObject, loads_object
from tests.support.terminal import Terminal, events_of, the_one_terminal

QUESTION = "云溪股份现在适合买吗？"
CHECKPOINT_S = 1.0  # a half answer is written at least this often
SLACK_S = 0.4  # for the write itself and the pipe
SPOKEN_S = 2.2  # how long the answer runs before the end: two checkpoints


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed:
    """A turn that was killed while the answer came."""

    terminal: Terminal
    events: list[JsonObject]
    arrived: list[float]
    killed_at: float

    def heard_until(self, moment: float) -> str:
        """The text that had arrived by a moment."""
        pairs = zip(self.events, self.arrived, strict=True)
        return "".join(str(event["text"]) for event, at in pairs if event["kind"] == "text_delta" and at <= moment)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    """`kill -9` some seconds into the text."""
    folder = tmp_path_factory.mktemp("killed")
    terminal = Terminal(home=folder / "home", folder=folder)
    args = ("ask", QUESTION, "--conversation", "c", "--json")
    with terminal.running(*args, WYCKOFF_OFFLINE_PAUSE_S="0.05") as running:
        running.until("text_delta")
        first = running.arrived[-1]
        while running.arrived[-1] < first + SPOKEN_S:
            running.until("text_delta")
        running.process.kill()
        killed_at = time.monotonic()
        running.process.wait()
    return Killed(terminal=terminal, events=running.events, arrived=running.arrived, killed_at=killed_at)


def test_the_question_is_kept(killed: Killed) -> None:
    [row] = killed.terminal.rows("SELECT body FROM message WHERE role = 'user' ORDER BY created_at, rowid LIMIT 1")
    assert loads_object(str(row["body"]))["text"] == QUESTION


def test_the_text_up_to_about_a_second_before_the_end_is_kept(killed: Killed) -> None:
    bodies = [loads_object(str(row["body"])) for row in killed.terminal.rows("SELECT body FROM message ORDER BY rowid")]
    parts = [part for body in bodies for part in (body.get("parts") or []) if isinstance(part, dict)]  # type: ignore[union-attr]
    kept = "".join(str(part["text"]) for part in parts if part.get("kind") == "text")
    expected = killed.heard_until(killed.killed_at - CHECKPOINT_S - SLACK_S)
    assert len(expected) > 50
    assert kept.startswith(expected)
    assert killed.heard_until(killed.killed_at).startswith(kept[: len(expected)])


def test_the_trace_can_be_read_up_to_the_last_step(killed: Killed) -> None:
    shown = killed.terminal.run("scratchpad", "show", "last", "--json")
    assert shown.code == 0
    seen = [event["kind"] for event in events_of(shown.out)]
    assert seen[0] == "turn_start"
    assert "verdict" in seen
    assert "done" not in seen


def test_the_next_turn_of_the_conversation_works_and_knows_what_it_was_about(killed: Killed) -> None:
    ended = killed.terminal.run("ask", "那止损放哪里？", "--conversation", "c", "--json")
    assert ended.code == 0
    assert "止损 5.83 元" in str(the_one_terminal(ended.events)["text"])
    assert killed.terminal.rows("SELECT * FROM message WHERE status = 'streaming'") == []
