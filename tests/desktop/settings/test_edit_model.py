"""Changing a model: every field is kept, empty ones are unknown, and what cannot be read loses nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QListWidget, QPushButton

from runtime.paths import Home
from runtime.providers.windows import Prices
from tests.desktop.conftest import Run
from tests.support.keyrings import MemoryKeyring
from tests.support.settings_dialogs import KEY, Open, Opened, a_model
from tests.support.windows import click, press

MODEL = "qwen-max"
PRICES = Prices(input=2.4, output=9.6, cache_read=0.24, cache_write=3.0)


async def edit(settings: Opened) -> None:
    """Open the form of the last model."""
    settings.choose_row(len(settings.ids) - 1)
    await settings.press("modelEdit")


def test_everything_that_is_typed_is_kept(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await settings.configure(a_model(MODEL))
            await edit(settings)
            settings.fill("editModel", "qwen-max-latest")
            settings.fill("editAddress", "https://gateway.example.com/v1/messages")
            click(settings.of(QPushButton, "editKind-anthropic"))
            for name, text in (
                ("context_window", "128,000"),
                ("max_output", "８１９２"),
                ("input", "2.4"),
                ("output", " 9.6 "),
                ("cache_read", ".24"),
                ("cache_write", "3"),
            ):
                settings.fill(f"edit-{name}", text)
            click(settings.of(QPushButton, "editReasoning-yes"))
            click(settings.of(QPushButton, "editTools-no"))
            await settings.press("editSave")
            wanted = replace(
                a_model(MODEL, "https://gateway.example.com"),
                model="qwen-max-latest",
                provider="anthropic",
                context_window=128_000,
                max_output=8192,
                prices=PRICES,
                reasoning=True,
                tools=False,
            )
            assert settings.workspace.models.get(MODEL) == wanted
            assert "已保存" in settings.said
            assert "上下文 128k" in settings.listed
            assert "输入 2.4 / 输出 9.6" in settings.listed
            assert settings.of(QPushButton, "modelAdd").isVisible()

    on_loop(scenario())


def test_the_form_shows_what_is_set_and_what_is_inferred(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await settings.configure(replace(a_model(MODEL), prices=PRICES, max_output=4096, tools=True))
            await edit(settings)
            shown = {name: settings.of(QLineEdit, f"edit-{name}").text() for name in ("max_output", "input", "output")}
            assert shown == {"max_output": "4096", "input": "2.4", "output": "9.6"}
            window = settings.of(QLineEdit, "edit-context_window")
            assert window.text() == ""
            assert "128,000" in window.placeholderText()
            settings.fill("editModel", "claude-sonnet")
            assert "200,000" in window.placeholderText()
            assert settings.of(QPushButton, "editTools-yes").isChecked()
            assert settings.of(QPushButton, "editReasoning-auto").isChecked()

    on_loop(scenario())


def test_emptied_fields_are_unknown_again(on_loop: Run, opened: Open, home: Home) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await settings.configure(replace(a_model(MODEL), prices=PRICES, context_window=32_000, reasoning=False))
            await edit(settings)
            for name in ("context_window", "input", "output", "cache_read", "cache_write"):
                settings.fill(f"edit-{name}", "")
            click(settings.of(QPushButton, "editReasoning-auto"))
            await settings.press("editSave")
            assert settings.workspace.models.get(MODEL) == a_model(MODEL)
            assert "per_1m" not in home.settings_file.read_text("utf-8")

    on_loop(scenario())


@pytest.mark.parametrize(
    ("field", "text", "expected"),
    [
        ("input", "两块", "输入价格"),
        ("output", "-1", "输出价格"),
        ("cache_read", "1e400", "缓存读取"),
        ("context_window", "0", "上下文窗口"),
        ("max_output", "4.5", "最长输出"),
    ],
)
def test_what_cannot_be_read_is_said_and_nothing_is_lost(
    on_loop: Run, opened: Open, field: str, text: str, expected: str
) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await settings.configure(a_model(MODEL))
            await edit(settings)
            settings.fill("edit-input", "1")
            settings.fill("edit-output", "2")
            line = settings.fill(f"edit-{field}", text)
            await settings.press("editSave")
            assert f"“{expected}”" in settings.said
            assert line.property("invalid") == "true"
            assert line.text() == text
            assert settings.of(QLineEdit, "edit-input").isVisible()
            assert settings.workspace.models.get(MODEL) == a_model(MODEL)
            settings.fill(f"edit-{field}", "7")
            assert line.property("invalid") == "false"
            await settings.press("editSave")
            assert settings.workspace.models.get(MODEL) != a_model(MODEL)

    on_loop(scenario())


def test_one_price_alone_is_asked_for_the_other(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await settings.configure(a_model(MODEL))
            await edit(settings)
            settings.fill("edit-cache_read", "0.1")
            settings.fill("edit-input", "1")
            await settings.press("editSave")
            assert "“输出价格”" in settings.said
            settings.fill("edit-output", "0")
            await settings.press("editSave")
            assert settings.workspace.models.get(MODEL).prices == Prices(input=1.0, output=0.0, cache_read=0.1)

    on_loop(scenario())


def test_an_empty_key_stays_and_a_new_one_takes_its_place(on_loop: Run, opened: Open, home: Home) -> None:
    async def scenario() -> None:
        keyring = MemoryKeyring()
        async with opened(keyring) as settings:
            await settings.workspace.models.add(a_model(MODEL), "sk-old-0000000000")
            settings.dialog.models.refresh()
            await edit(settings)
            await settings.press("editSave")
            assert list(keyring.kept.values()) == ["sk-old-0000000000"]
            await edit(settings)
            settings.fill("editKey", KEY)
            press(settings.of(QLineEdit, "editKey"), Qt.Key.Key_Return)
            await settings.idle()
            assert list(keyring.kept.values()) == [KEY]
            assert "系统钥匙串" in settings.said
            assert KEY not in settings.said
            assert KEY not in home.settings_file.read_text("utf-8")
            await edit(settings)
            assert settings.of(QLineEdit, "editKey").text() == ""

    on_loop(scenario())


def test_a_bad_address_leaves_form_and_model_alone(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await settings.configure(a_model(MODEL))
            await edit(settings)
            line = settings.fill("editAddress", "api.example.com")
            await settings.press("editSave")
            assert "网址" in settings.said
            assert line.isVisible()
            assert line.text() == "api.example.com"
            click(settings.of(QPushButton, "editCancel"))
            assert not line.isVisible()
            assert settings.dialog.focusWidget() is settings.of(QListWidget, "modelList")
            assert settings.workspace.models.get(MODEL) == a_model(MODEL)

    on_loop(scenario())
