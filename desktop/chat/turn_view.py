"""One turn in the transcript: what the person said, then the parts of the answer in the order in which they came."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QUrl, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from desktop.chat.cards import ApprovalCard, NoticeCard, QuestionCard
from desktop.chat.fold import ThinkingFold
from desktop.chat.live_text import AnswerText
from desktop.chat.markdown import MarkdownRenderer
from desktop.chat.tool_card import ToolCard
from desktop.chat.verdict_card import VerdictCard
from desktop.context import Ui
from desktop.viewmodels.parts import (
    ApprovalPart,
    NoticePart,
    Part,
    QuestionPart,
    TextPart,
    ThinkingPart,
    ToolPart,
    Turn,
    VerdictPart,
)
from desktop.widgets import icon_button, label

MEASURE = 720  # widest column of text, px
GAP = 10


class TurnView(QWidget):
    """The widgets of one turn.

    Args:
        ui: shared parts.
        renderer: markdown to HTML.
        turn: what is shown.
    """

    regenerate = Signal(str)  # message id
    edit = Signal(str, str)  # message id, its text
    branch = Signal(str, int)  # message id, step
    reopen = Signal(str)  # request id
    answered = Signal(str)
    level_clicked = Signal(str, float)
    evidence_clicked = Signal(str, str)
    link_clicked = Signal(QUrl)

    def __init__(self, ui: Ui, renderer: MarkdownRenderer, turn: Turn) -> None:
        super().__init__()
        self.setObjectName(f"message-{turn.message_id or turn.id}")
        self._ui = ui
        self._renderer = renderer
        self._turn = turn
        self._widgets: dict[int, QWidget] = {}
        self._tools: ToolCard | None = None
        self.setMaximumWidth(MEASURE + 48)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(24, 8, 24, 4)
        self._layout.setSpacing(GAP)
        if turn.text:
            self._layout.addLayout(self._bubble())
        self._parts = QVBoxLayout()
        self._parts.setSpacing(GAP)
        self._layout.addLayout(self._parts)
        self._status = label("", "small", tone="3")
        self._actions = self._action_row()
        self._layout.addWidget(self._actions)
        for part in turn.parts:
            self.add(part)
        self.refresh_status()

    def add(self, part: Part) -> None:
        """Show a new part; consecutive tool calls share a card."""
        if isinstance(part, ToolPart):
            if self._tools is None:
                self._tools = ToolCard(self._ui)
                self._parts.addWidget(self._tools)
            self._tools.add(part)
            self._widgets[id(part)] = self._tools
            return
        if not isinstance(part, ApprovalPart):
            self._tools = None
        widget = self._widget(part)
        self._widgets[id(part)] = widget
        self._parts.addWidget(widget)

    def change(self, part: Part) -> None:
        """A part is different now."""
        widget = self._widgets.get(id(part))
        match widget, part:
            case ToolCard(), ToolPart():
                widget.refresh(part)
            case ThinkingFold(), ThinkingPart():
                widget.finish()
            case AnswerText(), TextPart():
                widget.finish(part.text)
            case ((ApprovalCard() | QuestionCard()), _):
                widget.refresh()
            case _:
                pass

    def grow(self, part: Part, piece: str) -> None:
        """Text came."""
        widget = self._widgets.get(id(part))
        if isinstance(widget, AnswerText):
            widget.grow(piece)
        elif isinstance(widget, ThinkingFold):
            widget.refresh()

    def remove(self, part: Part) -> None:
        """A part is void."""
        widget = self._widgets.pop(id(part), None)
        if widget is not None:
            widget.hide()
            widget.deleteLater()

    def refresh_status(self) -> None:
        """Show how the turn stands."""
        status = self._turn.status
        key = {"stopped": "desktop.stopped", "failed": "desktop.failed", "partial": "desktop.partial"}.get(status)
        self._status.setText("" if key is None else self._ui.texts(key))
        self._actions.setEnabled(status != "running")
        self._branch_text.setText("{}/{}".format(*self._turn.branch))
        for widget in self._branch_widgets:
            widget.setVisible(self._turn.branch[1] > 1)

    def restyle(self, renderer: MarkdownRenderer) -> None:
        """Take on another look: text is rendered anew, the rest follows the style sheet."""
        self._renderer = renderer
        for widget in self._widgets.values():
            if isinstance(widget, AnswerText):
                widget.restyle(self._ui.theme, renderer)

    def _widget(self, part: Part) -> QWidget:
        match part:
            case ThinkingPart():
                return ThinkingFold(self._ui, part)
            case TextPart():
                return self._text(part)
            case VerdictPart():
                verdict = VerdictCard(self._ui, part)
                verdict.level_clicked.connect(self.level_clicked)
                verdict.evidence_clicked.connect(self.evidence_clicked)
                return verdict
            case ApprovalPart():
                approval = ApprovalCard(self._ui, part)
                approval.reopen.connect(self.reopen)
                return approval
            case QuestionPart():
                question = QuestionCard(self._ui, part)
                question.answered.connect(self.answered)
                return question
            case NoticePart():
                return NoticeCard(self._ui, part)
            case ToolPart():
                raise ValueError("tool calls are shown by their card")

    def _text(self, part: TextPart) -> AnswerText:
        view = AnswerText(self._ui.theme, self._renderer)
        view.link_clicked.connect(self.link_clicked)
        if part.streaming:
            view.grow(part.text)
        else:
            view.finish(part.text)
        return view

    def _bubble(self) -> QHBoxLayout:
        """The person's words, on the right."""
        bubble = QFrame()
        bubble.setProperty("role", "bubble")
        words = label(self._turn.text, "body", wrap=True)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.setMaximumWidth(int(MEASURE * 0.78))
        inside = QHBoxLayout(bubble)
        inside.setContentsMargins(12, 8, 12, 8)
        inside.addWidget(words)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(bubble, 4)
        wide = words.fontMetrics().horizontalAdvance(self._turn.text) + 28
        bubble.setMaximumWidth(min(wide + 2, int(MEASURE * 0.78)))
        bubble.setMinimumWidth(min(wide, 240))
        return row

    def _action_row(self) -> QWidget:
        """Copy, regenerate, edit, branches: always there, so that nothing jumps."""
        texts, theme = self._ui.texts, self._ui.theme
        copy = icon_button("copy", texts("desktop.copy"), theme, self._copy)
        again = icon_button(
            "rotate-cw", texts("desktop.regenerate"), theme, lambda: self.regenerate.emit(self._turn.message_id)
        )
        change = icon_button(
            "pencil", texts("desktop.edit"), theme, lambda: self.edit.emit(self._turn.message_id, self._turn.text)
        )
        back = self._step_button("‹", -1)
        forward = self._step_button("›", 1)
        self._branch_text = label("", "small", tone="3")
        self._branch_widgets: tuple[QWidget, ...] = (back, self._branch_text, forward)
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for widget in (copy, again, change, *self._branch_widgets, self._status):
            row.addWidget(widget)
        row.addStretch(1)
        return holder

    def _step_button(self, text: str, step: int) -> QToolButton:
        result = QToolButton()
        result.setText(text)
        result.setFixedSize(QSize(28, 28))
        result.setAccessibleName(self._ui.texts("desktop.branch_back" if step < 0 else "desktop.branch_forward"))
        result.clicked.connect(lambda: self.branch.emit(self._turn.message_id, step))
        return result

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._turn.answer)
