"""The shell: it gives way where it is narrow, asks once before it stops work, survives errors, and stands only once."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QMessageBox, QPushButton, QToolButton

from desktop import app as window_app
from desktop.onboarding import Onboarding
from runtime.core.messages import Usage
from runtime.paths import Home
from runtime.providers.base import FinishChunk, TextChunk, UsageChunk
from tests.desktop.conftest import Run
from tests.support.scripted import Hang, ScriptedProvider
from tests.support.scripted import say as answer
from tests.support.windows import child, click, editor, ended, open_window, press, say, until, write


@pytest.fixture
def _own_hook() -> Iterator[None]:
    """Puts the hook of unhandled errors back."""
    before = sys.excepthook
    yield
    sys.excepthook = before


def test_a_narrow_window_shows_the_chart_in_the_place_of_the_chat(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            window = desk.window
            button = child(window, QToolButton, "chartButton")
            window.show_charts(visible=True)
            assert window.charts.isVisible()
            assert window.composer.isVisible()
            window.resize(QSize(1000, 800))
            await until(lambda: not window.charts.isVisible())
            assert window.composer.isVisible()
            click(button)
            assert window.charts.isVisible()
            assert not window.composer.isVisible()
            click(button)
            assert window.composer.isVisible()
            window.resize(QSize(1440, 900))
            await until(lambda: window.charts.isVisible() and window.composer.isVisible())

    on_loop(scenario())


def test_the_sidebar_folds_where_there_is_no_room_and_by_its_button(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            window = desk.window
            fold = child(window, QToolButton, "foldButton")
            window.resize(QSize(860, 700))
            await until(lambda: window.conversations.width() == 48)
            click(fold)
            await until(lambda: window.conversations.width() >= 200)
            window.resize(QSize(1300, 800))
            assert not window.conversations.folded
            click(fold)
            await until(lambda: window.conversations.width() == 48)

    on_loop(scenario())


def test_the_focus_ring_is_for_the_keyboard(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            desk.window.activateWindow()
            button = child(desk.window, QPushButton, "newConversationButton")
            button.setFocus(Qt.FocusReason.MouseFocusReason)
            assert button.property("kbd") != "true"
            button.clearFocus()
            button.setFocus(Qt.FocusReason.TabFocusReason)
            await until(lambda: button.property("kbd") == "true")
            button.clearFocus()
            await until(lambda: button.property("kbd") == "false")

    on_loop(scenario())


def test_closing_with_a_running_turn_asks_once_and_cancel_goes_on(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        hang = Hang()
        async with open_window(home, ScriptedProvider((TextChunk(text="先看"), hang))) as desk:
            say(desk, "怎么看")
            await hang.reached.wait()
            desk.window.close()
            desk.window.close()
            boxes = desk.window.findChildren(QMessageBox, "closeDialog")
            assert len(boxes) == 1
            click(boxes[0].button(QMessageBox.StandardButton.Cancel))
            await until(lambda: not boxes[0].isVisible())
            assert desk.window.isVisible()
            assert desk.chat.run is not None
            desk.window.close()
            again = child(desk.window, QMessageBox, "closeDialog")
            stop = desk.texts("desktop.stop_and_quit")
            click(next(button for button in again.buttons() if button.text() == stop))
            assert desk.lifetime is not None
            await desk.lifetime
            assert not desk.window.isVisible()
            assert desk.transcript.turns[0].status == "stopped"

    on_loop(scenario())


@pytest.mark.usefixtures("_own_hook")
def test_an_error_in_a_slot_is_shown_and_the_window_lives(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer("好。"))) as desk:
            window_app._install_hooks(desk)

            def broken() -> None:
                raise RuntimeError("a bug in a slot")

            QTimer.singleShot(0, broken)
            await until(lambda: desk.window.findChild(QMessageBox, "problemDialog"))
            child(desk.window, QMessageBox, "problemDialog").close()
            asyncio.get_running_loop().set_exception_handler(None)
            say(desk, "还在吗")
            await ended(desk)

    on_loop(scenario())


def test_an_error_in_a_task_of_the_window_is_shown(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:

            async def broken() -> None:
                raise RuntimeError("a bug in a task")

            desk.start_task(broken(), "broken")
            await until(lambda: desk.window.findChild(QMessageBox, "problemDialog"))
            child(desk.window, QMessageBox, "problemDialog").close()

    on_loop(scenario())


@pytest.mark.qt_log_ignore(
    "This plugin does not support raise"
)  # the offscreen platform has no windows above each other
def test_a_second_start_raises_the_first_window(on_loop: Run, home: Home, qapp: QApplication) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            server = window_app._listen(qapp, home, desk.window)
            desk.window.hide()
            assert window_app._raise_other(qapp, home)
            await until(desk.window.isVisible)
            assert not window_app._raise_other(qapp, Home(root=home.root / "other"))
            server.close()

    on_loop(scenario())


def test_tokens_belong_to_the_shown_conversation(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        usage = Usage(input=1200, output=34, cache_read=500)
        reply = (TextChunk(text="好。"), UsageChunk(usage=usage), FinishChunk(reason="stop"))
        async with open_window(home, ScriptedProvider(reply)) as desk:
            say(desk, "怎么看")
            await ended(desk)
            assert "1,200" in desk.window.status._usage.text()
            click(child(desk.window, QPushButton, "newConversationButton"))
            assert desk.window.status._usage.text() == ""

    on_loop(scenario())


@pytest.mark.parametrize(
    ("card", "service"),
    [("deepseek", "deepseek"), ("anthropic", "anthropic"), ("openai", "openai"), ("gemini", "gemini")],
)
def test_each_service_of_the_first_page_begins_its_form(on_loop: Run, home: Home, card: str, service: str) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            click(child(desk.window, QPushButton, f"onboarding-{card}"))
            settings = child(desk.window, QDialog, "settingsDialog")
            assert child(settings, QLineEdit, "modelService").text() == service
            settings.reject()

    on_loop(scenario())


def test_the_services_stand_in_two_columns_where_there_is_no_room_for_three(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            first, third = (child(desk.window, QPushButton, f"onboarding-{name}") for name in ("deepseek", "openai"))
            await until(lambda: third.y() == first.y() and third.x() > first.x())
            desk.window.resize(QSize(580, 700))
            await until(lambda: third.y() > first.y() and third.x() == first.x())
            desk.window.resize(QSize(1440, 900))
            await until(lambda: third.y() == first.y())

    on_loop(scenario())


def test_the_first_page_offers_questions_and_a_model_and_can_be_put_off(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            page = child(desk.window, Onboarding, "onboardingPage")
            click(child(page, QPushButton, "onboarding-local"))
            settings = child(desk.window, QDialog, "settingsDialog")
            assert child(settings, QLineEdit, "modelService").text() == "ollama"
            settings.reject()
            click(child(page, QPushButton, "onboarding-later"))
            write(editor(desk), "看")
            press(editor(desk), Qt.Key.Key_Backspace)
            assert page.isVisible()

    on_loop(scenario())
