"""The composer: an input method never sends, drafts are never lost, what waits is seen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QListWidget, QPushButton, QToolButton

from desktop.chat.queue_bar import QueueBar
from desktop.desk import Desk
from runtime.paths import Home
from runtime.providers.base import Chunk, ModelRequest, TextChunk
from runtime.settings import SettingsFile
from tests.desktop.conftest import Run
from tests.support.scripted import Hang, ScriptedProvider, call, calls
from tests.support.scripted import say as answer
from tests.support.windows import child, click, compose, editor, ended, open_window, press, say, until, write


def hanging(*more: str) -> tuple[ScriptedProvider, Hang]:
    """A model that says something and hangs, then answers."""
    hang = Hang()
    return ScriptedProvider((TextChunk(text="先看大盘。"), hang), *(answer(text) for text in more)), hang


def commit(desk: Desk, text: str) -> None:
    event = QInputMethodEvent()
    event.setCommitString(text)
    QApplication.sendEvent(editor(desk), event)


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Up, Qt.Key.Key_Tab])
def test_no_key_acts_while_an_input_method_composes(on_loop: Run, home: Home, key: Qt.Key) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            compose(editor(desk), "yunxi")
            press(editor(desk), key)
            assert desk.transcript.turns == []
            assert editor(desk).is_composing
            commit(desk, "云溪")
            assert desk.window.composer.text() == "云溪"

    on_loop(scenario())


def test_a_composition_that_loses_the_focus_is_over_and_sends_nothing(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer("好。"))) as desk:
            compose(editor(desk), "yunxi")
            desk.window.transcript.setFocus()
            editor(desk).clearFocus()
            assert not editor(desk).is_composing
            assert desk.transcript.turns == []
            desk.window.composer.focus()
            desk.window.composer.set_text("")
            say(desk, "云溪怎么样")
            await ended(desk)
            assert desk.transcript.turns[0].text == "云溪怎么样"

    on_loop(scenario())


def test_shift_enter_breaks_the_line_and_blanks_are_not_sent(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            write(editor(desk), "一")
            press(editor(desk), Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
            assert desk.window.composer.text() == "一\n"
            desk.window.composer.set_text("  \n ")
            press(editor(desk), Qt.Key.Key_Return)
            assert desk.transcript.turns == []

    on_loop(scenario())


def test_a_stock_is_named_with_the_keyboard_or_the_mouse(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            names = child(desk.window, QListWidget, "stockSuggestions")
            write(editor(desk), "@608101")
            assert names.isVisible()
            press(editor(desk), Qt.Key.Key_Return)
            assert desk.window.composer.text() == "云溪股份 "
            assert not names.isVisible()
            desk.window.composer.set_text("")
            write(editor(desk), "看 @60810")
            press(editor(desk), Qt.Key.Key_Down)
            row = names.item(1)
            assert names.currentItem() is row
            wanted = row.data(Qt.ItemDataRole.UserRole)
            click(names.viewport(), names.visualItemRect(row).center())
            assert desk.window.composer.text() == f"看 {wanted} "
            write(editor(desk), "@60810")
            press(editor(desk), Qt.Key.Key_Escape)
            assert not names.isVisible()

    on_loop(scenario())


def test_the_arrow_brings_back_what_was_sent_before(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer("好。"), answer("好。"))) as desk:
            for text in ("第一句", "第二句"):
                say(desk, text)
                await ended(desk)
            for shown in ("第二句", "第一句"):
                press(editor(desk), Qt.Key.Key_Up)
                assert desk.window.composer.text() == shown
            press(editor(desk), Qt.Key.Key_Down)
            press(editor(desk), Qt.Key.Key_Down)
            assert desk.window.composer.text() == ""

    on_loop(scenario())


def test_what_is_sent_while_a_turn_runs_waits_in_sight_and_goes_afterwards(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        hang = asyncio.Event()

        class Slow(ScriptedProvider):
            async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
                if len(self.requests) == 0:
                    await hang.wait()
                async for chunk in super().stream(request):
                    yield chunk

        async with open_window(home, Slow(answer("一。"), answer("二。"))) as desk:
            say(desk, "第一句")
            say(desk, "第二句")
            say(desk, "第三句")
            bar = child(desk.window, QueueBar, "queueBar")
            assert bar.isVisible()
            click(bar.findChildren(QToolButton)[-1])
            assert desk.chat.run is not None
            assert desk.chat.run.queue == ["第二句"]
            hang.set()
            await until(lambda: len(desk.transcript.turns) == 2 and desk.chat.run is None)
            assert [turn.text for turn in desk.transcript.turns] == ["第一句", "第二句"]
            assert not bar.isVisible()

    on_loop(scenario())


def test_stopping_gives_back_what_waited(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        model, hang = hanging()
        async with open_window(home, model) as desk:
            say(desk, "第一句")
            await hang.reached.wait()
            say(desk, "第二句")
            write(editor(desk), "正在写")
            click(child(desk.window, QPushButton, "stopButton"))
            await ended(desk)
            assert desk.window.composer.text() == "第二句\n正在写"
            assert len(desk.transcript.turns) == 1

    on_loop(scenario())


def test_a_mark_of_exclamation_steers_the_running_turn(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        model = ScriptedProvider(
            calls(call("ask_user", {"question": "看多久？", "options": ["几天", "几周"]})), answer("好。")
        )
        async with open_window(home, model) as desk:
            say(desk, "问我")
            await until(lambda: desk.questions._open)
            desk.chat.send("!只看日线")
            assert desk.chat.run is not None
            assert desk.chat.run.queue == []
            desk.window.transcript.answered.emit("几周")
            await ended(desk)
            said = [item.text for item in model.requests[-1].messages if item.role == "user"]
            assert said[-1] == "只看日线"

    on_loop(scenario())


def test_drafts_belong_to_their_conversation_and_survive(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer("好。"))) as desk:
            say(desk, "第一句")
            await ended(desk)
            first = desk.chat.conversation_id
            write(editor(desk), "旧对话里没写完")
            click(child(desk.window, QPushButton, "newConversationButton"))
            assert desk.window.composer.text() == ""
            write(editor(desk), "新对话里没写完")
            await until(lambda: desk.keeper.state.draft)
            desk.window.conversations.opened.emit(first)
            await until(lambda: desk.window.composer.text() == "旧对话里没写完")
            click(child(desk.window, QPushButton, "newConversationButton"))
            assert desk.window.composer.text() == "新对话里没写完"
        async with open_window(home, ScriptedProvider()) as desk:
            assert desk.window.composer.text() == "新对话里没写完"
            desk.window.conversations.opened.emit(first)
            await until(lambda: desk.window.composer.text() == "旧对话里没写完")

    on_loop(scenario())


def test_what_was_typed_into_a_new_conversation_is_on_disk_before_the_window_closes(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            write(editor(desk), "没写完")
            await until(lambda: dict(SettingsFile(home).read().get("window", {})).get("draft") == "没写完")

    on_loop(scenario())


def test_sending_clears_the_draft(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer("好。"))) as desk:
            write(editor(desk), "没写完")
            await until(lambda: desk.keeper.state.draft)
            press(editor(desk), Qt.Key.Key_Return)
            await ended(desk)
            assert desk.keeper.state.draft == ""
            click(child(desk.window, QPushButton, "newConversationButton"))
            assert desk.window.composer.text() == ""

    on_loop(scenario())


def test_what_is_sent_while_the_program_starts_goes_out_when_it_is_there(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        provider = ScriptedProvider(answer("好。"))
        async with open_window(home, provider, before=lambda desk: say(desk, "云溪怎么样")) as desk:
            await until(lambda: desk.transcript.turns)
            await ended(desk)
            assert [turn.text for turn in desk.transcript.turns] == ["云溪怎么样"]
            assert desk.window.composer.text() == ""

    on_loop(scenario())


def test_what_is_typed_while_the_program_starts_stays(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(), before=lambda desk: write(editor(desk), "云溪")) as desk:
            assert desk.window.composer.text() == "云溪"
            assert desk.transcript.turns == []

    on_loop(scenario())


def test_escape_stops_the_running_turn_and_nothing_else(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        provider, hang = hanging()
        async with open_window(home, provider) as desk:
            press(editor(desk), Qt.Key.Key_Escape)
            say(desk, "大盘")
            await hang.reached.wait()
            press(editor(desk), Qt.Key.Key_Escape)
            await ended(desk)
            assert desk.transcript.turns[-1].status == "stopped"

    on_loop(scenario())
