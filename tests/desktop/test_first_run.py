"""A newcomer's way: open, ask, watch, see the chart, decide on a write, find it all again."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton

from desktop.approvals.dialog import ApprovalDialog
from desktop.desk import Desk
from desktop.viewmodels.parts import ApprovalPart, TextPart, ThinkingPart, ToolPart, VerdictPart
from runtime.paths import Home
from tests.desktop.conftest import Run
from tests.support.windows import child, click, open_window, press, say, until, write

QUESTION = "云溪股份现在适合买吗？"
ORDER = "买入 1000 股 云溪股份 价格 7.7 元"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WYCKOFF_OFFLINE_PAUSE_S", "0.000001")


async def dialog_of(desk: Desk) -> ApprovalDialog:
    await until(lambda: desk.window.findChild(ApprovalDialog) is not None)
    dialog = desk.window.findChild(ApprovalDialog)
    assert dialog is not None
    await until(lambda: dialog.answers)
    return dialog


def test_a_question_is_answered_with_tools_a_verdict_and_a_chart(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home) as desk:
            assert desk.window.onboarding.isVisible()
            click(child(desk.window, QPushButton, "prompt1"))
            await until(lambda: desk.chat.run is None)
            turn = desk.transcript.turns[0]
            kinds = [type(part) for part in turn.parts]
            assert turn.text == QUESTION
            assert turn.status == "done"
            assert kinds.count(ToolPart) >= 2
            assert ThinkingPart in kinds
            assert VerdictPart in kinds
            assert kinds[-1] is TextPart
            assert not desk.window.onboarding.isVisible()
            await until(lambda: desk.window.charts.has("608101.SIM"))
            assert desk.window.charts.isVisible()
            chart = desk.window.charts.page("608101.SIM").chart
            assert {event.kind.value for event in desk.window.charts.page("608101.SIM").view.marks()} >= {
                "SPRING",
                "SOS",
            }
            verdict = next(part.verdict for part in turn.parts if isinstance(part, VerdictPart))
            assert chart.reading.stop is not None
            assert verdict.levels.stop == pytest.approx(chart.reading.stop.price, abs=1e-4)

    on_loop(scenario())


def test_a_write_is_previewed_and_happens_only_after_allow(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home) as desk:
            say(desk, ORDER)
            dialog = await dialog_of(desk)
            assert (await desk.workspace.portfolio.book()).positions == {}
            click(child(dialog, QPushButton, "approvalAllow"))
            await until(lambda: desk.chat.run is None)
            book = await desk.workspace.portfolio.book()
            assert book.positions["608101.SIM"].shares == 1000

    on_loop(scenario())


def test_a_denied_write_leaves_the_portfolio_alone_and_the_reason_is_told(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home) as desk:
            say(desk, ORDER)
            dialog = await dialog_of(desk)
            write(child(dialog, QLineEdit, "approvalReason"), "太贵")
            click(child(dialog, QPushButton, "approvalDeny"))
            await until(lambda: desk.chat.run is None)
            assert (await desk.workspace.portfolio.book()).positions == {}
            tool = next(part for part in desk.transcript.turns[0].parts if isinstance(part, ToolPart))
            assert "太贵" in tool.summary

    on_loop(scenario())


def test_a_changed_write_is_previewed_again_and_written_as_changed(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home) as desk:
            say(desk, ORDER)
            dialog = await dialog_of(desk)
            click(child(dialog, QPushButton, "approvalModify"))
            allow = child(dialog, QPushButton, "approvalAllow")
            field = child(dialog, QLineEdit, "approvalField-shares")
            assert isinstance(field, QLineEdit)
            field.clear()
            write(field, "2000")
            await until(allow.isEnabled)
            click(allow)
            await until(lambda: desk.chat.run is None)
            assert (await desk.workspace.portfolio.book()).positions["608101.SIM"].shares == 2000

    on_loop(scenario())


def test_a_change_that_does_not_hold_stays_open_and_cannot_be_allowed(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home) as desk:
            say(desk, ORDER)
            dialog = await dialog_of(desk)
            click(child(dialog, QPushButton, "approvalModify"))
            field = child(dialog, QLineEdit, "approvalField-shares")
            assert isinstance(field, QLineEdit)
            field.clear()
            write(field, "150")
            await until(lambda: field.property("invalid") == "true")
            assert not child(dialog, QPushButton, "approvalAllow").isEnabled()
            dialog.close()
            desk.chat.stop()
            await until(lambda: desk.chat.run is None)
            assert (await desk.workspace.portfolio.book()).positions == {}

    on_loop(scenario())


def test_a_closed_dialog_is_no_answer_and_opens_again_from_its_card(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home) as desk:
            say(desk, ORDER)
            dialog = await dialog_of(desk)
            request = dialog.request_id
            press(dialog, Qt.Key.Key_Escape)
            await until(lambda: not dialog.isVisible())
            assert desk.chat.run is not None
            click(child(desk.window, QPushButton, f"reopen-{request}"))
            again = await dialog_of(desk)
            click(child(again, QPushButton, "approvalAllow"))
            await until(lambda: desk.chat.run is None)
            assert (await desk.workspace.portfolio.book()).positions["608101.SIM"].shares == 1000

    on_loop(scenario())


def test_enter_and_early_keys_never_allow(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home) as desk:
            say(desk, ORDER)
            await until(lambda: desk.window.findChild(ApprovalDialog) is not None)
            dialog = desk.window.findChild(ApprovalDialog)
            assert dialog is not None
            press(dialog, Qt.Key.Key_Y)
            click(child(dialog, QPushButton, "approvalAllow"))
            press(dialog, Qt.Key.Key_Return)
            assert desk.chat.run is not None
            assert (await desk.workspace.portfolio.book()).positions == {}
            assert not child(dialog, QPushButton, "approvalAllow").property("default")
            desk.chat.stop()
            await until(lambda: desk.chat.run is None)

    on_loop(scenario())


def test_stopping_keeps_what_was_there(on_loop: Run, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WYCKOFF_OFFLINE_PAUSE_S", "0.2")

    async def scenario() -> None:
        async with open_window(home) as desk:
            say(desk, QUESTION)
            turn = desk.transcript.turns[0]
            await until(lambda: any(isinstance(part, TextPart) and part.text for part in turn.parts))
            click(child(desk.window, QPushButton, "stopButton"))
            await until(lambda: desk.chat.run is None)
            assert turn.status == "stopped"
            assert turn.answer

    on_loop(scenario())


def test_everything_is_found_again_after_a_restart(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home) as desk:
            say(desk, QUESTION)
            await until(lambda: desk.chat.run is None)
            before = desk.transcript.turns[0]
        async with open_window(home) as desk:
            await until(lambda: desk.transcript.turns)
            after = desk.transcript.turns[0]
            assert after.text == before.text
            assert after.answer == before.answer
            assert any(isinstance(part, VerdictPart) for part in after.parts)
            assert not any(isinstance(part, ApprovalPart) for part in after.parts)

    on_loop(scenario())
