"""Background tasks over the status line: what runs in any conversation, its stage, how long; stop it, or go to its answer."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.viewmodels.tasks import ACTIVE, Task, TasksModel, TaskState
from desktop.widgets import Elided, IconLabel, Spinner, button, hairline, icon_button, label

WIDTH: Final = 344
ROW: Final = 57
MOST_ROWS: Final = 6  # in sight; more scroll
GAP: Final = 8  # to the edge and the status line
TICK_MS: Final = 1000
SIGNS: Final[dict[TaskState, tuple[str, str]]] = {
    "waiting": ("shield-question-mark", "warn"),
    "done": ("check", "text.2"),
    "stopped": ("ban", "text.3"),
    "failed": ("triangle-alert", "warn"),
}


class TasksPanel(QFrame):
    """Stands above the status line, at the right.

    Args:
        ui: shared parts.
        parent: what it floats over.
        below: the widget that it stands on.
    """

    opened = Signal(str)  # conversation
    stop_asked = Signal(str)  # conversation

    def __init__(self, ui: Ui, parent: QWidget, below: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tasksPanel")
        self.setProperty("role", "float")
        self._ui = ui
        self._below = below
        self._model: TasksModel | None = None
        self._elapsed: list[tuple[Elided, Task]] = []
        self._list = QWidget()
        self._list.setObjectName("taskList")
        self._list.setProperty("role", "canvas")
        self._rows = QVBoxLayout(self._list)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        self._scroll = QScrollArea()
        self._scroll.setProperty("role", "canvas")
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidget(self._list)
        self._clear = button(ui.texts("tasks.clear"), "ghost", small=True, name="tasksClear")
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addLayout(self._header())
        column.addWidget(hairline())
        column.addWidget(self._scroll)
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self._show_elapsed)
        self.hide()

    def follow(self, model: TasksModel) -> None:
        """Show the tasks of a model from now on."""
        self._model = model
        self._clear.clicked.connect(model.clear_ended)
        model.changed.connect(self._changed)

    def toggle(self) -> None:
        """Open it, or put it away."""
        self.setVisible(not self.isVisible())

    def place(self) -> None:
        """At the right, above what it stands on."""
        parent = self.parentWidget()
        if parent is None:
            return
        tasks = 0 if self._model is None else len(self._model.tasks)
        self.resize(WIDTH, 46 + ROW * min(MOST_ROWS, max(1, tasks)))
        corner = self._below.mapTo(parent, QPoint(self._below.width(), 0))
        self.move(corner.x() - WIDTH - GAP, corner.y() - self.height() - GAP)

    def showEvent(self, event: QShowEvent) -> None:
        """Show the state of now."""
        super().showEvent(event)
        self._fill()
        self.raise_()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nothing ticks unseen."""
        super().hideEvent(event)
        self._tick.stop()

    def _header(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(16, 8, 8, 8)
        row.addWidget(label(self._ui.texts("tasks.title"), "ui", bold=True))
        row.addStretch(1)
        row.addWidget(self._clear)
        row.addWidget(icon_button("x", self._ui.texts("desktop.close"), self._ui.theme, self.hide))
        return row

    def _changed(self) -> None:
        if self.isVisible():
            self._fill()

    def _fill(self) -> None:
        """Build the rows anew: they are few, and change a few times a minute."""
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._elapsed.clear()
        tasks = () if self._model is None else self._model.tasks
        for task in tasks:
            self._rows.addWidget(self._row(task))
        if not tasks:
            empty = label(self._ui.texts("tasks.none"), "small", tone="3")
            empty.setContentsMargins(16, 12, 16, 12)
            self._rows.addWidget(empty)
        self._rows.addStretch(1)
        self._clear.setVisible(any(task.state not in ACTIVE for task in tasks))
        self._show_elapsed()
        self.place()
        if any(task.state in ACTIVE for task in tasks):
            self._tick.start()
        else:
            self._tick.stop()

    def _row(self, task: Task) -> QFrame:
        frame = QFrame()
        frame.setObjectName(f"task-{task.id}")
        row = QHBoxLayout(frame)
        row.setContentsMargins(16, 8, 12, 8)
        row.setSpacing(10)
        row.addWidget(self._sign(task.state))
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(Elided(task.title))
        stage = Elided("", "small", tone="3")
        words.addWidget(stage)
        row.addLayout(words, 1)
        self._elapsed.append((stage, task))
        texts = self._ui.texts
        if task.state in ACTIVE:
            stop = button(texts("desktop.stop"), small=True, name="taskStop")
            stop.clicked.connect(partial(self._ask_stop, task.conversation))
            row.addWidget(stop)
        go = button(texts("tasks.open"), "ghost", small=True, name="taskOpen")
        go.clicked.connect(partial(self._open, task.conversation))
        row.addWidget(go)
        return frame

    def _sign(self, state: TaskState) -> QWidget:
        if state == "running":
            return Spinner(self._ui.spinners)
        name, token = SIGNS[state]
        return IconLabel(name, self._ui.themes, token, 14)

    def _show_elapsed(self) -> None:
        if self._model is not None:
            for line, task in self._elapsed:
                line.set_whole(
                    self._ui.texts("tasks.line", stage=task.stage, seconds=f"{self._model.seconds(task):.0f}")
                )

    def _ask_stop(self, conversation: str, _checked: bool = False) -> None:
        self.stop_asked.emit(conversation)

    def _open(self, conversation: str, _checked: bool = False) -> None:
        self.opened.emit(conversation)
