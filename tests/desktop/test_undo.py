"""A write that was allowed can be taken back from the window, at once and only itself."""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtWidgets import QLabel, QMessageBox, QPushButton

from desktop.approvals.dialog import ApprovalDialog
from desktop.desk import Desk
from desktop.panels.undo_bar import UndoBar
from runtime.paths import Home
from runtime.portfolio.operations import SetCash
from tests.desktop.conftest import Run
from tests.support.scripted import ScriptedProvider, call, calls
from tests.support.scripted import say as answer
from tests.support.windows import child, click, ended, open_window, say, until

CASH = calls(call("update_portfolio", {"action": "set_cash", "free_cash": 1000}))


async def cash_was_set(desk: Desk) -> UndoBar:
    """Ask for the write and allow it; the bar that offers to take it back."""
    say(desk, "现金一千")
    await until(lambda: desk.window.findChild(ApprovalDialog) is not None)
    dialog = child(desk.window, ApprovalDialog, "approvalDialog")
    await until(lambda: dialog.answers)
    click(child(dialog, QPushButton, "approvalAllow"))
    await ended(desk)
    bar = child(desk.window, UndoBar, "undoBar")
    assert bar.isVisible()
    assert any("1,000.00" in label.text() for label in bar.findChildren(QLabel))
    return bar


async def cash(desk: Desk) -> Decimal | None:
    return (await desk.workspace.portfolio.book()).cash


def test_a_write_is_taken_back_and_done_again(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(CASH, answer("已登记。"))) as desk:
            bar = await cash_was_set(desk)
            for expected in (None, Decimal(1000)):
                click(bar.findChildren(QPushButton)[0])
                await until(lambda: not desk._tasks)
                assert await cash(desk) == expected
                assert bar.isVisible()

    on_loop(scenario())


def test_what_was_written_since_is_not_taken_back_in_its_place(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(CASH, answer("已登记。"))) as desk:
            bar = await cash_was_set(desk)
            portfolio = desk.workspace.portfolio
            await portfolio.apply(await portfolio.plan([SetCash(cash=Decimal(5))]), "terminal")
            click(bar.findChildren(QPushButton)[0])
            await until(lambda: desk.window.findChild(QMessageBox, "problemDialog") is not None)
            assert await cash(desk) == Decimal(5)
            child(desk.window, QMessageBox, "problemDialog").close()

    on_loop(scenario())
