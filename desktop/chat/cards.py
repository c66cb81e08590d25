"""Cards between the blocks of an answer: a write that waits, a question of the agent, a note of the runtime."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout

from desktop.chat.model_menu import ModelMenu
from desktop.context import Ui
from desktop.flow import FlowLayout
from desktop.viewmodels.parts import ApprovalPart, NoticePart, QuestionPart
from desktop.widgets import button, icon_label, label


class ApprovalCard(QFrame):
    """A write that waits (it can be opened again), or how it was decided."""

    reopen = Signal(str)  # request id

    def __init__(self, ui: Ui, part: ApprovalPart) -> None:
        super().__init__()
        self.setProperty("role", "outlined")
        self._ui = ui
        self._part = part
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(12, 8, 12, 8)
        self._text = label("", wrap=True)
        self._open = button(ui.texts("desktop.reopen"), small=True, name=f"reopen-{part.request.id}")
        self._open.clicked.connect(lambda: self.reopen.emit(part.request.id))
        self._layout.addWidget(icon_label("shield-question-mark", ui.theme, "accent"))
        self._layout.addWidget(self._text, 1)
        self._layout.addWidget(self._open)
        self.refresh()

    def refresh(self) -> None:
        """Show the part as it is now."""
        request, decision = self._part.request, self._part.decision
        what = request.preview.headline if request.preview is not None else request.display_name
        if decision is None:
            self._text.setText(self._ui.texts("desktop.approval_waits", what=what))
        else:
            self._text.setText(self._ui.texts(f"desktop.approval_{decision.choice}", what=what))
        self._open.setVisible(decision is None)
        self.setAccessibleName(self._text.text())


class QuestionCard(QFrame):
    """A question of the agent with its options and a line to answer."""

    answered = Signal(str)

    def __init__(self, ui: Ui, part: QuestionPart) -> None:
        super().__init__()
        self.setObjectName("questionCard")
        self.setProperty("role", "outlined")
        self._ui = ui
        self._part = part
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(8)
        layout.addWidget(label(part.question, "body", wrap=True))
        options = FlowLayout()
        self._choices = [button(option, small=True) for option in part.options]
        for choice in self._choices:
            choice.clicked.connect(partial(self._answer, choice.text()))
            options.addWidget(choice)
        if self._choices:
            layout.addLayout(options)
        self._line = QLineEdit()
        self._line.setPlaceholderText(ui.texts("desktop.answer_here"))
        self._line.setAccessibleName(ui.texts("desktop.answer_here"))
        self._line.returnPressed.connect(lambda: self._answer(self._line.text()))
        layout.addWidget(self._line)
        self._said = label("", tone="3", wrap=True)
        layout.addWidget(self._said)
        self.refresh()

    def refresh(self) -> None:
        """Show the part as it is now."""
        self._line.setVisible(self._part.open)
        for choice in self._choices:
            choice.setEnabled(self._part.open)
        answer = self._part.answer
        self._said.setVisible(not self._part.open)
        key = "desktop.answered" if answer else "desktop.not_answered"
        self._said.setText(self._ui.texts(key, answer=answer or ""))

    def _answer(self, text: str, _checked: bool = False) -> None:
        if text.strip() and self._part.open:
            self.answered.emit(text.strip())


class NoticeCard(QFrame):
    """A note of the runtime; warnings and errors stand on amber with an icon, never on red.

    An error can be copied, and tried again by the same or another model.
    """

    retry_asked = Signal()
    other_model = Signal(str)  # its id

    def __init__(self, ui: Ui, part: NoticePart, models: ModelMenu) -> None:
        super().__init__()
        self._models = models
        loud = part.kind != "info"
        if loud:
            self.setProperty("role", "warn")
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10) if loud else column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        row = QHBoxLayout()
        row.setSpacing(8)
        name, token = ("triangle-alert", "warn") if loud else ("info", "text.3")
        row.addWidget(icon_label(name, ui.theme, token, 16 if loud else 14), 0, Qt.AlignmentFlag.AlignTop)
        text = label(part.text, "ui" if loud else "small", tone="1" if loud else "3", wrap=True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row.addWidget(text, 1)
        column.addLayout(row)
        if part.kind == "error":
            column.addLayout(self._ways_out(ui, part.text))
        self.setAccessibleName(part.text)

    def _ways_out(self, ui: Ui, text: str) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(24, 0, 0, 0)
        again = button(ui.texts("desktop.retry"), small=True, name="retryButton")
        again.clicked.connect(self.retry_asked)
        other = self._other = button(ui.texts("desktop.other_model"), small=True, name="otherModelButton")
        other.setAccessibleName(other.text())
        other.clicked.connect(self._offer_models)
        self._models.changed.connect(self._show_other)
        self._show_other()
        copy = button(ui.texts("desktop.copy_details"), "ghost", small=True)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(text))
        for way in (again, other, copy):
            row.addWidget(way)
        row.addStretch(1)
        return row

    def _show_other(self) -> None:
        self._other.setVisible(self._models.several)

    def _offer_models(self) -> None:
        self._models.open(self._other, self.other_model.emit)
