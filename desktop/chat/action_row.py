"""The row under a turn: copy, answer again, edit, versions, and how the turn stands. It always takes its room, so that nothing jumps."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from desktop.context import Ui
from desktop.icons import icon
from desktop.viewmodels.parts import Turn, TurnStatus
from desktop.widgets import Spinner, button, icon_button, label
from runtime.core.messages import Versions

HEIGHT: Final = 28
ICONS: Final = ("copy", "rotate-cw", "pencil")
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
    """

    copy_asked = Signal()
    regenerate = Signal()
    edit = Signal()
    continue_asked = Signal()
    version_chosen = Signal(str)

    def __init__(self, ui: Ui, turn: Turn) -> None:
        super().__init__()
        self._ui = ui
        self._turn = turn
        self._last = False
        self._hovered = False
        texts, theme = ui.texts, ui.theme
        self._buttons = (
            icon_button("copy", texts("desktop.copy"), theme, self.copy_asked.emit),
            icon_button("rotate-cw", texts("desktop.regenerate"), theme, self.regenerate.emit),
            icon_button("pencil", texts("desktop.edit"), theme, self.edit.emit),
        )
        for name, action in zip(("copyButton", "regenerateButton", "editButton"), self._buttons, strict=True):
            action.setObjectName(name)
            action.installEventFilter(self)
        self._answers = VersionStepper(ui)
        self._answers.stepped.connect(self.version_chosen)
        self._spinner = Spinner(ui.spinners)
        self._status = label("", "small", tone="3")
        self._continue = button(texts("desktop.continue"), "link", name="continueButton")
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
        for action in self._buttons[1:]:
            action.setEnabled(bool(turn.message_id))
        self._buttons[0].setEnabled(bool(turn.answer))
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

    def _show_icons(self) -> None:
        shown = self._hovered or self._last or any(action.hasFocus() for action in self._buttons)
        color = self._ui.theme.color("text.2")
        for action, name in zip(self._buttons, ICONS, strict=True):
            action.setIcon(icon(name, color) if shown else QIcon())
