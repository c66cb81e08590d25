"""Servers on this machine: looked for when the page opens, without holding it up, and added with one click."""

from __future__ import annotations

import asyncio

from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea

from tests.desktop.conftest import Run
from tests.support.local_servers import lmstudio, ollama, served
from tests.support.settings_dialogs import Open, Opened, a_model
from tests.support.windows import click, until

QWEN = "qwen3:8b"
LM = "qwen2.5-7b-instruct"


def rows(settings: Opened) -> str:
    """What the box says, whole texts of cut lines included."""
    found = settings.of(QScrollArea, "localServers").findChildren(QLabel)
    return "\n".join(getattr(label, "_whole", label.text()) for label in found)


def test_models_of_both_servers_are_found_and_one_is_added_and_tested(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with (
            served(ollama(QWEN)) as here,
            served(lmstudio(LM)) as there,
            opened(WYCKOFF_OLLAMA_URL=here, WYCKOFF_LMSTUDIO_URL=there) as settings,
        ):
            await until(lambda: LM in rows(settings))
            assert f"本机 Ollama：{QWEN}" in rows(settings)
            assert "上下文 41k" in rows(settings)
            assert f"本机 LM Studio：{LM}" in rows(settings)
            assert "embedding" not in rows(settings)
            settings.of(QPushButton, f"localAdd-ollama-{QWEN}").setFocus()
            await settings.press(f"localAdd-ollama-{QWEN}")
            task = settings.dialog.models._work._task
            assert task is not None
            await task  # its button is gone, and that is no error
            config = settings.workspace.models.get(QWEN)
            assert (config.base_url, config.context_window) == (f"{here}/v1", 40_960)
            assert (config.reasoning, config.tools) == (True, True)
            assert "pong" in settings.said
            assert settings.workspace.models.default_id() == QWEN
            assert "已添加" in rows(settings)
            assert settings.dialog.findChild(QPushButton, f"localAdd-lmstudio-{LM}") is not None

    on_loop(scenario())


def test_a_found_model_does_not_push_the_default_aside(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with served(ollama(QWEN)) as here, opened(WYCKOFF_OLLAMA_URL=here) as settings:
            await settings.configure(a_model("deepseek"))
            await until(lambda: QWEN in rows(settings))
            await settings.press(f"localAdd-ollama-{QWEN}")
            assert settings.workspace.models.default_id() == "deepseek"
            assert settings.ids == ["offline", "deepseek", QWEN]

    on_loop(scenario())


def test_a_name_that_is_taken_gets_the_server_behind_it(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with served(ollama(QWEN)) as here, opened(WYCKOFF_OLLAMA_URL=here) as settings:
            await settings.configure(a_model(QWEN))
            await until(lambda: QWEN in rows(settings))
            await settings.press(f"localAdd-ollama-{QWEN}")
            assert settings.ids == ["offline", QWEN, f"{QWEN}@ollama"]
            assert settings.workspace.models.get(f"{QWEN}@ollama").model == QWEN

    on_loop(scenario())


def test_what_was_not_found_is_named_and_can_be_looked_for_again(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await until(lambda: "没有发现 LM Studio（127.0.0.1:" in rows(settings))
            assert "没有发现 Ollama（127.0.0.1:" in rows(settings)
            async with served(ollama(QWEN)) as here:
                await asyncio.to_thread(settings.workspace.base.live.change, "ollama_url", here)
                again = settings.of(QPushButton, "localAgain")
                await until(again.isEnabled)
                click(again)
                await until(again.isEnabled)
                assert "没有发现 Ollama（127.0.0.1:" in rows(settings)  # the environment of this test comes first

    on_loop(scenario())


def test_a_server_that_starts_later_is_found_by_looking_again(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        gate = asyncio.Event()
        async with served(ollama(QWEN, gate=gate)) as here, opened(WYCKOFF_OLLAMA_URL=here) as settings:
            again = settings.of(QPushButton, "localAgain")
            assert "正在寻找" in rows(settings)
            await until(lambda: not again.isEnabled())
            await settings.configure(a_model("deepseek"))  # the page works meanwhile
            settings.choose_row(1)
            await settings.press("modelFallback")
            gate.set()
            await until(again.isEnabled)
            click(again)
            await until(lambda: QWEN in rows(settings))

    on_loop(scenario())


def test_a_server_without_models_says_so(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with served(ollama()) as here, opened(WYCKOFF_OLLAMA_URL=here) as settings:
            await until(lambda: "还没有模型" in rows(settings))

    on_loop(scenario())
