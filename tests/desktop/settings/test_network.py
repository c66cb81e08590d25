"""The proxy: kept as chosen, refused with an example, and tested by the default model."""

from __future__ import annotations

import pytest
from aiohttp import web
from PySide6.QtWidgets import QLineEdit, QPushButton

from tests.desktop.conftest import Run
from tests.support.local_servers import served
from tests.support.settings_dialogs import Open, Opened, a_model, closed_port
from tests.support.windows import click


def proxy_of(settings: Opened) -> str:
    return settings.workspace.base.live.now().proxy


async def open_page(settings: Opened) -> None:
    settings.go_to("network")
    await settings.idle()


async def use_proxy(settings: Opened, address: str, button: str = "proxySave") -> None:
    click(settings.of(QPushButton, "proxy-custom"))
    settings.fill("proxyAddress", address)
    await settings.press(button)


def test_each_way_is_kept_and_shown_when_the_page_opens_again(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await open_page(settings)
            assert settings.of(QPushButton, "proxy-system").isChecked()
            assert not settings.of(QLineEdit, "proxyAddress").isEnabled()
            click(settings.of(QPushButton, "proxy-none"))
            await settings.press("proxySave")
            assert proxy_of(settings) == "none"
            await use_proxy(settings, " socks5://127.0.0.1:1080 ")
            assert proxy_of(settings) == "socks5://127.0.0.1:1080"
        async with opened() as settings:
            await open_page(settings)
            assert settings.of(QPushButton, "proxy-custom").isChecked()
            assert settings.of(QLineEdit, "proxyAddress").text() == "socks5://127.0.0.1:1080"

    on_loop(scenario())


@pytest.mark.parametrize("address", ["", "127.0.0.1:7890", "ftp://x", "http://me:hunter2@127.0.0.1:1"])
def test_what_is_no_proxy_is_refused_and_stays_to_be_corrected(on_loop: Run, opened: Open, address: str) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await open_page(settings)
            await use_proxy(settings, address)
            assert "http://127.0.0.1:7890" in settings.text("proxyMessage")
            assert "hunter2" not in settings.text("proxyMessage")
            line = settings.of(QLineEdit, "proxyAddress")
            assert line.property("invalid") == "true"
            assert line.text() == address
            assert proxy_of(settings) == "system"

    on_loop(scenario())


def test_the_default_model_is_asked_through_the_proxy(on_loop: Run, opened: Open) -> None:
    asked: list[str] = []

    async def forward(request: web.Request) -> web.StreamResponse:
        asked.append(str(request.url))
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b'data: {"choices":[{"index":0,"delta":{"content":"pong"}}]}\n\n')
        await response.write(b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
        return response

    async def scenario() -> None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", forward)
        async with served(app) as proxy, opened() as settings:
            await settings.workspace.models.add(a_model("far", "http://model.invalid/v1"), "sk-0123456789")
            await open_page(settings)
            await use_proxy(settings, proxy, "proxyTest")
            assert "pong" in settings.text("proxyMessage")
            assert asked == ["http://model.invalid/v1/chat/completions"]

    on_loop(scenario())


def test_a_proxy_that_is_not_there_is_said_in_words(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await settings.workspace.models.add(a_model("far", "http://model.invalid/v1"), "sk-0123456789")
            await open_page(settings)
            await use_proxy(settings, f"http://127.0.0.1:{closed_port()}", "proxyTest")
            assert "model.invalid" in settings.text("proxyMessage")
            assert "代理" in settings.text("proxyMessage")

    on_loop(scenario())


def test_without_an_online_default_there_is_nothing_to_test(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await open_page(settings)
            await settings.press("proxyTest")
            assert "离线分析师" in settings.text("proxyMessage")
            await settings.workspace.models.add(a_model("home", "http://127.0.0.1:9/v1"))
            await settings.press("proxyTest")
            assert "home" in settings.text("proxyMessage")
            assert "不经过代理" in settings.text("proxyMessage")

    on_loop(scenario())
