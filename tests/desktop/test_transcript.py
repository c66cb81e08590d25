"""The transcript: it follows only a reader who is at the end, versions stay side by side, and what is stored is always shown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox, QPushButton, QScrollBar, QToolButton

from desktop.chat.action_row import VersionStepper
from desktop.chat.cards import NoticeCard
from desktop.chat.text_view import TextView
from desktop.chat.transcript_view import PAGE
from desktop.desk import Desk
from desktop.viewmodels.parts import NoticePart
from runtime.core.messages import AssistantMessage, UserMessage
from runtime.core.messages import TextPart as StoredText
from runtime.paths import Home
from runtime.providers.base import FinishChunk, ProviderError, TextChunk
from tests.desktop.conftest import Run
from tests.support.desks import open_desk
from tests.support.scripted import Hang, ScriptedProvider
from tests.support.scripted import say as answer
from tests.support.windows import child, click, ended, open_window, say, until

LONG_TEXT = "\n\n".join(f"第 {number} 段：供给在减少，需求还没有进来。" for number in range(60))
CONVERSATION = "c1"


async def store_turns(home: Home, count: int, status: str = "complete") -> list[str]:
    """A stored conversation of short turns; returns the ids of its messages."""
    ids: list[str] = []
    async with open_desk(home) as workspace:
        store = workspace.stores.conversations
        await store.open(CONVERSATION, "存好的对话")
        parent: str | None = None
        for number in range(count):
            said = await store.append(CONVERSATION, parent, f"t{number}", UserMessage(text=f"第 {number} 问"))
            last = number == count - 1
            body = AssistantMessage(parts=(StoredText(text=f"第 {number} 答。\n\n" + "还在区间里。\n\n" * 3),))
            reply = await store.append(
                CONVERSATION,
                said.id,
                f"t{number}",
                body,
                "streaming" if last and status == "streaming" else "complete",
            )
            parent = reply.id
            ids += [said.id, reply.id]
    return ids


def bar_of(desk: Desk) -> QScrollBar:
    return desk.window.transcript.verticalScrollBar()


def shown_versions(desk: Desk) -> list[str]:
    return [item.text for item in desk.window.transcript.findChildren(VersionStepper) if item.isVisible()]


def shown_texts(desk: Desk) -> list[str]:
    return sorted(view.toPlainText() for view in desk.window.transcript.findChildren(TextView) if view.isVisible())


def test_new_text_is_followed_only_while_the_reader_is_at_the_end(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        first, second = Hang(), Hang()
        model = ScriptedProvider(
            answer(LONG_TEXT),
            (TextChunk(text=LONG_TEXT), first, TextChunk(text="没有到这里"), FinishChunk(reason="stop")),
            (TextChunk(text=LONG_TEXT), second),
        )
        async with open_window(home, model) as desk:
            view, bar = desk.window.transcript, bar_of(desk)
            chip = child(desk.window, QPushButton, "newBelow")
            say(desk, "第一问")
            await ended(desk)
            await until(lambda: bar.maximum() > 1000 and bar.value() == bar.maximum())
            say(desk, "第二问")
            await first.reached.wait()
            await until(lambda: bar.value() == bar.maximum() > 2500)
            bar.setValue(500)
            assert not view.at_end
            desk.chat.stop()
            await ended(desk)
            run_turn = desk.transcript.turns[-1]
            desk.transcript._add(run_turn, NoticePart(kind="info", text="又来一条"))
            await until(chip.isVisible)
            assert bar.value() == 500
            click(chip)
            await until(lambda: bar.value() == bar.maximum() and not chip.isVisible())

    on_loop(scenario())


def test_earlier_turns_are_built_when_the_reader_comes_near_and_nothing_moves(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        await store_turns(home, 40)
        async with open_window(home, ScriptedProvider()) as desk:
            await desk.chat.open(CONVERSATION)
            view, bar = desk.window.transcript, bar_of(desk)
            await until(lambda: view.built == PAGE and not view._settled.isActive())
            bar.setValue(bar.maximum() // 2)
            bar.setValue(40)
            turn = desk.transcript.turns[-PAGE]
            before = view._views[id(turn)].mapTo(view, view.rect().topLeft()).y()
            await until(lambda: view.built >= 2 * PAGE and not view._settled.isActive())
            after = view._views[id(turn)].mapTo(view, view.rect().topLeft()).y()
            assert abs(after - before) <= 2

    on_loop(scenario())


def test_answering_again_keeps_the_old_answer_beside_the_new(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer("甲。"), answer("乙。"), answer("丙。"))) as desk:
            say(desk, "怎么看")
            await ended(desk)
            for _ in range(2):
                click(child(desk.window.transcript, QToolButton, "regenerateButton"))
                await ended(desk)
            await until(lambda: shown_versions(desk) == ["3/3"])
            assert [turn.answer for turn in desk.transcript.turns] == ["丙。"]
            stepper = next(s for s in desk.window.transcript.findChildren(VersionStepper) if s.isVisible())
            click(stepper.findChildren(QToolButton)[0])
            await until(lambda: desk.transcript.turns[0].answer == "乙。")
            await until(lambda: shown_versions(desk) == ["2/3"])

    on_loop(scenario())


def test_an_edited_message_becomes_a_sibling(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        model = ScriptedProvider(answer("甲。"), answer("乙。"), answer("丙。"))
        async with open_window(home, model) as desk:
            say(desk, "第一问")
            await ended(desk)
            say(desk, "第二问")
            await ended(desk)
            desk.chat.edit(desk.transcript.turns[0].message_id, "改过的问题")
            await ended(desk)
            assert [turn.text for turn in desk.transcript.turns] == ["改过的问题"]
            await until(lambda: shown_versions(desk) == ["2/2"])
            await desk.chat.show_version(desk.transcript.turns[0].questions.stepped(-1))
            assert [turn.text for turn in desk.transcript.turns] == ["第一问", "第二问"]

    on_loop(scenario())


def test_a_stopped_answer_stays_and_can_be_continued(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        hang = Hang()
        async with open_window(
            home, ScriptedProvider((TextChunk(text="先看大盘。"), hang), answer("接着说。"))
        ) as desk:
            say(desk, "怎么看")
            await hang.reached.wait()
            click(child(desk.window, QPushButton, "stopButton"))
            await ended(desk)
            assert desk.transcript.turns[0].status == "stopped"
            assert desk.transcript.turns[0].answer == "先看大盘。"
            click(child(desk.window.transcript, QPushButton, "continueButton"))
            await until(lambda: len(desk.transcript.turns) == 2)
            await ended(desk)
            assert desk.transcript.turns[1].text == desk.texts("desktop.continue_text")
            assert desk.transcript.turns[1].answer == "接着说。"

    on_loop(scenario())


def test_what_a_crash_left_half_written_is_shown_as_stopped(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        await store_turns(home, 2, status="streaming")
        async with open_window(home, ScriptedProvider()) as desk:
            await desk.chat.open(CONVERSATION)
            assert [turn.status for turn in desk.transcript.turns] == ["done", "stopped"]
            assert desk.transcript.turns[1].answer.startswith("第 1 答。")
            assert child(desk.window.transcript, QPushButton, "continueButton") is not None

    on_loop(scenario())


@pytest.mark.parametrize("body", ["{", '{"role": "assistant", "parts": 3}'])
def test_a_broken_row_does_not_hide_the_others(on_loop: Run, home: Home, body: str) -> None:
    async def scenario() -> None:
        ids = await store_turns(home, 3)
        async with open_desk(home) as workspace:
            with workspace.stores.database.engine.begin() as connection:
                connection.exec_driver_sql("UPDATE message SET body = ? WHERE id = ?", (body, ids[3]))
        async with open_window(home, ScriptedProvider()) as desk:
            await desk.chat.open(CONVERSATION)
            turns = desk.transcript.turns
            assert [turn.text for turn in turns] == ["第 0 问", "第 1 问", "第 2 问"]
            assert [type(part) for part in turns[1].parts] == [NoticePart]
            assert turns[2].answer.startswith("第 2 答。")

    on_loop(scenario())


def test_a_failed_turn_says_why_and_can_be_tried_again(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        failing = ProviderError("auth", model="m")
        async with open_window(home, ScriptedProvider((failing,), answer("好了。"))) as desk:
            say(desk, "怎么看")
            await ended(desk)
            card = desk.window.transcript.findChild(NoticeCard)
            assert card is not None
            assert desk.transcript.turns[0].status == "failed"
            click(child(card, QPushButton, "retryButton"))
            await until(lambda: desk.transcript.turns[-1].answer == "好了。")
            await ended(desk)

    on_loop(scenario())


def test_code_is_as_high_as_its_lines(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer("看：\n\n```python\na = 1\nb = 2\n```\n\n完"))) as desk:
            say(desk, "代码")
            await ended(desk)
            await until(lambda: [view for view in desk.window.findChildren(TextView) if "a = 1" in view.toPlainText()])
            [code] = [view for view in desk.window.findChildren(TextView) if "a = 1" in view.toPlainText()]
            await until(lambda: code.height() == int(code.document().size().height()) + 2)

    on_loop(scenario())


def test_copied_text_is_plain(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer("**结论：**量价背离"))) as desk:
            say(desk, "怎么看")
            await ended(desk)
            view = desk.window.transcript.findChild(TextView)
            assert view is not None
            view.selectAll()
            data = view.createMimeDataFromSelection()
            assert data.formats() == ["text/plain"]
            assert data.text() == "结论：量价背离"
            click(child(desk.window.transcript, QToolButton, "copyButton"))
            assert QGuiApplication.clipboard().text() == "**结论：**量价背离"

    on_loop(scenario())


def test_links_ask_first_and_pictures_are_never_fetched(
    on_loop: Run, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("desktop.desk.QDesktopServices.openUrl", lambda url: opened.append(url.toString()))
    text = "[公告](https://example.com/a) ![图](https://example.com/p.png) [坏](javascript:alert(1)) <b>原文</b>"

    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer(text))) as desk:
            say(desk, "怎么看")
            await ended(desk)
            view = desk.window.transcript.findChild(TextView)
            assert view is not None
            assert view.document().resource(2, QUrl("https://example.com/p.png")) is None
            assert "<b>原文</b>" in view.toPlainText()
            view.anchorClicked.emit(QUrl("javascript:alert(1)"))
            assert desk.window.findChild(QMessageBox, "linkDialog") is None
            view.anchorClicked.emit(QUrl("https://example.com/a"))
            box = child(desk.window, QMessageBox, "linkDialog")
            assert opened == []
            click(box.button(QMessageBox.StandardButton.Open))
            assert opened == ["https://example.com/a"]

    on_loop(scenario())


def test_streamed_pieces_end_as_the_same_text_as_a_stored_answer(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        text = "一段\n\n二段\n\n- 甲\n- 乙\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```python\nx = 1\n```\n\n末段"
        pieces = tuple(TextChunk(text=text[at : at + 3]) for at in range(0, len(text), 3))
        async with open_window(home, ScriptedProvider((*pieces, FinishChunk(reason="stop")))) as desk:
            say(desk, "怎么看")
            await ended(desk)
            shown = shown_texts(desk)
            assert len(shown) == 4
            await desk.chat.open(desk.chat.conversation_id)
            await until(lambda: shown_texts(desk) == shown)
            click(child(desk.window.transcript, QToolButton, "copyCode"))
            assert QGuiApplication.clipboard().text() == "x = 1"

    on_loop(scenario())


def test_another_look_keeps_turns_and_place(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        await store_turns(home, 20)
        async with open_window(home, ScriptedProvider()) as desk:
            await desk.chat.open(CONVERSATION)
            view, bar = desk.window.transcript, bar_of(desk)
            await until(lambda: view.built == PAGE and not view._settled.isActive())
            bar.setValue(bar.maximum() - 900)
            from_bottom = bar.maximum() - bar.value()
            desk._toggle_theme()
            await until(lambda: not view._settled.isActive())
            assert abs(bar.maximum() - bar.value() - from_bottom) <= 4
            assert not view.at_end

    on_loop(scenario())
