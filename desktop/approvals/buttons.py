"""The four ways to answer, at the foot of an approval. None of them is the default, none is filled."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QPushButton, QWidget

from desktop.context import Ui
from desktop.icons import icon
from desktop.widgets import button, label
from runtime.core.approvals import RuleScope

SCOPES: Final[tuple[tuple[RuleScope, str], ...]] = (("conversation", "message-square"), ("forever", "infinity"))
REASON_WIDTH: Final = 292


class AnswerButtons(QWidget):
    """Deny with a reason, change, always, allow once.

    Args:
        ui: shared parts.
        always_text: what a rule would cover, in words.
    """

    allowed = Signal()
    always_chosen = Signal(str)  # a RuleScope
    modify_asked = Signal()
    discard_asked = Signal()
    denied = Signal(str)  # the reason

    def __init__(self, ui: Ui, always_text: str) -> None:
        super().__init__()
        self._ui = ui
        texts = ui.texts
        self._reason = QLineEdit()
        self._reason.setObjectName("approvalReason")
        self._reason.setPlaceholderText(texts("desktop.deny_reason"))
        self._reason.setAccessibleName(texts("desktop.deny_reason"))
        self._reason.setMinimumWidth(120)
        self._reason.setMaximumWidth(REASON_WIDTH)
        self.deny = self._button("deny", "approvalDeny", "danger", "N")
        self.modify = self._button("modify", "approvalModify", "", "E")
        self.discard = button(texts("approvals.discard"), name="approvalDiscard")
        self.always = self._button("always", "approvalAlways", "", "A")
        self.always.setIcon(icon("chevron-down", ui.theme.color("text.2")))
        self.always.setAccessibleName(texts("desktop.always"))
        self.allow = self._button("allow_once", "approvalAllow", "outline", "Y")
        self._every_time = label(texts("desktop.always_asked"), "small", tone="3")
        self.menu = self._always_menu(always_text)
        self.deny.clicked.connect(lambda: self.denied.emit(self._reason.text().strip()))
        self.modify.clicked.connect(self.modify_asked)
        self.discard.clicked.connect(self.discard_asked)
        self.always.clicked.connect(self._open_menu)
        self.allow.clicked.connect(self.allowed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._reason, 1)
        row.addWidget(self.deny)
        row.addStretch(1)
        for widget in (self._every_time, self.modify, self.discard, self.always, self.allow):
            row.addWidget(widget)
        self.show_state(always=True, editing=False)

    def show_state(self, *, always: bool, editing: bool) -> None:
        """Which ways are open.

        Args:
            always: whether a rule may be made of this.
            editing: the arguments are being changed: only what was changed can be allowed.
        """
        self._every_time.setVisible(not always and not editing)
        self.always.setVisible(always and not editing)
        self.modify.setVisible(not editing)
        self.discard.setVisible(editing)
        texts = self._ui.texts
        self.allow.setText(texts("desktop.allow_changed") if editing else f"{texts('desktop.allow_once')}  Y")
        self.enable_allow(on=not editing)

    def enable_allow(self, *, on: bool) -> None:
        """Open or shut the way of allowing; a shut one looks it."""
        self.allow.setEnabled(on)
        self.allow.setProperty("kind", "outline" if on else "")
        self.allow.style().unpolish(self.allow)
        self.allow.style().polish(self.allow)

    def _button(self, key: str, name: str, kind: str, letter: str) -> QPushButton:
        return button(f"{self._ui.texts(f'desktop.{key}')}  {letter}", kind, name=name)

    def _always_menu(self, what: str) -> QMenu:
        """Two scopes, each with what it covers in words, and what is never covered."""
        menu = QMenu(self)
        menu.setObjectName("approvalScopes")
        for scope, name in SCOPES:
            action = QAction(icon(name, self._ui.theme.color("text.2")), "", menu)
            action.setText(self._ui.texts(f"desktop.always_{scope}", what=what))
            action.setObjectName(f"always-{scope}")
            action.triggered.connect(lambda _=False, chosen=scope: self.always_chosen.emit(chosen))
            menu.addAction(action)
        menu.addSeparator()
        menu.addAction(self._ui.texts("desktop.never_covered")).setEnabled(False)
        return menu

    def _open_menu(self) -> None:
        """Above or under the button; never a nested loop."""
        self.menu.popup(self.always.mapToGlobal(QPoint(0, self.always.height() + 4)))
