"""The look changes at once; the language is kept for the next start."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop.context import Ui
from desktop.settings.appearance_page import AppearancePage
from runtime.paths import Home
from runtime.settings import SettingsFile, load_settings
from tests.desktop.conftest import Run
from tests.support.charts import ui_of
from tests.support.windows import click


@pytest.fixture
def ui(qapp: QApplication) -> Ui:
    return ui_of(qapp)


@pytest.fixture
def page(ui: Ui, home: Home, qtbot: QtBot) -> AppearancePage:
    made = AppearancePage(ui, SettingsFile(home))
    qtbot.addWidget(made)
    made.show()
    return made


def choose(page: AppearancePage, name: str) -> QPushButton:
    found = page.findChild(QPushButton, name)
    assert found is not None, name
    click(found)
    return found


def test_the_scheme_changes_at_once(page: AppearancePage, ui: Ui, qapp: QApplication) -> None:
    choose(page, "scheme-dark")
    assert ui.themes.choice == "dark"
    assert qapp.palette().window().color() == ui.theme.color("bg.window")
    dark = qapp.palette().window().color()
    choose(page, "scheme-light")
    assert qapp.palette().window().color() == ui.theme.color("bg.window") != dark


def test_up_and_down_change_places_at_once(page: AppearancePage, ui: Ui) -> None:
    red, green = ui.theme.market.up, ui.theme.market.down
    choose(page, "market-intl")
    assert (ui.theme.market.up, ui.theme.market.down) == (green, red)
    choose(page, "market-cb")
    assert ui.theme.market.up not in (red, green)
    choose(page, "market-cn")
    assert (ui.theme.market.up, ui.theme.market.down) == (red, green)


def test_the_language_is_kept_and_says_when_it_takes_effect(on_loop: Run, page: AppearancePage, home: Home) -> None:
    async def scenario() -> None:
        file = SettingsFile(home)
        choose(page, "language-en")
        choose(page, "language-zh_CN")
        choose(page, "language-en")
        await page.aclose()
        assert load_settings(file, {}).settings.language == "en"
        said = page.findChild(QLabel, "languageMessage")
        assert said is not None
        assert "下次" in said.text()

    on_loop(scenario())


def test_a_broken_settings_file_stays_as_it_is_and_is_named(on_loop: Run, page: AppearancePage, home: Home) -> None:
    async def scenario() -> None:
        home.settings_file.parent.mkdir(parents=True, exist_ok=True)
        home.settings_file.write_text("[[[", "utf-8")
        choose(page, "language-en")
        await page.aclose()
        said = page.findChild(QLabel, "languageMessage")
        assert said is not None
        assert str(home.settings_file) in said.text()
        assert home.settings_file.read_text("utf-8") == "[[["

    on_loop(scenario())
