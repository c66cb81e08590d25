"""A try that broke off: what it said goes when another answer begins, its notice stays, and two answers are never glued together."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel

from desktop.chat.cards import NoticeCard
from desktop.chat.fold import ThinkingFold
from desktop.chat.text_view import TextView
from desktop.desk import Desk
from desktop.viewmodels.parts import NoticePart, TextPart
from runtime.paths import Home
from runtime.providers.base import ProviderError, TextChunk, ThinkingChunk
from tests.desktop.conftest import Run
from tests.support.scripted import Hang, ScriptedProvider, calls, think_and_say
from tests.support.scripted import call as tool_call
from tests.support.windows import ended, open_window, say, until

CARET = "▍"
BROKEN = (ThinkingChunk(text="先想错的"), TextChunk(text="说到一半"))


@pytest.fixture(autouse=True)
def _retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WYCKOFF_MODEL_RETRIES", "1")
    monkeypatch.setenv("WYCKOFF_RETRY_WAIT_S", "0.001")


def cut_off() -> ProviderError:
    return ProviderError("incomplete", retryable=True, model="scripted")


def texts(desk: Desk) -> list[str]:
    """The visible text of the answer, block by block, without the caret of an open one."""
    return [
        view.toPlainText().rstrip(CARET) for view in desk.window.transcript.findChildren(TextView) if view.isVisible()
    ]


def folds(desk: Desk) -> list[str]:
    """The visible reasoning."""
    shown = [fold for fold in desk.window.transcript.findChildren(ThinkingFold) if fold.isVisible()]
    return [fold._part.text for fold in shown]


def notices(desk: Desk) -> list[str]:
    """The visible notes."""
    cards = [card for card in desk.window.transcript.findChildren(NoticeCard) if card.isVisible()]
    return [label.text() for card in cards for label in card.findChildren(QLabel) if label.text()]


def test_what_a_broken_try_said_and_thought_goes_and_the_notice_stays(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        model = ScriptedProvider((*BROKEN, cut_off()), think_and_say("想对了", "完整的回答。"))
        async with open_window(home, model) as desk:
            say(desk, "怎么看")
            await ended(desk)
            await until(lambda: texts(desk) == ["完整的回答。"])
            assert folds(desk) == ["想对了"]
            assert [note for note in notices(desk) if "没有说完就断了" in note and "重试" in note]
            turn = desk.transcript.turns[0]
            assert [part.text for part in turn.parts if isinstance(part, TextPart)] == ["完整的回答。"]
            assert len([part for part in turn.parts if isinstance(part, NoticePart)]) == 1
            model.assert_used_up()

    on_loop(scenario())


def test_the_half_answer_stands_until_the_next_one_begins_and_is_never_glued_to_it(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        silent, speaking = Hang(), Hang()
        model = ScriptedProvider((*BROKEN, cut_off()), (silent,))
        async with open_window(home, model) as desk:
            say(desk, "怎么看")
            await silent.reached.wait()
            await until(lambda: texts(desk) == ["说到一半"] and notices(desk))
            assert folds(desk) == ["先想错的"]
            desk.chat.stop()
            await ended(desk)
            model._replies += [(*BROKEN, cut_off()), (TextChunk(text="另一个"), speaking)]
            say(desk, "再来")
            await speaking.reached.wait()
            await until(lambda: "另一个" in texts(desk))
            assert not [text for text in texts(desk) if "说到一半" in text and "另一个" in text]
            assert texts(desk).count("说到一半") == 1  # the stopped turn above keeps its own
            desk.chat.stop()
            await ended(desk)

    on_loop(scenario())


def test_what_came_before_the_tools_of_the_turn_is_not_taken_away(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        model = ScriptedProvider(
            calls(tool_call("get_market_overview", {}), text="先看大盘。"),
            (*BROKEN, cut_off()),
            think_and_say("看过了", "大盘在区间里。"),
        )
        async with open_window(home, model) as desk:
            say(desk, "大盘怎么样")
            await ended(desk)
            await until(lambda: texts(desk) == ["先看大盘。", "大盘在区间里。"])
            assert folds(desk) == ["看过了"]
            await desk.chat.open(desk.chat.conversation_id)
            await until(lambda: texts(desk) == ["先看大盘。", "大盘在区间里。"])

    on_loop(scenario())
