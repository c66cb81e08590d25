"""Four ways to answer a write, and everything that is no answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QPlainTextEdit, QPushButton, QToolButton, QWidget

from desktop.approvals.coordinator import ApprovalCoordinator
from desktop.approvals.dialog import ApprovalDialog
from desktop.approvals.preview import PreviewView
from desktop.context import Ui
from runtime.core.approvals import ApprovalDecision, ApprovalRequest
from tests.desktop.conftest import Run
from tests.support.approvals import lots_only, request_of
from tests.support.charts import ui_of
from tests.support.windows import click, press, until

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class Asked:
    """A request that waits, shown in its dialog."""

    def __init__(self, ui: Ui, request: ApprovalRequest, window: QWidget, queue: ApprovalCoordinator) -> None:
        self.queue = queue
        self.request = request
        self.answer = asyncio.ensure_future(queue.decide("turn", request, lots_only(request)))
        self._ui = ui
        self._window = window

    async def open(self) -> ApprovalDialog:
        await until(lambda: self.queue.find(self.request.id))
        waiting = self.queue.find(self.request.id)
        assert waiting is not None
        dialog = ApprovalDialog(self._ui, waiting, waiting.position, self._window)
        dialog.decided.connect(self.queue.settle)
        dialog.open()
        return dialog

    async def ready(self) -> ApprovalDialog:
        dialog = await self.open()
        await until(lambda: dialog.answers)
        return dialog

    async def end(self) -> None:
        self.answer.cancel()
        await asyncio.wait({self.answer})


Ask = Callable[..., AbstractAsyncContextManager[Asked]]


@pytest.fixture
def ask(qapp: QApplication) -> Ask:
    @asynccontextmanager
    async def asked(request: ApprovalRequest, queue: ApprovalCoordinator | None = None) -> AsyncIterator[Asked]:
        window = QWidget()
        window.resize(1280, 800)
        window.show()
        made = Asked(ui_of(qapp), request, window, queue or ApprovalCoordinator())
        try:
            yield made
        finally:
            await made.end()
            window.close()
            window.deleteLater()

    return asked


def button(dialog: ApprovalDialog, name: str) -> QPushButton:
    found = dialog.findChild(QPushButton, name)
    assert found is not None, name
    return found


def field(dialog: ApprovalDialog, name: str) -> QLineEdit:
    found = dialog.findChild(QLineEdit, name)
    assert found is not None, name
    return found


def moved_line(dialog: ApprovalDialog) -> QWidget:
    found: QWidget | None = dialog.findChild(QWidget, "approvalMoved")
    assert found is not None
    return found


def text_of(dialog: ApprovalDialog) -> str:
    return "\n".join(label.text() for label in dialog.findChildren(QLabel) if label.isVisible())


def retype(line: QLineEdit, text: str) -> None:
    """Type over what is there."""
    line.selectAll()
    line.insert(text)
    line.textEdited.emit(line.text())


@pytest.mark.parametrize("how", ["approvalAllow", Qt.Key.Key_Y])
def test_allow_runs_what_was_shown(on_loop: Run, ask: Ask, how: object) -> None:
    async def scenario() -> None:
        async with ask(request_of()) as asked:
            dialog = await asked.ready()
            click(button(dialog, how)) if isinstance(how, str) else press(dialog, Qt.Key.Key_Y)
            decision: ApprovalDecision = await asked.answer
            assert (decision.choice, decision.args) == ("allow", asked.request.args)
            assert not dialog.isVisible()

    on_loop(scenario())


def test_deny_tells_the_reason(on_loop: Run, ask: Ask) -> None:
    async def scenario() -> None:
        async with ask(request_of()) as asked:
            dialog = await asked.ready()
            field(dialog, "approvalReason").setText(" 太贵 ")
            press(dialog, Qt.Key.Key_N)
            decision = await asked.answer
            assert (decision.choice, decision.reason, decision.args) == ("deny", "太贵", None)

    on_loop(scenario())


@pytest.mark.parametrize("scope", ["conversation", "forever"])
def test_always_has_two_scopes_in_words(on_loop: Run, ask: Ask, scope: str) -> None:
    async def scenario() -> None:
        async with ask(request_of()) as asked:
            dialog = await asked.ready()
            press(dialog, Qt.Key.Key_A)
            menu = dialog.findChild(QMenu, "approvalScopes")
            assert menu is not None
            await until(menu.isVisible)
            action = menu.findChild(QAction, f"always-{scope}")
            assert action is not None
            assert asked.request.always_text in action.text()
            menu.close()
            action.trigger()
            decision = await asked.answer
            assert (decision.choice, decision.scope) == ("always", scope)

    on_loop(scenario())


def test_always_is_absent_where_it_is_not_offered(on_loop: Run, ask: Ask) -> None:
    async def scenario() -> None:
        async with ask(request_of(always=False)) as asked:
            dialog = await asked.ready()
            assert not button(dialog, "approvalAlways").isVisible()
            press(dialog, Qt.Key.Key_A)
            menu = dialog.findChild(QMenu, "approvalScopes")
            assert menu is not None
            assert not menu.isVisible()
            assert not asked.answer.done()

    on_loop(scenario())


def test_a_change_is_computed_again_and_run_as_changed(on_loop: Run, ask: Ask) -> None:
    async def scenario() -> None:
        async with ask(request_of()) as asked:
            dialog = await asked.ready()
            press(dialog, Qt.Key.Key_E)
            allow = button(dialog, "approvalAllow")
            assert not allow.isEnabled()
            retype(field(dialog, "approvalField-shares"), "2000")
            assert not allow.isEnabled()
            await until(allow.isEnabled)
            assert "2000 股" in text_of(dialog)
            assert "高" in text_of(dialog)
            click(allow)
            decision = await asked.answer
            assert decision.choice == "modify"
            assert decision.args == {**asked.request.args, "shares": 2000}

    on_loop(scenario())


def test_a_change_that_does_not_hold_shows_why_and_no_old_preview(on_loop: Run, ask: Ask) -> None:
    async def scenario() -> None:
        async with ask(request_of()) as asked:
            dialog = await asked.ready()
            click(button(dialog, "approvalModify"))
            shares = field(dialog, "approvalField-shares")
            retype(shares, "150")
            await until(lambda: shares.property("invalid") == "true")
            assert "150 股不是整手" in text_of(dialog)
            assert not any(view.isVisible() for view in dialog.findChildren(PreviewView))
            press(dialog, Qt.Key.Key_Y)
            click(button(dialog, "approvalAllow"))
            assert not asked.answer.done()
            retype(shares, "400")
            await until(button(dialog, "approvalAllow").isEnabled)
            assert shares.property("invalid") == "false"
            assert "不是整手" not in text_of(dialog)

    on_loop(scenario())


def test_a_change_can_be_typed_as_json(on_loop: Run, ask: Ask) -> None:
    async def scenario() -> None:
        async with ask(request_of()) as asked:
            dialog = await asked.ready()
            click(button(dialog, "approvalModify"))
            click(button(dialog, "approvalAs-raw"))
            raw = dialog.findChild(QPlainTextEdit, "approvalJson")
            assert raw is not None
            raw.setPlainText("{")
            await until(lambda: "JSON" in text_of(dialog) and not button(dialog, "approvalAllow").isEnabled())
            raw.setPlainText('{"side": "buy", "symbol": "608101.SIM", "shares": 500}')
            await until(button(dialog, "approvalAllow").isEnabled)
            click(button(dialog, "approvalAllow"))
            decision = await asked.answer
            assert decision.args == {"side": "buy", "symbol": "608101.SIM", "shares": 500}

    on_loop(scenario())


def test_a_discarded_change_leaves_the_request_as_it_was(on_loop: Run, ask: Ask) -> None:
    async def scenario() -> None:
        async with ask(request_of()) as asked:
            dialog = await asked.ready()
            click(button(dialog, "approvalModify"))
            retype(field(dialog, "approvalField-shares"), "2000")
            await until(button(dialog, "approvalAllow").isEnabled)
            click(button(dialog, "approvalDiscard"))
            assert "300 股" in text_of(dialog)
            click(button(dialog, "approvalAllow"))
            decision = await asked.answer
            assert (decision.choice, decision.args) == ("allow", asked.request.args)

    on_loop(scenario())


def test_keys_and_buttons_answer_nothing_in_the_first_moment(on_loop: Run, ask: Ask) -> None:
    async def scenario() -> None:
        async with ask(request_of()) as asked:
            dialog = await asked.open()
            for key in (Qt.Key.Key_Y, Qt.Key.Key_A, Qt.Key.Key_E, Qt.Key.Key_N, Qt.Key.Key_Return):
                press(dialog, key)
            for name in ("approvalAllow", "approvalDeny", "approvalModify"):
                click(button(dialog, name))
            assert dialog.findChild(QLineEdit, "approvalField-shares") is None
            await until(lambda: dialog.answers)
            assert not asked.answer.done()
            assert dialog.isVisible()

    on_loop(scenario())


def test_a_held_key_a_shortcut_and_enter_answer_nothing(on_loop: Run, ask: Ask) -> None:
    async def scenario() -> None:
        async with ask(request_of()) as asked:
            dialog = await asked.ready()
            none = Qt.KeyboardModifier.NoModifier
            held = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Y, none, "y", True)
            QApplication.sendEvent(dialog, held)
            press(dialog, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
            press(dialog, Qt.Key.Key_Return)
            assert not asked.answer.done()
            assert not any(one.isDefault() or one.autoDefault() for one in dialog.findChildren(QPushButton))

    on_loop(scenario())


def test_letters_typed_into_a_field_answer_nothing(on_loop: Run, ask: Ask) -> None:
    async def scenario() -> None:
        async with ask(request_of()) as asked:
            dialog = await asked.ready()
            reason = field(dialog, "approvalReason")
            reason.setFocus()
            for key in (Qt.Key.Key_N, Qt.Key.Key_Y, Qt.Key.Key_A, Qt.Key.Key_E):
                press(reason, key)
            assert reason.text() == "nyae"
            assert not asked.answer.done()

    on_loop(scenario())


@pytest.mark.parametrize("how", ["escape", "button", "window"])
def test_closing_is_no_answer(on_loop: Run, ask: Ask, how: str) -> None:
    async def scenario() -> None:
        async with ask(request_of()) as asked:
            dialog = await asked.ready()
            if how == "escape":
                press(dialog, Qt.Key.Key_Escape)
            elif how == "button":
                close = dialog.findChild(QToolButton, "approvalClose")
                assert close is not None
                click(close)
            else:
                dialog.close()
            assert not dialog.isVisible()
            assert not asked.answer.done()
            assert asked.queue.find(asked.request.id) is not None

    on_loop(scenario())


def test_it_does_not_block_its_window_and_can_stop_the_turn(on_loop: Run, ask: Ask) -> None:
    async def scenario() -> None:
        async with ask(request_of()) as asked:
            dialog = await asked.ready()
            assert not dialog.isModal()
            stopped: list[str] = []
            dialog.stop_asked.connect(stopped.append)
            click(button(dialog, "approvalStop"))
            assert stopped == ["turn"]

    on_loop(scenario())


def test_its_place_among_those_that_wait_follows_the_queue(on_loop: Run, ask: Ask) -> None:
    async def scenario() -> None:
        queue = ApprovalCoordinator()
        async with ask(request_of("r1"), queue) as asked:
            dialog = await asked.ready()
            place = dialog.findChild(QLabel, "approvalPosition")
            assert place is not None
            assert not place.isVisible()
            other = asyncio.ensure_future(queue.decide("t2", request_of("r2"), lots_only(request_of("r2"))))
            await until(place.isVisible)
            assert "1 / 2" in place.text()
            other.cancel()
            await until(lambda: not place.isVisible())

    on_loop(scenario())


def test_a_portfolio_that_moved_is_shown_anew_and_says_so(on_loop: Run, ask: Ask) -> None:
    async def scenario() -> None:
        queue = ApprovalCoordinator()
        async with ask(request_of("r1", version=1), queue) as first:
            dialog = await first.ready()
            assert not moved_line(dialog).isVisible()
            click(button(dialog, "approvalAllow"))
            await first.answer
        again = replace(request_of("r1", version=2), id="r1-again")
        async with ask(again, queue) as second:
            dialog = await second.ready()
            assert moved_line(dialog).isVisible()
            assert not second.answer.done()

    on_loop(scenario())


def test_a_theme_change_keeps_what_was_typed(on_loop: Run, ask: Ask, qapp: QApplication) -> None:
    async def scenario() -> None:
        async with ask(request_of()) as asked:
            dialog = await asked.ready()
            click(button(dialog, "approvalModify"))
            retype(field(dialog, "approvalField-shares"), "700")
            await until(button(dialog, "approvalAllow").isEnabled)
            asked._ui.themes.choose(scheme="dark")
            assert field(dialog, "approvalField-shares").text() == "700"
            assert button(dialog, "approvalAllow").isEnabled()

    on_loop(scenario())
