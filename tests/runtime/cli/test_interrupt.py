"""Ctrl-C and a polite kill: one terminal event, exit code 130, soon; and nothing half-way written."""

from __future__ import annotations

import signal
import sys
import time

import pytest

from tests.support.terminal import BUY, Terminal, command, events_of, kinds, the_one_terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

PROMPT_S = 1.5  # the turn is through within half a second; the rest is the end of the process
PREPARED = 2  # entries of the prepared ledger
QUESTION = "云溪股份现在适合买吗？"
# The command with a market that does not answer: the tool waits until it is cancelled.
SLOW_MARKET = """
import asyncio
from runtime.cli.main import main
from runtime.market.service import MarketData

async def never(*args, **options):
    await asyncio.Event().wait()

MarketData.daily = never
main()
"""
# The command with a Ctrl-C at the one moment at which the turn is known and its task has not begun.
INTERRUPTED_AT_ONCE = """
import signal
from runtime.agent.scratchpad import Scratchpad
from runtime.cli.main import main

begin = Scratchpad.__init__

def interrupted(*args, **options):
    begin(*args, **options)
    signal.raise_signal(signal.SIGINT)

Scratchpad.__init__ = interrupted
main()
"""
BOTH = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])


@BOTH
def test_stops_an_answer_while_it_comes_and_keeps_what_there_is(terminal: Terminal, number: signal.Signals) -> None:
    args = ("ask", QUESTION, "--conversation", "c", "--json")
    with terminal.running(*args, WYCKOFF_OFFLINE_PAUSE_S="0.2") as running:
        running.until("text_delta")
        running.until("text_delta")
        running.send(number)
        sent = time.monotonic()
        ended = running.ended()
        assert time.monotonic() - sent < PROMPT_S
    assert ended.code == 130
    last = the_one_terminal(running.events)
    assert last["kind"] == "cancelled"
    assert str(last["text"]).startswith("**云溪股份")
    assert "Traceback" not in ended.err
    [row] = terminal.rows("SELECT body FROM message WHERE status = 'stopped'")
    assert "**云溪股份" in str(row["body"])


@BOTH
def test_stops_a_tool(terminal: Terminal, number: signal.Signals) -> None:
    program = (sys.executable, "-c", SLOW_MARKET)
    with terminal.running("ask", QUESTION, "--json", program=program) as running:
        while running.until("tool_start")["name"] != "analyze_stock":
            pass
        running.send(number)
        sent = time.monotonic()
        ended = running.ended()
        assert time.monotonic() - sent < PROMPT_S
    assert ended.code == 130
    assert the_one_terminal(running.events)["kind"] == "cancelled"
    assert "Traceback" not in ended.err


@BOTH
def test_stops_while_a_question_waits_and_writes_nothing(desk: Terminal, number: signal.Signals) -> None:
    with desk.running("ask", BUY, "--json") as running:
        running.until("question_asked")
        running.send(number)
        sent = time.monotonic()
        ended = running.ended()
        assert time.monotonic() - sent < PROMPT_S
    assert ended.code == 130
    assert the_one_terminal(running.events)["kind"] == "cancelled"
    assert "question_answered" not in kinds(running.events)
    assert len(desk.ledger()) == PREPARED


def test_control_c_stops_while_an_approval_waits_and_writes_nothing(desk: Terminal) -> None:
    out = desk.folder / "events.ndjson"
    program = ("/bin/sh", "-c", f'exec "$0" "$@" > "{out}"', command())
    with desk.person("ask", BUY, "--json", program=program) as person:
        person.sees("n 拒绝 ›")
        person.presses_control("c")
        sent = time.monotonic()
        assert person.ends() == 130
        assert time.monotonic() - sent < PROMPT_S
    assert the_one_terminal(events_of(out.read_text("utf-8")))["kind"] == "cancelled"
    assert len(desk.ledger()) == PREPARED
    assert desk.rows("SELECT * FROM approval_log WHERE choice NOT IN ('unanswered')") == []


def test_control_c_in_a_chat_stops_the_answer_and_not_the_chat(terminal: Terminal) -> None:
    with terminal.person("chat", "--conversation", "talk", WYCKOFF_OFFLINE_PAUSE_S="0.2") as person:
        person.sees("› ")
        person.types(QUESTION)
        person.sees("**云溪")
        person.presses_control("c")
        person.sees("已停止")
        person.sees("› ")
        person.types("/exit")
        assert person.ends() == 0


def test_the_conversation_is_free_after_a_stop_and_busy_during_a_turn(terminal: Terminal) -> None:
    args = ("ask", QUESTION, "--conversation", "c", "--json")
    with terminal.running(*args, WYCKOFF_OFFLINE_PAUSE_S="0.2") as running:
        running.until("text_delta")
        busy = terminal.run("ask", "大盘怎么样", "--conversation", "c", "--json")
        running.send(signal.SIGINT)
        running.ended()
    free = terminal.run("ask", "大盘怎么样", "--conversation", "c", "--json")
    assert (busy.code, the_one_terminal(busy.events)["kind"]) == (1, "failed")
    assert "正在另一个窗口或终端里运行" in str(busy.events[-1]["message"])
    assert (free.code, the_one_terminal(free.events)["kind"]) == (0, "done")


def test_an_interrupt_in_the_instant_before_a_turn_starts_ends_it_all_the_same(terminal: Terminal) -> None:
    with terminal.running("ask", QUESTION, "--json", program=(sys.executable, "-c", INTERRUPTED_AT_ONCE)) as running:
        ended = running.ended()
    assert ended.code == 130
    assert the_one_terminal(running.events)["kind"] == "cancelled"
