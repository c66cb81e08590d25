"""The main job at a real screen: ask, watch, approve each way, stop, close, come back, survive a kill."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable

from desktop.theme import theme
from tests.support.screen import WIDTH, Opened, needs_screen, opened, until
from tests.support.terminal import LIMIT_S, Terminal

pytestmark = needs_screen

BUY = "买入 {} 股 云溪股份 价格 7.7 元"
SIGNATURE = "没有使用语言模型"  # the last line of an answer of the offline analyst
CANDLES = 500  # points of a colour; a few lines of text have fewer
DIALOG = "需要你决定"
SLOW = "0.15"  # seconds between two pieces of the offline analyst's text


def answers(desk: Opened, status: str) -> list[dict[str, object]]:
    """Messages of the assistant in a state."""
    return desk.rows("SELECT body FROM message WHERE role = 'assistant' AND status = ?", status)


def decisions(desk: Opened) -> list[object]:
    """What was decided so far, and by whom."""
    rows = desk.rows("SELECT choice, decided_by FROM approval_log ORDER BY id")
    return [(row["choice"], re.split("[,:]", str(row["decided_by"]))[0]) for row in rows]


def shares(desk: Opened) -> list[object]:
    """Share counts of the recorded trades."""
    return [row["shares"] for row in desk.rows("SELECT shares FROM ledger WHERE symbol = '608101.SIM' ORDER BY id")]


def test_a_newcomer_asks_and_gets_a_verdict_and_finds_it_again(terminal: Terminal, screen: str) -> None:
    with opened(terminal, screen) as desk:
        desk.say("云溪股份现在适合买吗？")
        until(lambda: desk.rows("SELECT * FROM verdict WHERE symbol = '608101.SIM'"))
        until(lambda: any(SIGNATURE in str(row["body"]) for row in answers(desk, "complete")))
        desk.rest()
        colours, market = desk.colours(left=WIDTH - 480), theme("light").market
        assert colours[market.up.name()] > CANDLES  # the chart opened by itself, at the right
        assert colours[market.down.name()] > CANDLES
        desk.press("ctrl+q")
        assert desk.process.wait(LIMIT_S) == 0
    with opened(terminal, screen) as desk:
        desk.say("大盘怎么样？")
        until(lambda: len(desk.rows("SELECT * FROM message WHERE role = 'user'")) == 2)
        # It went on in the conversation that was open, which therefore was there again.
        assert len(desk.rows("SELECT * FROM conversation")) == 1


def test_each_decision_does_what_it_says(terminal: Terminal, screen: str) -> None:
    assert terminal.run("portfolio", "set-cash", "2000000", "--yes").code == 0
    with opened(terminal, screen) as desk:
        desk.say(BUY.format(100))
        decide(desk, lambda _dialog: desk.press("n"))
        until(lambda: decisions(desk) == [("deny", "person")])
        assert shares(desk) == []

        desk.say(BUY.format(200))
        decide(desk, lambda dialog: desk.click(dialog, -64, -34))
        until(lambda: decisions(desk)[1:] == [("allow", "person")])
        until(lambda: shares(desk) == [200])

        desk.say(BUY.format(300))
        decide(desk, lambda _dialog: desk.press("a", "Down", "Return"))
        until(lambda: decisions(desk)[2:] == [("always", "person")])
        desk.say(BUY.format(400))  # of the same kind, in the same conversation: nobody is asked
        until(lambda: shares(desk) == [200, 300, 400])
        assert decisions(desk)[3:] == [("allow", "rule")]


def test_a_changed_write_is_written_as_changed(terminal: Terminal, screen: str) -> None:
    assert terminal.run("portfolio", "set-cash", "2000000", "--yes").code == 0
    with opened(terminal, screen) as desk:
        desk.say(BUY.format(100))
        decide(desk, lambda dialog: change_shares(desk, dialog, "600"))
        until(lambda: shares(desk) == [600])
        assert decisions(desk) == [("modify", "person")]


def change_shares(desk: Opened, dialog: str, wanted: str) -> None:
    """Open the form, whose field of the share count has the focus, type another one and allow that."""
    for _ in range(2):
        desk.rest()  # in its first moment the dialog takes no answer
    desk.press("e")
    desk.press("ctrl+a")
    desk.type(wanted)
    desk.rest()
    desk.click(dialog, -64, -34)


def decide(desk: Opened, act: Callable[[str], None]) -> None:
    """Answer the dialog that opens. It takes no answer in its first moment, so the person tries again while it is there."""
    dialog = desk.window(DIALOG)

    def gone() -> bool:
        if DIALOG in desk.titles():
            act(dialog)
        return DIALOG not in desk.titles()

    until(gone)


def test_escape_stops_the_answer_and_keeps_what_was_there(terminal: Terminal, screen: str) -> None:
    with opened(terminal, screen, WYCKOFF_OFFLINE_PAUSE_S=SLOW) as desk:
        desk.say("云溪股份现在适合买吗？")
        until(lambda: answers(desk, "streaming"))
        desk.press("Escape")
        until(lambda: answers(desk, "stopped"))
        assert not answers(desk, "streaming")


def test_a_kill_in_mid_answer_loses_neither_the_question_nor_the_text(terminal: Terminal, screen: str) -> None:
    with opened(terminal, screen, WYCKOFF_OFFLINE_PAUSE_S=SLOW) as desk:
        desk.say("云溪股份现在适合买吗？")
        until(lambda: answers(desk, "streaming"))
        desk.process.send_signal(signal.SIGKILL)
        desk.process.wait()
        assert desk.rows("SELECT role FROM message")[0]["role"] == "user"
        assert answers(desk, "streaming")
    with opened(terminal, screen) as desk:
        desk.say("大盘怎么样？")
        until(lambda: len(desk.rows("SELECT * FROM message WHERE role = 'user'")) == 2)
        until(lambda: any(SIGNATURE in str(row["body"]) for row in answers(desk, "complete")))


def test_without_a_chinese_font_the_window_says_so_in_english(terminal: Terminal, screen: str) -> None:
    config = terminal.folder / "fonts.conf"
    config.write_text('<?xml version="1.0"?><fontconfig><cachedir>fonts</cachedir></fontconfig>', "utf-8")
    with opened(terminal, screen, FONTCONFIG_FILE=str(config)) as desk:
        until(lambda: "出了问题" in desk.titles())
        assert desk.process.poll() is None


def test_a_second_start_brings_the_first_window_forward(terminal: Terminal, screen: str) -> None:
    with opened(terminal, screen) as desk:
        second = terminal.run(DISPLAY=screen, QT_QPA_PLATFORM="xcb")
        assert second.code == 0, second.err
        assert len([title for title in desk.titles() if "威科夫" in title]) == 1
        assert desk.process.poll() is None
