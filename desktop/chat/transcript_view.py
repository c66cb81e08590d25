"""The transcript: a window of turns near the reader, more when the reader scrolls up; it follows the end only while the reader is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QTimer, QUrl, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.viewmodels.parts import Part, Turn
from desktop.viewmodels.transcript import TranscriptModel
from desktop.widgets import button

if TYPE_CHECKING:
    from desktop.chat.markdown import MarkdownRenderer  # needed with the first turn, not with the first paint
    from desktop.chat.turn_view import TurnView

PAGE: Final = 12  # turns that are built at once
AT_END_PX: Final = 4
SETTLE_MS: Final = 80  # until the layout of added turns stands


class TranscriptView(QScrollArea):
    """Shows a transcript model.

    Args:
        ui: shared parts.
        model: what is shown.
    """

    regenerate = Signal(str)
    edit = Signal(str, str)
    branch = Signal(str, int)
    reopen = Signal(str)
    answered = Signal(str)
    level_clicked = Signal(str, float)
    evidence_clicked = Signal(str, str)
    link_clicked = Signal(QUrl)

    def __init__(self, ui: Ui, model: TranscriptModel) -> None:
        super().__init__()
        self.setObjectName("transcript")
        self.setProperty("role", "canvas")
        self.setAccessibleName(ui.texts("desktop.transcript"))
        self._ui = ui
        self._model = model
        self._renderer: MarkdownRenderer | None = None
        self._views: dict[int, TurnView] = {}
        self._first = 0
        self._at_end = True
        self._anchor: int | None = None
        self._column = QVBoxLayout()
        self._column.setContentsMargins(0, 12, 0, 12)
        self._column.setSpacing(12)
        self._column.addStretch(1)
        inner = QWidget()
        inner.setProperty("role", "canvas")
        row = QHBoxLayout(inner)
        row.setContentsMargins(0, 0, 0, 0)
        row.addLayout(self._column, 1)
        self.setWidgetResizable(True)
        self.setWidget(inner)
        self._new = button(ui.texts("desktop.new_below"), small=True)
        self._new.setParent(self)
        self._new.clicked.connect(self.scroll_to_end)
        self._new.hide()
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.verticalScrollBar().rangeChanged.connect(self._range_changed)
        model.reset.connect(self._rebuild)
        model.turn_added.connect(self._turn_added)
        model.turn_changed.connect(lambda turn: self._with(turn, lambda view: view.refresh_status()))
        model.part_added.connect(self._part_added)
        model.part_changed.connect(lambda turn, part: self._with(turn, lambda view: view.change(part)))
        model.part_removed.connect(lambda turn, part: self._with(turn, lambda view: view.remove(part)))
        model.text_grew.connect(self._grew)
        ui.themes.changed.connect(self._restyle)
        self._rebuild()

    @property
    def at_end(self) -> bool:
        """Whether the reader is at the end, so that new text is followed."""
        return self._at_end

    def scroll_to_end(self) -> None:
        """Go to the newest line and follow again."""
        self._at_end = True
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the chip at the bottom."""
        super().resizeEvent(event)
        self._place_chip()

    def _place_chip(self) -> None:
        self._new.adjustSize()
        self._new.move((self.width() - self._new.width()) // 2, self.height() - self._new.height() - 12)
        self._new.raise_()

    def _rebuild(self) -> None:
        """Build the newest page of turns."""
        for view in self._views.values():
            view.hide()
            view.deleteLater()
        self._views.clear()
        turns = self._model.turns
        self._first = max(0, len(turns) - PAGE)
        for turn in turns[self._first :]:
            self._insert(self._column.count() - 1, turn)
        self._at_end = True
        self._new.hide()

    def _insert(self, position: int, turn: Turn) -> TurnView:
        from desktop.chat.markdown import MarkdownRenderer
        from desktop.chat.turn_view import TurnView

        if self._renderer is None:
            self._renderer = MarkdownRenderer(self._ui.theme.scheme)
        view = TurnView(self._ui, self._renderer, turn)
        for name in ("regenerate", "edit", "branch", "reopen", "answered", "level_clicked", "evidence_clicked"):
            getattr(view, name).connect(getattr(self, name))
        view.link_clicked.connect(self.link_clicked)
        self._views[id(turn)] = view
        self._column.insertWidget(position, view)
        return view

    def _turn_added(self, turn: Turn) -> None:
        self._insert(self._column.count() - 1, turn)
        self._at_end = True  # the person just sent it

    def _part_added(self, turn: Turn, part: Part) -> None:
        self._with(turn, lambda view: view.add(part))
        self._announce_new()

    def _grew(self, turn: Turn, part: Part, piece: str) -> None:
        self._with(turn, lambda view: view.grow(part, piece))
        self._announce_new()

    def _announce_new(self) -> None:
        if not self._at_end and not self._new.isVisible():
            self._new.show()
            self._place_chip()

    def _with(self, turn: Turn, act: Callable[[TurnView], object]) -> None:
        view = self._views.get(id(turn))
        if view is not None:
            act(view)

    def _scrolled(self, value: int) -> None:
        bar = self.verticalScrollBar()
        self._at_end = value >= bar.maximum() - AT_END_PX
        if self._at_end:
            self._new.hide()
        if value < self.viewport().height() and self._first > 0 and self._anchor is None:
            self._anchor = bar.maximum() - value
            QTimer.singleShot(0, self, self._build_earlier)

    def _build_earlier(self) -> None:
        """Build another page above; what the reader sees stays where it is."""
        first = max(0, self._first - PAGE)
        for offset, turn in enumerate(self._model.turns[first : self._first]):
            self._insert(offset, turn)
        self._first = first
        QTimer.singleShot(SETTLE_MS, self, self._release_anchor)

    def _release_anchor(self) -> None:
        self._anchor = None

    def _range_changed(self, _low: int, high: int) -> None:
        if self._anchor is not None:
            self.verticalScrollBar().setValue(high - self._anchor)
        elif self._at_end:
            self.verticalScrollBar().setValue(high)

    def _restyle(self) -> None:
        self._renderer = None
        self._rebuild()
