"""The conversations beside each other: found, named, deleted and brought back, and each with a turn of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QInputDialog, QLabel, QLineEdit, QListWidget, QPushButton

from desktop.desk import Desk
from desktop.panels.conversation_rows import ID, RUNNING
from runtime.paths import Home
from runtime.providers.base import Chunk, ModelRequest
from tests.desktop.conftest import Run
from tests.support.scripted import ScriptedProvider
from tests.support.scripted import say as answer
from tests.support.windows import child, click, ended, open_window, press, say, until


class Gated(ScriptedProvider):
    """Answers every question with its own words, once its gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gates: dict[str, asyncio.Event] = {}

    def gate(self, text: str) -> asyncio.Event:
        return self.gates.setdefault(text, asyncio.Event())

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        said = [message.text for message in request.messages if message.role == "user"][-1]
        first, *rest = answer(f"答：{said}")
        yield first  # type: ignore[misc]  # a reply of words has no errors in it
        await self.gate(said).wait()
        for chunk in rest:
            yield chunk  # type: ignore[misc]


def rows(desk: Desk) -> list[str]:
    """Titles in the list, without the headings."""
    found = child(desk.window, QListWidget, "conversationList")
    items = [found.item(index) for index in range(found.count())]
    return [item.text() for item in items if item.data(ID)]


def running(desk: Desk) -> list[str]:
    found = child(desk.window, QListWidget, "conversationList")
    items = [found.item(index) for index in range(found.count())]
    return [item.text() for item in items if item.data(RUNNING)]


def new(desk: Desk) -> None:
    click(child(desk.window, QPushButton, "newConversationButton"))


def choose(desk: Desk, title: str) -> None:
    """Click a row."""
    found = child(desk.window, QListWidget, "conversationList")
    item = next(found.item(index) for index in range(found.count()) if found.item(index).text() == title)
    click(found.viewport(), found.visualItemRect(item).center())


async def two_conversations(desk: Desk) -> None:
    for text in ("第一个", "第二个"):
        new(desk)
        say(desk, text)
        await ended(desk)
    await until(lambda: sorted(rows(desk)) == ["第一个", "第二个"])


def test_turns_of_several_conversations_run_at_once_and_are_there_when_one_comes_back(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        model = Gated()
        async with open_window(home, model) as desk:
            say(desk, "甲问")
            await until(lambda: desk.transcript.turns[0].answer)
            new(desk)
            say(desk, "乙问")
            await until(lambda: desk.chat.run_count == 2 and len(running(desk)) == 2)
            choose(desk, "甲问")
            await until(lambda: [turn.text for turn in desk.transcript.turns] == ["甲问"])
            assert desk.chat.run is not None
            model.gate("甲问").set()
            await ended(desk)
            assert desk.transcript.turns[0].answer == "答：甲问"
            assert desk.chat.run_count == 1
            model.gate("乙问").set()
            await until(lambda: desk.chat.run_count == 0 and not running(desk))
            assert [turn.text for turn in desk.transcript.turns] == ["甲问"]
            choose(desk, "乙问")
            await until(lambda: [turn.answer for turn in desk.transcript.turns] == ["答：乙问"])

    on_loop(scenario())


def test_a_turn_that_answers_again_is_shown_once_when_its_conversation_comes_back(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        model = Gated()
        async with open_window(home, model) as desk:
            model.gate("甲问").set()
            say(desk, "甲问")
            await ended(desk)
            model.gate("甲问").clear()
            first = desk.chat.conversation_id
            desk.chat.regenerate(desk.transcript.turns[0].message_id)
            await until(lambda: desk.transcript.turns[0].answer)
            new(desk)
            await desk.chat.open(first)
            assert [turn.text for turn in desk.transcript.turns] == ["甲问"]
            assert desk.chat.run is not None
            model.gate("甲问").set()
            await ended(desk)
            assert len(desk.transcript.turns[0].answers.ids) == 2

    on_loop(scenario())


def test_a_conversation_is_renamed_from_the_keyboard(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer("一"), answer("二"))) as desk:
            await two_conversations(desk)
            choose(desk, "第一个")
            found = child(desk.window, QListWidget, "conversationList")
            found.setFocus()
            press(found, Qt.Key.Key_F2)
            dialog = desk.window.findChild(QInputDialog)
            assert dialog is not None
            dialog.setTextValue("改过的名字")
            dialog.accept()
            await until(lambda: "改过的名字" in rows(desk))

    on_loop(scenario())


def test_a_deleted_conversation_comes_back_with_undo(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer("一"), answer("二"))) as desk:
            await two_conversations(desk)
            desk.window.conversations.deleted.emit(desk.chat.conversation_id)
            await until(lambda: rows(desk) == ["第一个"] and desk.window.undo_bar.isVisible())
            assert desk.transcript.turns == []
            composer = desk.window.composer
            assert desk.window.undo_bar.geometry().bottom() < composer.mapTo(desk.window, QPoint(0, 0)).y()
            click(desk.window.undo_bar.findChildren(QPushButton)[0])
            await until(lambda: len(rows(desk)) == 2)
            await until(lambda: [turn.text for turn in desk.transcript.turns] == ["第二个"])

    on_loop(scenario())


def test_deleting_stops_the_turn_that_runs_there(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, Gated()) as desk:
            say(desk, "甲问")
            await until(lambda: desk.transcript.turns[0].answer)
            desk.window.conversations.deleted.emit(desk.chat.conversation_id)
            await until(lambda: desk.chat.run_count == 0 and not rows(desk))

    on_loop(scenario())


def test_conversations_are_found_by_their_title(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer("一"), answer("二"))) as desk:
            await two_conversations(desk)
            search = child(desk.window, QLineEdit, "conversationSearch")
            search.setText("第二")
            await until(lambda: rows(desk) == ["第二个"])
            search.setText("没有这个")
            await until(lambda: rows(desk) == [])
            nothing = desk.texts("desktop.no_match")
            assert any(item.text() == nothing and item.isVisible() for item in desk.window.findChildren(QLabel))
            search.clear()
            await until(lambda: len(rows(desk)) == 2)

    on_loop(scenario())


def test_the_conversation_that_was_chosen_last_is_shown(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer("一"), answer("二"))) as desk:
            await two_conversations(desk)
            known = {item.title: item.id for item in await desk.workspace.stores.conversations.recent()}
            for title in ("第一个", "第二个", "第一个"):
                desk.window.conversations.opened.emit(known[title])
            new(desk)
            for title in ("第二个", "第一个"):
                desk.window.conversations.opened.emit(known[title])
            await until(lambda: [turn.text for turn in desk.transcript.turns] == ["第一个"])
            await until(lambda: not any(task.get_name() == "conversations" for task in asyncio.all_tasks()))
            assert desk.chat.conversation_id == known["第一个"]

    on_loop(scenario())
