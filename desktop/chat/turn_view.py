"""One turn in the transcript: what the person said, then the parts of the answer in the order in which they came."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt, QUrl, Signal
from PySide6.QtGui import QEnterEvent, QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.chat.action_row import ActionRow, VersionStepper
from desktop.chat.bubble import Bubble
from desktop.chat.cards import ApprovalCard, NoticeCard, QuestionCard
from desktop.chat.fold import ThinkingFold
from desktop.chat.live_text import AnswerText
from desktop.chat.markdown import MarkdownRenderer
from desktop.chat.model_menu import ModelMenu
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

MEASURE: Final = 720  # widest column of text, px
GAP: Final = 10
SIDE: Final = 8  # with the inset below and 10 px of the transcript: 24 px to its edge
GLYPH_INSET: Final = 6  # the icon of a 28 px button stands this far inside it: text begins there too


class TurnView(QWidget):
    """The widgets of one turn.

    Args:
        ui: shared parts.
        renderer: markdown to HTML.
        turn: what is shown.
        models: those that can answer again.
    """

    regenerate = Signal(str)  # message id
    other_model = Signal(str, str)  # message id, model id
    edit = Signal(str, str)  # message id, its text
    version_chosen = Signal(str)  # message id
    continue_asked = Signal()
    reopen = Signal(str)  # request id
    answered = Signal(str)
    level_clicked = Signal(str, float)
    evidence_clicked = Signal(str, str)
    link_clicked = Signal(QUrl)

    def __init__(self, ui: Ui, renderer: MarkdownRenderer, turn: Turn, models: ModelMenu) -> None:
        super().__init__()
        self._ui = ui
        self._models = models
        self._renderer = renderer
        self._turn = turn
        self._widgets: dict[int, QWidget] = {}
        self._tools: ToolCard | None = None
        self.setMaximumWidth(MEASURE + 2 * (SIDE + GLYPH_INSET))
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(SIDE, 8, SIDE, 0)
        self._layout.setSpacing(GAP)
        self._parts = QVBoxLayout()
        self._parts.setContentsMargins(GLYPH_INSET, 0, GLYPH_INSET, 0)
        self._parts.setSpacing(GAP)
        if turn.text:
            self._parts.addWidget(Bubble(ui, turn.text, MEASURE))
        self._questions = VersionStepper(ui)
        self._questions.stepped.connect(self.version_chosen)
        self._parts.addWidget(self._questions, 0, Qt.AlignmentFlag.AlignRight)
        self._layout.addLayout(self._parts)
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
        self.setObjectName(f"message-{self._turn.message_id or self._turn.id}")
        self._actions.refresh()
        self._questions.show_versions(self._turn.questions)

    def set_last(self, *, last: bool) -> None:
        """Whether this is the last turn of the conversation."""
        self._actions.set_last(last=last)

    def enterEvent(self, event: QEnterEvent) -> None:
        """The pointer is here: show what can be done."""
        super().enterEvent(event)
        self._actions.set_hovered(hovered=True)

    def leaveEvent(self, event: QEvent) -> None:
        """The pointer went away."""
        super().leaveEvent(event)
        self._actions.set_hovered(hovered=False)

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
                return self._notice(part)
            case ToolPart():
                raise ValueError("tool calls are shown by their card")

    def _text(self, part: TextPart) -> AnswerText:
        view = AnswerText(self._ui, self._renderer)
        view.link_clicked.connect(self.link_clicked)
        if part.streaming:
            view.grow(part.text)
        else:
            view.finish(part.text)
        return view

    def _notice(self, part: NoticePart) -> NoticeCard:
        card = NoticeCard(self._ui, part, self._models)
        card.retry_asked.connect(lambda: self.regenerate.emit(self._turn.message_id))
        card.other_model.connect(self._ask_other)
        return card

    def _action_row(self) -> ActionRow:
        row = ActionRow(self._ui, self._turn, self._models)
        row.copy_asked.connect(lambda: QGuiApplication.clipboard().setText(self._turn.answer))
        row.regenerate.connect(lambda: self.regenerate.emit(self._turn.message_id))
        row.other_model.connect(self._ask_other)
        row.edit.connect(lambda: self.edit.emit(self._turn.message_id, self._turn.text))
        row.continue_asked.connect(self.continue_asked)
        row.version_chosen.connect(self.version_chosen)
        return row

    def _ask_other(self, model_id: str) -> None:
        self.other_model.emit(self._turn.message_id, model_id)
