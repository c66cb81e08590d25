"""The reasoning of a model: open while it streams, folded to one line when it is over."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.viewmodels.parts import ThinkingPart
from desktop.widgets import button, label, spaced_icon

SHOWN_FROM_MS = 50  # a shorter time reads as 0.0 s and says nothing


class ThinkingFold(QWidget):
    """One stretch of reasoning.

    Args:
        ui: shared parts.
        part: what is shown.
    """

    def __init__(self, ui: Ui, part: ThinkingPart) -> None:
        super().__init__()
        self._ui = ui
        self._part = part
        self._head = button("", "fold", name="thinkingFold")
        self._head.setIconSize(QSize(20, 14))
        self._head.setCheckable(True)
        self._head.setChecked(part.duration_ms is None)
        self._head.toggled.connect(lambda _on: self.refresh())
        self._body = label("", "small", tone="3", wrap=True)
        self._body.setContentsMargins(20, 0, 0, 4)
        self._body.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self._body)
        self.refresh()

    def finish(self) -> None:
        """The reasoning is over: fold it."""
        self._head.setChecked(False)
        self.refresh()

    def refresh(self) -> None:
        """Show the part as it is now."""
        self._head.setText(self._title())
        name = "chevron-down" if self._head.isChecked() else "chevron-right"
        self._head.setIcon(spaced_icon(name, self._ui.theme.color("text.3"), 14))
        self._body.setText(self._part.text if self._head.isChecked() else "")
        self._body.setVisible(self._head.isChecked())

    def _title(self) -> str:
        duration = self._part.duration_ms
        if duration is None:
            return self._ui.texts("desktop.thinking")
        if duration < SHOWN_FROM_MS:
            return self._ui.texts("desktop.thought_short")
        return self._ui.texts("desktop.thought", seconds=f"{duration / 1000:.1f}")
