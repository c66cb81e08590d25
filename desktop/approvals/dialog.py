"""The dialog that asks about a write: what would happen, the risk, the preview, and four ways to answer.

No button is the default one, the first focus is the preview, and nothing answers in the first moment, so that a key meant for
something else decides nothing. It does not block its window: chart and Stop stay usable.
Closing it answers nothing: the request waits, and can be opened again from the transcript.
"""

from __future__ import annotations

import asyncio
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.approvals.buttons import AnswerButtons
from desktop.approvals.coordinator import Waiting
from desktop.approvals.form import ArgumentForm
from desktop.approvals.header import Header, warning_line
from desktop.approvals.preview import PreviewView
from desktop.context import Ui
from desktop.widgets import hairline, icon_label, label
from runtime.core.approvals import ApprovalDecision, ApprovalRequest, RuleScope
from runtime.core.json import JsonObject
from runtime.errors import WyckoffError

WIDTH: Final = 928
EDIT_WIDTH: Final = 992
FORM_WIDTH: Final = 416
CHROME: Final = 186  # header, footer and margins
LEAST_HEIGHT: Final = 360
KEYS_AFTER_MS: Final = 400
RECOMPUTE_MS: Final = 250  # after the last key in the form


class ApprovalDialog(QDialog):
    """One request.

    Args:
        ui: shared parts.
        waiting: the request, and how its arguments can be changed.
        _position: its number and how many wait; it follows the queue.
        parent: the window.
    """

    decided = Signal(object)  # ApprovalDecision
    stop_asked = Signal(str)  # turn id

    def __init__(self, ui: Ui, waiting: Waiting, _position: tuple[int, int], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("approvalDialog")
        self.setWindowTitle(ui.texts("desktop.approval_title"))
        self._ui = ui
        self._window = parent
        self._waiting = waiting
        self._request = waiting.request
        self._changed_args: JsonObject | None = None
        self._check: asyncio.Task[None] | None = None
        self._keys = False
        self._form: ArgumentForm | None = None
        self._preview: QWidget | None = None
        self._header = Header(ui, self._request)
        self._answers = AnswerButtons(ui, self._request.always_text)
        self._lay_out()
        self._connect()
        self._show_request(self._request)
        self._header.show_position(*waiting.position)

    @property
    def request_id(self) -> str:
        """The request that is shown."""
        return self._waiting.request.id

    @property
    def answers(self) -> bool:
        """Whether buttons and keys answer already."""
        return self._keys

    def open(self) -> None:
        """Show it without blocking its window; the first focus is the preview."""
        self.show()
        self._fit(WIDTH)
        if self._preview is not None:
            self._preview.setFocus(Qt.FocusReason.OtherFocusReason)

    def done(self, result: int) -> None:
        """End what still computes, then close."""
        self._recompute.stop()
        if self._check is not None:
            self._check.cancel()
        super().done(result)

    def close_quietly(self) -> None:
        """The request is gone (decided elsewhere, or its turn was stopped)."""
        self.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Y, A, E, N after a moment, never held down; Escape closes without an answer, Enter answers nothing."""
        answers = self._answers
        acts = {
            Qt.Key.Key_Y: answers.allow,
            Qt.Key.Key_E: answers.modify,
            Qt.Key.Key_N: answers.deny,
            Qt.Key.Key_A: answers.always,
        }
        chosen = acts.get(Qt.Key(event.key()))
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        if chosen is not None and plain:
            typing = isinstance(self.focusWidget(), QLineEdit)
            if self._keys and not typing and not event.isAutoRepeat() and chosen.isVisible():
                chosen.click()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not isinstance(self.focusWidget(), QPushButton):
            event.accept()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw an edge: it stands over the window without a scrim, and not every desktop frames its dialogs."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(self._ui.theme.color("line.strong"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _lay_out(self) -> None:
        self._sentence = label("", "body", wrap=True)
        self._risk, self._risk_row, self._risk_text = QFrame(), QHBoxLayout(), label("", wrap=True)
        self._risk.setLayout(self._risk_row)
        self._risk_row.setContentsMargins(12, 8, 12, 8)
        self._moved, _ = warning_line(self._ui, self._ui.texts("approvals.portfolio_moved"))
        self._moved.setObjectName("approvalMoved")
        self._moved.setVisible(self._waiting.refreshed)
        self._problem, self._problem_text = warning_line(self._ui, "")
        self._problem.setObjectName("approvalProblem")
        self._problem.hide()
        self._form_place, self._preview_place = QVBoxLayout(), QVBoxLayout()
        self._preview_place.setSpacing(10)
        self._preview_place.addWidget(self._problem)
        self._preview_place.addStretch(1)
        columns = QHBoxLayout()
        columns.setSpacing(20)
        columns.addLayout(self._form_place)
        columns.addLayout(self._preview_place, 1)
        self._body = QWidget()
        self._body.setProperty("role", "canvas")
        inside = QVBoxLayout(self._body)
        inside.setContentsMargins(0, 0, 6, 0)
        inside.setSpacing(12)
        for widget in (self._moved, self._sentence, self._risk):
            inside.addWidget(widget)
        inside.addLayout(columns)
        inside.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(self._body)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(12)
        column.addWidget(self._header)
        column.addWidget(scroll, 1)
        column.addWidget(hairline())
        column.addWidget(self._answers)

    def _connect(self) -> None:
        answers = self._answers
        answers.allowed.connect(self._allow)
        answers.always_chosen.connect(self._always)
        answers.modify_asked.connect(self._open_form)
        answers.discard_asked.connect(self._discard)
        answers.denied.connect(self._deny)
        self._header.stop_asked.connect(lambda: self.stop_asked.emit(self._waiting.turn_id))
        self._header.close_asked.connect(self.close)
        self._waiting.owner.changed.connect(self._queue_changed)
        self._ui.themes.changed.connect(self._restyle)
        self._recompute = QTimer(self)
        self._recompute.setSingleShot(True)
        self._recompute.setInterval(RECOMPUTE_MS)
        self._recompute.timeout.connect(self._begin_check)
        QTimer.singleShot(KEYS_AFTER_MS, self, self._enable_keys)

    def _fit(self, width: int) -> None:
        """As wide as designed and as high as needed, in the middle of the window and never over its edge."""
        room = max(LEAST_HEIGHT, self._window.height() - 96)
        self.setMaximumHeight(room)
        wide = min(width, max(480, self._window.width() - 48))
        layout = self._body.layout()
        needed = layout.totalHeightForWidth(wide - 56) if layout is not None and layout.hasHeightForWidth() else 0
        self.resize(wide, min(room, max(LEAST_HEIGHT, max(needed, self._body.sizeHint().height()) + CHROME)))
        corner = self._window.mapToGlobal(self._window.rect().center()) - self.rect().center()
        self.move(corner)

    def _show_request(self, request: ApprovalRequest) -> None:
        """Show sentence, risk and preview of the request, as it is or as it was changed."""
        self._request = request
        texts = self._ui.texts
        self._sentence.setText(request.preview.headline if request.preview is not None else request.display_name)
        self._risk_text.setText(
            texts("cli.approve_risk", risk=texts(f"approvals.risk_{request.risk}"), reason=request.risk_reason)
        )
        self._show_risk(loud=request.risk != "low")
        self._answers.show_state(always=request.always_offered, editing=self._form is not None)
        self._show_preview(PreviewView(self._ui, request.preview) if request.preview is not None else None)

    def _show_risk(self, *, loud: bool) -> None:
        while self._risk_row.count():
            item = self._risk_row.takeAt(0)
            old = item.widget() if item is not None else None
            if old is not None and old is not self._risk_text:
                old.hide()
                old.deleteLater()
        self._risk.setProperty("role", "warn" if loud else "outlined")
        self._risk.style().unpolish(self._risk)
        self._risk.style().polish(self._risk)
        name, token = ("triangle-alert", "warn") if loud else ("info", "text.3")
        self._risk_row.addWidget(icon_label(name, self._ui.theme, token))
        self._risk_row.addWidget(self._risk_text, 1)

    def _show_preview(self, preview: QWidget | None) -> None:
        if self._preview is not None:
            self._preview.hide()
            self._preview.deleteLater()
        self._preview = preview
        if preview is not None:
            self._preview_place.insertWidget(1, preview)

    def _queue_changed(self) -> None:
        self._header.show_position(*self._waiting.position)

    def _restyle(self) -> None:
        """Another look: what holds colours of its own is made anew; a form keeps what was typed."""
        allowed = self._answers.allow.isEnabled()
        self._show_request(self._request)
        self._answers.enable_allow(on=allowed)

    def _enable_keys(self) -> None:
        self._keys = True

    def _open_form(self) -> None:
        if not self._keys or self._form is not None:
            return
        self._form = form = ArgumentForm(self._ui, self._waiting.request.args)
        form.changed.connect(self._form_changed)
        form.setFixedWidth(min(FORM_WIDTH, (self.width() - 60) * 2 // 5))
        self._form_place.addWidget(form)
        self._form_place.addStretch(1)
        self._answers.show_state(always=False, editing=True)
        self._header.show_editing(editing=True)
        self._fit(EDIT_WIDTH)
        form.focus()

    def _discard(self) -> None:
        """Back to the request as it was asked."""
        if self._form is None:
            return
        self._recompute.stop()
        if self._check is not None:
            self._check.cancel()
        self._form.hide()
        self._form.deleteLater()
        self._form, self._changed_args = None, None
        self._problem.hide()
        self._header.show_editing(editing=False)
        self._show_request(self._waiting.request)
        self._fit(WIDTH)

    def _form_changed(self) -> None:
        self._answers.enable_allow(on=False)
        self._recompute.start()

    def _begin_check(self) -> None:
        if self._check is not None:
            self._check.cancel()
        self._check = asyncio.ensure_future(self._check_form())

    async def _check_form(self) -> None:
        """Validate what was typed and compute the preview again; what does not hold stays open with its reason."""
        form = self._form
        if form is None:
            return
        try:
            values = form.values()
            request = await self._waiting.edit(values)
        except WyckoffError as error:
            self._problem_text.setText(self._ui.texts.error(error))
            self._problem.show()
            form.mark(invalid=True)
            self._show_preview(label(self._ui.texts("approvals.not_computed"), tone="3", wrap=True))
            return
        self._problem.hide()
        form.mark(invalid=False)
        self._changed_args = values
        self._show_request(request)
        self._answers.enable_allow(on=True)

    def _allow(self) -> None:
        if not self._keys:
            return
        asked = self._waiting.request.args
        if self._form is None or self._changed_args == asked:
            self._end(ApprovalDecision(request_id=self.request_id, choice="allow", args=asked))
        elif self._changed_args is not None:
            self._end(ApprovalDecision(request_id=self.request_id, choice="modify", args=self._changed_args))

    def _always(self, scope: RuleScope) -> None:
        if self._keys and self._form is None:
            args = self._request.args
            self._end(ApprovalDecision(request_id=self.request_id, choice="always", args=args, scope=scope))

    def _deny(self, reason: str) -> None:
        if self._keys:
            self._end(ApprovalDecision(request_id=self.request_id, choice="deny", reason=reason))

    def _end(self, decision: ApprovalDecision) -> None:
        self.decided.emit(decision)
        self.close()
