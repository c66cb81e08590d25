"""Adding a model: what is kept where, what a failed connection says, and that no key is ever shown."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel, QLineEdit, QMenu, QPushButton

from runtime.paths import Home
from runtime.providers.presets import SERVICES
from tests.desktop.conftest import Run
from tests.support.keyrings import LockedKeyring, MemoryKeyring
from tests.support.local_servers import served, speaking_openai
from tests.support.settings_dialogs import KEY, MODEL, Open, a_model, closed_port
from tests.support.windows import click


def test_a_model_that_answers_becomes_the_default(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with served(speaking_openai(accepted=KEY)) as host, opened() as settings:
            changes: list[None] = []
            settings.dialog.models_changed.connect(lambda: changes.append(None))
            await settings.add(f"{host}/v1")
            assert "pong" in settings.said
            assert settings.workspace.models.default_id() == MODEL
            assert f"{MODEL}（默认）" in settings.listed
            assert settings.of(QLineEdit, "modelKey").text() == ""
            assert changes
            await settings.press("modelTest")
            assert "pong" in settings.said

    on_loop(scenario())


def test_the_key_is_in_the_keyring_and_in_no_file(on_loop: Run, opened: Open, home: Home) -> None:
    async def scenario() -> None:
        keyring = MemoryKeyring()
        async with served(speaking_openai(accepted=KEY)) as host, opened(keyring) as settings:
            await settings.add(f"{host}/v1")
            assert KEY in keyring.kept.values()
            assert "系统钥匙串" in settings.said
            assert KEY not in settings.said + settings.listed
        files = [path for path in home.root.rglob("*") if path.is_file()]
        assert files
        assert not any(KEY.encode() in path.read_bytes() for path in files)

    on_loop(scenario())


def test_without_a_keyring_the_key_is_for_this_session_and_it_says_so(on_loop: Run, opened: Open, home: Home) -> None:
    async def scenario() -> None:
        async with served(speaking_openai(accepted=KEY)) as host, opened(LockedKeyring()) as settings:  # type: ignore[no-untyped-call]
            await settings.add(f"{host}/v1")
            assert "只保存在本次会话" in settings.said
            assert "pong" in settings.said
        assert not any(KEY.encode() in path.read_bytes() for path in home.root.rglob("*") if path.is_file())

    on_loop(scenario())


def test_a_wrong_key_is_said_without_the_key_and_changes_no_default(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with served(speaking_openai(accepted="another")) as host, opened() as settings:
            await settings.add(f"{host}/v1")
            assert "不接受这把密钥" in settings.said
            assert KEY not in settings.said
            assert settings.of(QLabel, "modelMessage").property("t") == "warn"
            assert settings.workspace.models.default_id() == "offline"
            assert "离线分析师（默认）" in settings.listed

    on_loop(scenario())


def test_a_second_try_corrects_the_first(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with served(speaking_openai(accepted=KEY)) as host, opened() as settings:
            await settings.add(f"{host}/v1", key="sk-wrong-0000000000")
            assert settings.workspace.models.default_id() == "offline"
            await settings.add(f"{host}/v1")
            assert "pong" in settings.said
            assert settings.ids == ["offline", MODEL]
            assert settings.workspace.models.default_id() == MODEL

    on_loop(scenario())


def test_an_unreachable_host_says_what_to_do(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await settings.add(f"http://127.0.0.1:{closed_port()}/v1")
            assert "没有模型服务在运行" in settings.said
            assert KEY not in settings.said
            assert settings.workspace.models.default_id() == "offline"

    on_loop(scenario())


@pytest.mark.parametrize(("address", "expected"), [("ftp://x", "网址"), (f"http://u:{KEY}@127.0.0.1/v1", "密钥")])
def test_a_bad_address_adds_nothing_and_keeps_what_was_typed(
    on_loop: Run, opened: Open, address: str, expected: str
) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await settings.add(address)
            assert expected in settings.said
            assert KEY not in settings.said
            assert settings.ids == ["offline"]
            assert settings.of(QLineEdit, "modelKey").text() == KEY

    on_loop(scenario())


def test_a_removed_model_is_gone_with_its_key(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        keyring = MemoryKeyring()
        async with served(speaking_openai()) as host, opened(keyring) as settings:
            await settings.add(f"{host}/v1")
            settings.choose_row(1)
            await settings.press("modelRemove")
            assert settings.ids == ["offline"]
            assert not keyring.kept

    on_loop(scenario())


def test_the_built_in_analyst_cannot_be_removed(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            assert not settings.of(QPushButton, "modelRemove").isEnabled()
            assert not settings.of(QPushButton, "modelTest").isEnabled()

    on_loop(scenario())


def test_the_address_of_a_service_is_in_sight(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            settings.of(QLineEdit, "modelService").setText("ollama")
            words = [one.text() for one in settings.dialog.findChildren(QLabel)]
            assert "http://127.0.0.1:11434/v1" in words

    on_loop(scenario())


def test_every_service_is_offered_and_brings_its_api(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            menu = settings.of(QMenu, "serviceMenu")
            assert [action.text() for action in menu.actions()] == list(SERVICES)
            next(action for action in menu.actions() if action.text() == "anthropic").trigger()
            kind = settings.of(QPushButton, "modelKind-anthropic")
            assert kind.isChecked()
            assert not kind.isEnabled()
            settings.fill("modelService", "https://gateway.example.com/anthropic")
            assert kind.isChecked()
            assert kind.isEnabled()
            settings.fill("modelService", "https://gateway.example.com/v1")
            assert settings.of(QPushButton, "modelKind-openai").isChecked()
            click(settings.of(QPushButton, "modelKind-gemini"))
            settings.fill("modelService", "https://gateway.example.com/v2")
            assert settings.of(QPushButton, "modelKind-gemini").isChecked()

    on_loop(scenario())


def test_the_chosen_api_is_kept(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            settings.fill("modelService", f"http://127.0.0.1:{closed_port()}")
            settings.fill("modelName", MODEL)
            click(settings.of(QPushButton, "modelKind-anthropic"))
            await settings.press("modelAdd")
            assert settings.workspace.models.get(MODEL).provider == "anthropic"

    on_loop(scenario())


def test_a_fallback_is_marked_with_its_place_and_can_be_taken_back(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await settings.configure(a_model("first"), a_model("second"), a_model("third"))
            for row in (3, 2):
                settings.choose_row(row)
                await settings.press("modelFallback")
            assert settings.workspace.models.fallback_ids() == ("third", "second")
            assert "third → second" in settings.said
            assert "third（备用 1）" in settings.listed
            assert "second（备用 2）" in settings.listed
            assert settings.of(QPushButton, "modelFallback").text() == "不再备用"
            settings.choose_row(3)
            await settings.press("modelFallback")
            assert settings.workspace.models.fallback_ids() == ("second",)
            assert "second（备用 1）" in settings.listed

    on_loop(scenario())


def test_the_default_needs_no_other_to_take_its_own_place(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await settings.configure(a_model("first"), a_model("second"))
            settings.choose_row(1)
            assert not settings.of(QPushButton, "modelFallback").isEnabled()
            settings.choose_row(2)
            assert settings.of(QPushButton, "modelFallback").isEnabled()
            await settings.press("modelDefault")
            assert settings.workspace.models.default_id() == "second"
            assert not settings.of(QPushButton, "modelFallback").isEnabled()

    on_loop(scenario())


def test_a_second_try_keeps_what_was_set_by_hand(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with served(speaking_openai()) as host, opened() as settings:
            await settings.add(f"http://127.0.0.1:{closed_port()}/v1")
            settings.choose_row(1)
            await settings.press("modelEdit")
            settings.fill("edit-context_window", "32000")
            await settings.press("editSave")
            await settings.add(f"{host}/v1")
            config = settings.workspace.models.get(MODEL)
            assert (config.base_url, config.context_window) == (f"{host}/v1", 32_000)

    on_loop(scenario())


def test_the_keyboard_comes_back_to_its_button_after_a_test(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            settings.dialog.activateWindow()
            settings.fill("modelService", f"http://127.0.0.1:{closed_port()}/v1")
            settings.fill("modelName", MODEL)
            add = settings.of(QPushButton, "modelAdd")
            add.setFocus()
            await settings.press("modelAdd")
            assert settings.dialog.focusWidget() is add

    on_loop(scenario())
