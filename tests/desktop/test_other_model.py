"""Answering again by another model: once, beside the old answer, from the row of a turn and from the card of a failed one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QPushButton, QToolButton

from desktop.chat.action_row import VersionStepper
from desktop.chat.cards import NoticeCard
from desktop.desk import Desk
from runtime.paths import Home
from runtime.providers.base import LLMProvider, ProviderError
from tests.desktop.conftest import Run
from tests.support.scripted import ScriptedProvider
from tests.support.scripted import say as answer
from tests.support.settings_dialogs import a_model
from tests.support.windows import child, click, ended, open_window, press, say, until

BUTTON = "otherModelButton"
pytestmark = pytest.mark.qt_log_ignore(
    "This plugin does not support"
)  # the offscreen platform has no windows above each other


@asynccontextmanager
async def a_desk(home: Home, **models: ScriptedProvider) -> AsyncIterator[Desk]:
    """A window with these models, the first one chosen."""
    async with open_window(home) as desk:
        for name in models:
            await desk.workspace.models.add(a_model(name))
        await desk.workspace.models.set_default(next(iter(models)))

        async def provider(model_id: str | None) -> LLMProvider:
            return models[model_id or desk.workspace.models.default_id()]

        object.__setattr__(desk.workspace.runtime._services, "provider", provider)
        desk._show_models()
        yield desk


def menu_of(desk: Desk) -> QMenu:
    return next(menu for menu in desk.window.findChildren(QMenu, "otherModelMenu") if menu.isVisible())


def shown_versions(desk: Desk) -> list[str]:
    return [item.text for item in desk.window.transcript.findChildren(VersionStepper) if item.isVisible()]


def take(menu: QMenu, name: str) -> None:
    """Go down to an entry and press Enter."""
    while menu.activeAction() is None or menu.activeAction().text() != name:
        press(menu, Qt.Key.Key_Down)
    press(menu, Qt.Key.Key_Return)


def test_another_model_answers_the_same_message_beside_the_old_answer(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        first = ScriptedProvider(answer("甲。"), answer("丙。"), name="first")
        second = ScriptedProvider(answer("乙。"), name="second")
        async with a_desk(home, first=first, second=second) as desk:
            say(desk, "怎么看")
            await ended(desk)
            button = child(desk.window.transcript, QToolButton, BUTTON)
            assert button.accessibleName() == "换一个模型回答"
            click(button)
            assert [action.text() for action in menu_of(desk).actions()] == ["离线分析师", "first", "second"]
            take(menu_of(desk), "second")
            await until(lambda: desk.transcript.turns[-1].answer == "乙。")
            await ended(desk)
            assert len(desk.transcript.turns) == 1
            await until(lambda: shown_versions(desk) == ["2/2"])
            assert desk.chat.model_id is None
            say(desk, "然后呢")
            await until(lambda: len(desk.transcript.turns) == 2 and desk.transcript.turns[-1].answer == "丙。")
            await ended(desk)

    on_loop(scenario())


def test_the_button_is_reached_and_used_with_the_keyboard(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        first = ScriptedProvider(answer("甲。"), name="first")
        second = ScriptedProvider(answer("乙。"), name="second")
        async with a_desk(home, first=first, second=second) as desk:
            say(desk, "怎么看")
            await ended(desk)
            again = child(desk.window.transcript, QToolButton, "regenerateButton")
            assert again.nextInFocusChain() is child(desk.window.transcript, QToolButton, BUTTON)
            press(child(desk.window.transcript, QToolButton, BUTTON), Qt.Key.Key_Space)
            take(menu_of(desk), "second")
            await until(lambda: desk.transcript.turns[-1].answer == "乙。")
            await ended(desk)

    on_loop(scenario())


def test_a_failed_turn_offers_another_model(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        first = ScriptedProvider((ProviderError("auth", model="first"),), name="first")
        second = ScriptedProvider(answer("乙。"), name="second")
        async with a_desk(home, first=first, second=second) as desk:
            say(desk, "怎么看")
            await ended(desk)
            card = desk.window.transcript.findChild(NoticeCard)
            assert card is not None
            click(child(card, QPushButton, BUTTON))
            take(menu_of(desk), "second")
            await until(lambda: desk.transcript.turns[-1].answer == "乙。")
            await ended(desk)

    on_loop(scenario())


def test_without_another_model_it_is_not_offered(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer("甲。"))) as desk:
            say(desk, "怎么看")
            await ended(desk)
            button = child(desk.window.transcript, QToolButton, BUTTON)
            assert not button.isVisible()
            await desk.workspace.models.add(a_model("later"))
            desk._show_models()
            assert button.isVisible()

    on_loop(scenario())
