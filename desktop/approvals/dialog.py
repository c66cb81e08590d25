"""The dialog that asks about a write: what would happen, the risk, the preview, and four ways to answer.

No button is the default one, the first focus is the preview, and nothing answers in the first moment, so that a key meant for
something else decides nothing.
Closing it answers nothing: the request waits, and can be opened again from the transcript.
"""

from __future__ import annotations

import asyncio
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop.approvals.coordinator import Waiting
from desktop.approvals.form import ArgumentForm
from desktop.approvals.preview import PreviewView
from desktop.context import Ui
from desktop.icons import icon
from desktop.widgets import button, hairline, icon_label, label
from runtime.core.approvals import ApprovalDecision, ApprovalRequest, RuleScope
from runtime.core.json import JsonObject
from runtime.errors import WyckoffError

WIDTH: Final = 928
KEYS_AFTER_MS: Final = 400
RECOMPUTE_MS: Final = 250  # after the last key in the form


class ApprovalDialog(QDialog):
    """One request.

    Args:
        ui: shared parts.
        waiting: the request, and how its arguments can be changed.
        position: its number and how many wait.
        parent: the window.
    """

    decided = Signal(object)  # ApprovalDecision
    stop_asked = Signal(str)  # turn id

    def __init__(self, ui: Ui, waiting: Waiting, position: tuple[int, int], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("approvalDialog")
        self.setWindowTitle(ui.texts("desktop.approval_title"))
        self.setModal(False)
        self._ui = ui
        self._waiting = waiting
        self._request = waiting.request
        self._changed_args: JsonObject | None = None
        self._check: asyncio.Task[None] | None = None
        self._keys = False
        self._form: ArgumentForm | None = None
        self._problem = label("", "small", tone="warn", wrap=True)
        self._problem.hide()
        self._preview_place = QVBoxLayout()
        self._preview: QWidget = QWidget()
        self._form_place = QVBoxLayout()
        self._risk_text = label("", wrap=True)
        self._layout(position)
        self._show_request(self._request)
        self._recompute = QTimer(self)
        self._recompute.setSingleShot(True)
        self._recompute.setInterval(RECOMPUTE_MS)
        self._recompute.timeout.connect(self._begin_check)
        QTimer.singleShot(KEYS_AFTER_MS, self, self._enable_keys)
        room = parent.height() - 96
        self.setMaximumHeight(max(360, room))
        self.resize(min(WIDTH, parent.width() - 48), min(560, max(360, room)))

    @property
    def request_id(self) -> str:
        """The request that is shown."""
        return self._waiting.request.id

    @property
    def answers(self) -> bool:
        """Whether buttons and keys answer already."""
        return self._keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Y, A, E, N after a moment; Escape closes without an answer."""
        acts = {
            Qt.Key.Key_Y: self._allow_button.click,
            Qt.Key.Key_E: self._modify_button.click,
            Qt.Key.Key_N: self._deny_button.click,
            Qt.Key.Key_A: self._always_button.click,
        }
        act = acts.get(Qt.Key(event.key()))
        typing = isinstance(self.focusWidget(), QLineEdit)
        if act is not None and self._keys and not typing:
            act()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not isinstance(self.focusWidget(), QPushButton):
            event.accept()  # Enter decides nothing
        else:
            super().keyPressEvent(event)

    def _layout(self, position: tuple[int, int]) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(12)
        column.addLayout(self._header(position))
        body = QWidget()
        body.setProperty("role", "canvas")
        inside = QVBoxLayout(body)
        inside.setContentsMargins(0, 0, 6, 0)
        inside.setSpacing(12)
        self._sentence = label("", "body", wrap=True)
        inside.addWidget(self._sentence)
        inside.addWidget(self._risk())
        inside.addLayout(self._form_place)
        inside.addWidget(self._problem)
        inside.addLayout(self._preview_place)
        inside.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(body)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        column.addWidget(scroll, 1)
        column.addWidget(hairline())
        column.addLayout(self._footer())

    def _header(self, position: tuple[int, int]) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(icon_label("wallet", self._ui.theme, "accent", 18))
        row.addWidget(label(self._request.display_name, "title"))
        row.addWidget(label(self._request.tool, "small", tone="3"))
        row.addStretch(1)
        if position[1] > 1:
            row.addWidget(label("{}/{}".format(*position), "small", tone="3"))
        stop = button(self._ui.texts("desktop.stop_turn"), "ghost", small=True, name="approvalStop")
        stop.clicked.connect(lambda: self.stop_asked.emit(self._waiting.turn_id))
        row.addWidget(stop)
        return row

    def _risk(self) -> QFrame:
        box = QFrame()
        box.setProperty("role", "warn" if self._request.risk != "low" else "outlined")
        row = QHBoxLayout(box)
        row.setContentsMargins(12, 8, 12, 8)
        loud = self._request.risk != "low"
        row.addWidget(icon_label("triangle-alert" if loud else "info", self._ui.theme, "warn" if loud else "text.3"))
        row.addWidget(self._risk_text, 1)
        return box

    def _footer(self) -> QHBoxLayout:
        texts = self._ui.texts
        self._reason = QLineEdit()
        self._reason.setObjectName("approvalReason")
        self._reason.setPlaceholderText(texts("desktop.deny_reason"))
        self._reason.setAccessibleName(texts("desktop.deny_reason"))
        self._reason.setFixedWidth(272)
        self._deny_button = button(texts("desktop.deny"), "danger", name="approvalDeny")
        self._deny_button.clicked.connect(self._deny)
        self._modify_button = button(texts("desktop.modify"), name="approvalModify")
        self._modify_button.clicked.connect(self._open_form)
        self._always_button = button(texts("desktop.always"), name="approvalAlways")
        self._always_button.setMenu(self._always_menu())
        self._never_always = label(texts("desktop.always_asked"), "small", tone="3")
        self._allow_button = button(texts("desktop.allow_once"), "outline", name="approvalAllow")
        self._allow_button.clicked.connect(self._allow)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._reason)
        row.addWidget(self._deny_button)
        row.addStretch(1)
        for widget in (self._never_always, self._modify_button, self._always_button, self._allow_button):
            row.addWidget(widget)
        return row

    def _always_menu(self) -> QMenu:
        """Two scopes, each with what it covers in words."""
        menu = QMenu(self)
        scopes: tuple[tuple[RuleScope, str], ...] = (("conversation", "message-square"), ("forever", "infinity"))
        for scope, name in scopes:
            text = self._ui.texts(f"desktop.always_{scope}", what=self._request.always_text)
            action = menu.addAction(icon(name, self._ui.theme.color("text.2")), text)
            action.triggered.connect(lambda _=False, chosen=scope: self._always(chosen))
        menu.addSeparator()
        menu.addAction(self._ui.texts("desktop.never_covered")).setEnabled(False)
        return menu

    def _show_request(self, request: ApprovalRequest) -> None:
        """Show sentence, risk and preview of the request, as it is or as it was changed."""
        self._request = request
        self._sentence.setText(request.preview.headline if request.preview is not None else request.display_name)
        risk = self._ui.texts(f"approvals.risk_{request.risk}")
        self._risk_text.setText(self._ui.texts("cli.approve_risk", risk=risk, reason=request.risk_reason))
        changed = self._changed_args is not None
        self._always_button.setVisible(request.always_offered and not changed)
        self._never_always.setVisible(not request.always_offered)
        self._preview.hide()
        self._preview.deleteLater()
        self._preview = PreviewView(self._ui, request.preview) if request.preview is not None else QWidget()
        self._preview_place.addWidget(self._preview)
        if self._form is None:
            self._preview.setFocus(Qt.FocusReason.OtherFocusReason)

    def _enable_keys(self) -> None:
        self._keys = True

    def _open_form(self) -> None:
        if not self._keys or self._form is not None:
            return
        self._form = ArgumentForm(self._ui, self._waiting.request.args)
        self._form.changed.connect(self._form_changed)
        self._form_place.addWidget(self._form)
        self._modify_button.setEnabled(False)
        self._always_button.hide()
        self._allow_button.setText(self._ui.texts("desktop.allow_changed"))
        self._allow_button.setEnabled(False)

    def _form_changed(self) -> None:
        self._allow_button.setEnabled(False)
        self._recompute.start()

    def _begin_check(self) -> None:
        if self._check is not None:
            self._check.cancel()
        self._check = asyncio.ensure_future(self._check_form())

    async def _check_form(self) -> None:
        """Validate what was typed and compute the preview again; what does not hold stays open with its reason."""
        if self._form is None:
            return
        values = self._form.values()
        try:
            request = await self._waiting.edit(values)
        except WyckoffError as error:
            self._problem.setText(self._ui.texts.error(error))
            self._problem.show()
            self._form.mark(invalid=True)
            return
        self._problem.hide()
        self._form.mark(invalid=False)
        self._changed_args = values
        self._show_request(request)
        self._allow_button.setEnabled(True)

    def _allow(self) -> None:
        if not self._keys:
            return
        if self._changed_args is not None:
            self._end(ApprovalDecision(request_id=self.request_id, choice="modify", args=self._changed_args))
        else:
            self._end(ApprovalDecision(request_id=self.request_id, choice="allow", args=self._request.args))

    def _always(self, scope: RuleScope) -> None:
        if self._keys and self._changed_args is None:
            self._end(
                ApprovalDecision(request_id=self.request_id, choice="always", args=self._request.args, scope=scope)
            )

    def _deny(self) -> None:
        if self._keys:
            reason = self._reason.text().strip()
            self._end(ApprovalDecision(request_id=self.request_id, choice="deny", reason=reason))

    def _end(self, decision: ApprovalDecision) -> None:
        self.decided.emit(decision)
        self.close()

    def close_quietly(self) -> None:
        """The request is gone (decided elsewhere, or its turn was stopped)."""
        if self._check is not None:
            self._check.cancel()
        self.close()
