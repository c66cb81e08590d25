"""What the guards do is seen in the window: a figure without a source, a required look, a conclusion that was lowered."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from desktop.chat.cards import NoticeCard
from desktop.chat.text_view import TextView
from desktop.desk import Desk
from runtime.paths import Home
from runtime.providers.base import Capabilities
from tests.desktop.conftest import Run
from tests.support.scripted import ScriptedProvider, calls
from tests.support.scripted import call as tool_call
from tests.support.scripted import say as answer
from tests.support.windows import ended, open_window, say, until


def notices(desk: Desk) -> str:
    cards = [card for card in desk.window.transcript.findChildren(NoticeCard) if card.isVisible()]
    return "\n".join(label.text() for card in cards for label in card.findChildren(QLabel))


def test_a_figure_without_a_source_is_named_beside_the_answer(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        model = ScriptedProvider(
            calls(tool_call("analyze_stock", {"symbol": "608101.SIM"})), answer("它收在 99.99 元。")
        )
        async with open_window(home, model) as desk:
            say(desk, "云溪股份走势")
            await ended(desk)
            await until(lambda: "99.99 元" in notices(desk))

    on_loop(scenario())


def test_an_answer_without_the_required_look_is_taken_back_in_the_window(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        looked = calls(tool_call("portfolio", {"mode": "view"}))
        async with open_window(home, ScriptedProvider(answer("你有茅台。"), looked, answer("没有登记持仓。"))) as desk:
            say(desk, "我有什么持仓")
            await ended(desk)
            shown = [view.toPlainText() for view in desk.window.transcript.findChildren(TextView) if view.isVisible()]
            assert shown == ["没有登记持仓。"]
            assert "没有查看持仓" in notices(desk)

    on_loop(scenario())


def test_a_model_without_tools_is_announced(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        model = ScriptedProvider(answer("在吸筹。"), capabilities=Capabilities(tools=False))
        async with open_window(home, model) as desk:
            say(desk, "云溪股份走势")
            await ended(desk)
            await until(lambda: "不会调用工具" in notices(desk))

    on_loop(scenario())
