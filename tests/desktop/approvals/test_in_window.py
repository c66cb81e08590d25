"""Writes in a whole window: what really changes in the portfolio, and when."""

from __future__ import annotations

from decimal import Decimal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.approvals.dialog import ApprovalDialog
from desktop.desk import Desk
from runtime.paths import Home
from runtime.portfolio.operations import SetCash
from tests.desktop.conftest import Run
from tests.support.windows import child, click, open_window, press, say, until

STOCK = "608101.SIM"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WYCKOFF_OFFLINE_PAUSE_S", "0.000001")


def order(desk: Desk, shares: int) -> None:
    say(desk, f"买入 {shares} 股 云溪股份 价格 7.7 元")


def shown(desk: Desk) -> ApprovalDialog | None:
    dialogs = desk.window.findChildren(ApprovalDialog)
    return next((dialog for dialog in dialogs if dialog.isVisible()), None)


async def asked(desk: Desk, other_than: str = "") -> ApprovalDialog:
    """The dialog of a request, ready to be answered."""

    def ready() -> bool:
        dialog = shown(desk)
        return dialog is not None and dialog.request_id != other_than and dialog.answers

    await until(ready)
    dialog = shown(desk)
    assert dialog is not None
    return dialog


async def set_cash(desk: Desk, yuan: int) -> None:
    """Another surface changes the portfolio."""
    portfolio = desk.workspace.portfolio
    await portfolio.apply(await portfolio.plan([SetCash(cash=Decimal(yuan))]), "test")


def allow(dialog: ApprovalDialog) -> None:
    click(child(dialog, QPushButton, "approvalAllow"))


def says_moved(dialog: ApprovalDialog) -> bool:
    return child(dialog, QWidget, "approvalMoved").isVisible()


def test_a_portfolio_that_moved_meanwhile_is_asked_about_again(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home) as desk:
            await set_cash(desk, 500_000)
            order(desk, 300)
            first = await asked(desk)
            assert not says_moved(first)
            request = first.request_id
            await set_cash(desk, 400_000)
            allow(first)
            second = await asked(desk, other_than=request)
            assert says_moved(second)
            assert (await desk.workspace.portfolio.book()).positions == {}
            allow(second)
            await until(lambda: desk.chat.run is None)
            assert (await desk.workspace.portfolio.book()).positions[STOCK].shares == 300

    on_loop(scenario())


def test_always_for_the_conversation_asks_no_more(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home) as desk:
            await set_cash(desk, 500_000)
            order(desk, 300)
            dialog = await asked(desk)
            action = dialog.findChild(QAction, "always-conversation")
            assert action is not None
            action.trigger()
            await until(lambda: desk.chat.run is None)
            order(desk, 200)
            await until(lambda: len(desk.transcript.turns) == 2 and desk.chat.run is None)
            assert shown(desk) is None
            assert (await desk.workspace.portfolio.book()).positions[STOCK].shares == 500

    on_loop(scenario())


def test_escape_and_stop_write_nothing(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home) as desk:
            order(desk, 300)
            dialog = await asked(desk)
            press(dialog, Qt.Key.Key_Escape)
            await until(lambda: shown(desk) is None)
            assert desk.chat.run is not None
            desk.chat.stop()
            await until(lambda: desk.chat.run is None)
            assert (await desk.workspace.portfolio.book()).positions == {}

    on_loop(scenario())
