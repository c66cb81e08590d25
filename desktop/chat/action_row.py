"""The row under a turn: copy, answer again (by another model too), edit, versions, and how the turn stands.

It always takes its room, so that nothing jumps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from desktop.chat.model_menu import ModelMenu
from desktop.context import Ui
from desktop.icons import icon
from desktop.viewmodels.parts import Turn, TurnStatus
from desktop.widgets import Spinner, button, icon_button, label
from runtime.core.messages import Versions

HEIGHT: Final = 28
ICONS: Final = {
    "copyButton": "copy",
    "regenerateButton": "rotate-cw",
    "otherModelButton": "cpu",
    "editButton": "pencil",
}
STATUS: Final[dict[TurnStatus, str]] = {
    "running": "desktop.tool_running",
    "stopped": "desktop.stopped",
    "failed": "desktop.failed",
    "partial": "desktop.partial",
}


class VersionStepper(QWidget):
    """`‹ 2/3 ›`; out of sight while there is one version."""

    stepped = Signal(str)  # id of the message to show

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._versions = Versions()
        self._text = label("", "small", tone="3")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._step_button("‹", ui.texts("desktop.branch_back"), -1))
        row.addWidget(self._text)
        row.addWidget(self._step_button("›", ui.texts("desktop.branch_forward"), 1))
        self.hide()

    @property
    def text(self) -> str:
        """What is shown, for example `2/3`."""
        return self._text.text()

    def show_versions(self, versions: Versions) -> None:
        """Show which of how many."""
        self._versions = versions
        self._text.setText(f"{versions.shown + 1}/{len(versions.ids)}")
        self.setVisible(len(versions.ids) > 1)

    def _step_button(self, text: str, name: str, step: int) -> QToolButton:
        result = QToolButton()
        result.setText(text)
        result.setFixedSize(QSize(HEIGHT, HEIGHT))
        result.setAccessibleName(name)
        result.setToolTip(name)
        result.clicked.connect(lambda: self.stepped.emit(self._versions.stepped(step)))
        return result


class ActionRow(QWidget):
    """The row of one turn. Its icons show while the pointer is over the turn, or one of them has the focus.

    Args:
        ui: shared parts.
        turn: what it acts on.
        models: those that can answer again.
    """

    copy_asked = Signal()
    regenerate = Signal()
    other_model = Signal(str)  # its id
    edit = Signal()
    continue_asked = Signal()
    version_chosen = Signal(str)

    def __init__(self, ui: Ui, turn: Turn, models: ModelMenu) -> None:
        super().__init__()
        self._ui = ui
        self._turn = turn
        self._models = models
        models.changed.connect(self.refresh)
        self._last = False
        self._hovered = False
        self._copy = self._action("copyButton", "desktop.copy", self.copy_asked.emit)
        self._again = self._action("regenerateButton", "desktop.regenerate", self.regenerate.emit)
        self._other = self._action("otherModelButton", "desktop.other_model", self._offer_models)
        self._edit = self._action("editButton", "desktop.edit", self.edit.emit)
        self._buttons = (self._copy, self._again, self._other, self._edit)
        self._answers = VersionStepper(ui)
        self._answers.stepped.connect(self.version_chosen)
        self._spinner = Spinner(ui.spinners)
        self._status = label("", "small", tone="3")
        self._continue = button(ui.texts("desktop.continue"), "link", name="continueButton")
        self._continue.clicked.connect(self.continue_asked)
        self.setFixedHeight(HEIGHT)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for widget in (*self._buttons, self._answers):
            row.addWidget(widget)
        row.addSpacing(6)
        row.addWidget(self._spinner)
        row.addSpacing(4)
        row.addWidget(self._status)
        row.addSpacing(6)
        row.addWidget(self._continue)
        row.addStretch(1)
        self.refresh()

    def refresh(self) -> None:
        """Show how the turn stands."""
        turn = self._turn
        running = turn.status == "running"
        key = STATUS.get(turn.status)
        self._status.setText("" if key is None else self._ui.texts(key))
        self._spinner.setVisible(running)
        for action in self._buttons:
            action.setVisible(not running)
        self._other.setVisible(not running and self._models.several)
        for action in (self._again, self._other, self._edit):
            action.setEnabled(bool(turn.message_id))
        self._copy.setEnabled(bool(turn.answer))
        self._answers.show_versions(turn.answers)
        self._continue.setVisible(self._last and turn.status in ("stopped", "partial"))
        self._show_icons()

    def set_last(self, *, last: bool) -> None:
        """Only the last turn can be continued."""
        self._last = last
        self.refresh()

    def set_hovered(self, *, hovered: bool) -> None:
        """The pointer is over the turn, or not."""
        self._hovered = hovered
        self._show_icons()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Focus shows the icons."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self._show_icons()
        return super().eventFilter(watched, event)

    def _action(self, name: str, key: str, act: Callable[[], object]) -> QToolButton:
        made = icon_button(ICONS[name], self._ui.texts(key), self._ui.theme, act)
        made.setObjectName(name)
        made.installEventFilter(self)
        return made

    def _offer_models(self) -> None:
        self._models.open(self._other, self.other_model.emit)

    def _show_icons(self) -> None:
        shown = self._hovered or self._last or any(action.hasFocus() for action in self._buttons)
        color = self._ui.theme.color("text.2")
        for action in self._buttons:
            action.setIcon(icon(ICONS[action.objectName()], color) if shown else QIcon())
