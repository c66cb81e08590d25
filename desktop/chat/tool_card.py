"""Consecutive tool calls as one card: a row each, with its state, its argument, where its figures come from and how long it took."""

from __future__ import annotations

import json
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.icons import icon, pixmap
from desktop.theme import code_font
from desktop.viewmodels.parts import ToolPart, ToolState
from desktop.widgets import Elided, Spinner, button, hairline, label

ROLL_UP_OVER: Final = 4
DETAIL_HEIGHT: Final = 180
SECONDS_FROM_MS: Final = 100
ICONS: Final[dict[ToolState, tuple[str, str]]] = {
    "queued": ("clock", "text.3"),
    "waiting": ("shield-question-mark", "accent"),
    "done": ("check", "text.3"),
    "failed": ("triangle-alert", "warn"),
    "stopped": ("square", "text.3"),
}


class ToolRow(QFrame):
    """One call; a click opens arguments and result. A failure opens by itself, in one plain sentence."""

    def __init__(self, ui: Ui, part: ToolPart) -> None:
        super().__init__()
        self.setObjectName(f"toolCard-{part.call_id}")
        self._ui = ui
        self._part = part
        self._spinner = Spinner(ui.spinners, ui.theme)
        self._state = QLabel()
        self._state.setFixedSize(14, 14)
        self._name = label(part.display_name)
        self._detail = Elided(part.detail, "small", tone="3")
        self._source = label("", "small", tone="3")
        self._time = label("", "small", tone="3")
        self._time.setFixedWidth(44)
        self._time.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._chevron = QLabel()
        self._chevron.setFixedSize(14, 14)
        self._summary = label("", "small", tone="2", wrap=True)
        self._summary.setContentsMargins(34, 0, 12, 8)
        self._more: QWidget | None = None
        self._open = False
        head = QHBoxLayout()
        head.setContentsMargins(12, 0, 12, 0)
        head.setSpacing(8)
        for widget in (self._spinner, self._state, self._name):
            head.addWidget(widget)
        head.addWidget(self._detail, 1)
        head.addWidget(self._source)
        head.addWidget(self._time)
        head.addWidget(self._chevron)
        self._head = QWidget()
        self._head.setLayout(head)
        self._head.setFixedHeight(32)
        self._head.setCursor(Qt.CursorShape.PointingHandCursor)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._line = hairline()
        for part_of_row in (self._line, self._head, self._summary):
            self._layout.addWidget(part_of_row)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.refresh()

    def refresh(self) -> None:
        """Show the part as it is now."""
        part, texts = self._part, self._ui.texts
        running = part.state == "running"
        self._spinner.setVisible(running)
        self._state.setVisible(not running)
        if not running:
            name, token = ICONS[part.state]
            self._state.setPixmap(pixmap(name, self._ui.theme.color(token), 14, 2.0))
        self._name.setText(part.display_name)
        self._detail.set_whole(part.detail)
        as_of = texts("desktop.as_of", as_of=part.as_of) if part.as_of else ""
        self._source.setText(" · ".join(item for item in (part.source, as_of) if item))
        self._time.setText(texts("desktop.cached") if part.cached else _duration(part.elapsed_ms))
        chevron = "chevron-down" if self._open else "chevron-right"
        self._chevron.setPixmap(pixmap(chevron, self._ui.theme.color("text.3"), 14, 2.0))
        self._summary.setText(part.summary)
        self._summary.setProperty("t", "warn" if part.state == "failed" else "2")
        self._summary.setVisible(bool(part.summary) and (self._open or part.state == "failed"))
        state = texts(f"desktop.tool_{part.state}")
        self.setAccessibleName(f"{part.display_name} {part.detail} {state}")
        self._state.setToolTip(state)

    def show_line(self, *, visible: bool) -> None:
        """The hairline above; the first row has none."""
        self._line.setVisible(visible)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space and Enter open it too."""
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return):
            self.toggle()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on the head opens or closes the details."""
        if event.position().y() <= self._head.geometry().bottom():
            self.toggle()
        super().mousePressEvent(event)

    def toggle(self) -> None:
        """Open or close arguments and result."""
        self._open = not self._open
        if self._open and self._more is None:
            self._more = self._details()
            self._layout.addWidget(self._more)
        if self._more is not None:
            self._more.setVisible(self._open)
        self.refresh()

    def _details(self) -> QWidget:
        part = self._part
        shown = {"args": part.args, "result": part.envelope}
        text = json.dumps(shown, ensure_ascii=False, indent=2)
        view = QPlainTextEdit(text)
        view.setReadOnly(True)
        view.setFont(code_font())
        view.setFixedHeight(DETAIL_HEIGHT)
        view.setAccessibleName(self._ui.texts("desktop.tool_details"))
        copy = button(self._ui.texts("desktop.copy"), "ghost", small=True)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(text))
        holder = QWidget()
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(34, 0, 12, 8)
        layout.addWidget(view)
        layout.addWidget(copy, 0, Qt.AlignmentFlag.AlignRight)
        return holder


class ToolCard(QFrame):
    """The rows of consecutive calls. More than four finished ones roll up to a line."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._ui = ui
        self._rows: dict[str, ToolRow] = {}
        self._parts: list[ToolPart] = []
        self._rolled = button("", "rolled", name="rolledUp")
        self._rolled.setCheckable(True)
        self._rolled.toggled.connect(lambda _on: self._roll_up())
        self._rolled.hide()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(1, 1, 1, 1)
        self._layout.setSpacing(0)
        self._layout.addWidget(self._rolled)

    def add(self, part: ToolPart) -> None:
        """Another call."""
        row = ToolRow(self._ui, part)
        self._rows[part.call_id] = row
        self._parts.append(part)
        self._layout.addWidget(row)
        self._roll_up()

    def refresh(self, part: ToolPart) -> None:
        """A call changed."""
        self._rows[part.call_id].refresh()
        self._roll_up()

    def has(self, part: ToolPart) -> bool:
        """Whether the call is shown here."""
        return part.call_id in self._rows

    def _roll_up(self) -> None:
        quiet = [part for part in self._parts if part.state == "done"]
        rolled = len(quiet) > ROLL_UP_OVER
        self._rolled.setVisible(rolled)
        if rolled:
            seconds = sum(part.elapsed_ms or 0 for part in quiet) / 1000
            text = self._ui.texts("desktop.rolled_up", count=len(quiet), seconds=f"{seconds:.1f}")
            self._rolled.setText(text)
            name = "chevron-down" if self._rolled.isChecked() else "chevron-right"
            self._rolled.setIcon(icon(name, self._ui.theme.color("text.3"), 14))
        first = not rolled
        for part in self._parts:
            row = self._rows[part.call_id]
            shown = not rolled or part.state != "done" or self._rolled.isChecked()
            row.setVisible(shown)
            row.show_line(visible=not first)
            first = first and not shown


def _duration(elapsed_ms: int | None) -> str:
    """Short times in milliseconds: 0.0 s would say nothing."""
    if elapsed_ms is None:
        return ""
    return f"{elapsed_ms} ms" if elapsed_ms < SECONDS_FROM_MS else f"{elapsed_ms / 1000:.1f} s"
