"""Adding a model: what is kept where, what a failed connection says, and that no key is ever shown."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeVar

import pytest
from aiohttp import web
from keyring.backend import KeyringBackend
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QListWidget, QPushButton, QWidget

from desktop.settings.dialog import SettingsDialog
from runtime.paths import Home
from runtime.redact import Redactor
from runtime.secrets import SecretStore
from runtime.workspace import Overrides, Workspace, open_workspace
from tests.desktop.conftest import Run
from tests.support.charts import ui_of
from tests.support.keyrings import LockedKeyring, MemoryKeyring
from tests.support.windows import click, until

KEY = "sk-secret-0123456789abcdef"
MODEL = "test-model"


Kind = TypeVar("Kind", bound=QWidget)


class Opened:
    """A settings dialog and its services."""

    def __init__(self, dialog: SettingsDialog, workspace: Workspace) -> None:
        self.dialog = dialog
        self.workspace = workspace

    @property
    def said(self) -> str:
        return self.of(QLabel, "modelMessage").text()

    @property
    def listed(self) -> str:
        listed = self.of(QListWidget, "modelList")
        return "\n".join(listed.item(row).text() for row in range(listed.count()))

    def of(self, kind: type[Kind], name: str) -> Kind:
        found: Kind | None = self.dialog.findChild(kind, name)
        assert found is not None, name
        return found

    async def add(self, address: str, key: str = KEY) -> None:
        """Fill the form, press the button, wait for the end."""
        self.of(QLineEdit, "modelService").setText(address)
        self.of(QLineEdit, "modelName").setText(MODEL)
        self.of(QLineEdit, "modelKey").setText(key)
        await self.press("modelAdd")

    async def press(self, name: str) -> None:
        add = self.of(QPushButton, "modelAdd")
        click(self.of(QPushButton, name))
        await until(add.isEnabled)


Open = Callable[..., AbstractAsyncContextManager[Opened]]


@pytest.fixture
def opened(qapp: QApplication, home: Home) -> Open:
    @asynccontextmanager
    async def made(keyring: KeyringBackend | None = None) -> AsyncIterator[Opened]:
        secrets = SecretStore({}, Redactor(), keyring or MemoryKeyring())
        workspace = open_workspace(home, dict(os.environ), Overrides(secrets=secrets))
        window = QWidget()
        window.resize(1280, 800)
        dialog = SettingsDialog(ui_of(qapp), workspace, window)
        dialog.show()
        try:
            yield Opened(dialog, workspace)
        finally:
            await dialog.models.aclose()
            dialog.close()
            window.deleteLater()
            workspace.close()

    return made


@asynccontextmanager
async def model_server(*, accepted: str | None = None) -> AsyncIterator[str]:
    """A model on loopback that says a word; with `accepted`, to nobody with another key."""

    async def answer(request: web.Request) -> web.StreamResponse:
        given = request.headers.get("Authorization", "")
        if accepted is not None and given != f"Bearer {accepted}":
            told = {"error": {"message": f"Incorrect API key provided: {given[7:]}", "code": "invalid_api_key"}}
            return web.json_response(told, status=401)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"pong"}}]}\n\n')
        await response.write(b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
        return response

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


def closed_port() -> int:
    """A port of loopback on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_model_that_answers_becomes_the_default(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with model_server(accepted=KEY) as url, opened() as settings:
            changes: list[None] = []
            settings.dialog.models_changed.connect(lambda: changes.append(None))
            await settings.add(url)
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
        async with model_server(accepted=KEY) as url, opened(keyring) as settings:
            await settings.add(url)
            assert KEY in keyring.kept.values()
            assert "系统钥匙串" in settings.said
            assert KEY not in settings.said + settings.listed
        files = [path for path in home.root.rglob("*") if path.is_file()]
        assert files
        assert not any(KEY.encode() in path.read_bytes() for path in files)

    on_loop(scenario())


def test_without_a_keyring_the_key_is_for_this_session_and_it_says_so(on_loop: Run, opened: Open, home: Home) -> None:
    async def scenario() -> None:
        async with model_server(accepted=KEY) as url, opened(LockedKeyring()) as settings:  # type: ignore[no-untyped-call]
            await settings.add(url)
            assert "只保存在本次会话" in settings.said
            assert "pong" in settings.said
        assert not any(KEY.encode() in path.read_bytes() for path in home.root.rglob("*") if path.is_file())

    on_loop(scenario())


def test_a_wrong_key_is_said_without_the_key_and_changes_no_default(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with model_server(accepted="another") as url, opened() as settings:
            await settings.add(url)
            assert "不接受这把密钥" in settings.said
            assert KEY not in settings.said
            assert settings.of(QLabel, "modelMessage").property("t") == "warn"
            assert settings.workspace.models.default_id() == "offline"
            assert "离线分析师（默认）" in settings.listed

    on_loop(scenario())


def test_a_second_try_corrects_the_first(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with model_server(accepted=KEY) as url, opened() as settings:
            await settings.add(url, key="sk-wrong-0000000000")
            assert settings.workspace.models.default_id() == "offline"
            await settings.add(url)
            assert "pong" in settings.said
            assert [model.id for model in settings.workspace.models.models()] == ["offline", MODEL]
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
            assert [model.id for model in settings.workspace.models.models()] == ["offline"]
            assert settings.of(QLineEdit, "modelKey").text() == KEY

    on_loop(scenario())


def test_a_removed_model_is_gone_with_its_key(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        keyring = MemoryKeyring()
        async with model_server() as url, opened(keyring) as settings:
            await settings.add(url)
            settings.of(QListWidget, "modelList").setCurrentRow(1)
            await settings.press("modelRemove")
            assert [model.id for model in settings.workspace.models.models()] == ["offline"]
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
