"""The transcript: a window of turns near the reader, more when the reader scrolls up; it follows the end only while the reader is there.

Always: while the reader is elsewhere nothing moves under their eyes, neither when text comes below nor when turns are built above.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.chat.model_menu import ModelMenu
from desktop.context import Ui
from desktop.viewmodels.parts import Part, Turn
from desktop.viewmodels.transcript import TranscriptModel
from desktop.widgets import button

if TYPE_CHECKING:
    from desktop.chat.markdown import MarkdownRenderer  # needed with the first turn, not with the first paint
    from desktop.chat.turn_view import TurnView

PAGE: Final = 12  # turns that are built when the reader comes near the first one
AT_ONCE: Final = 1  # of them before the next paint; the others follow one by one, so that none is felt
MOST: Final = 48  # turns that stay built while the reader is at the end
AT_END_PX: Final = 4
SETTLE_MS: Final = 80  # until the layout of added turns stands
PATIENCE: Final = 25  # how often that is waited for again after another look
EDGE: Final = 10  # px on the left, as the scroll bar takes them on the right


class TranscriptView(QScrollArea):
    """Shows a transcript model.

    Args:
        ui: shared parts.
        model: what is shown.
    """

    regenerate = Signal(str)
    other_model = Signal(str, str)
    edit = Signal(str, str)
    version_chosen = Signal(str)
    continue_asked = Signal()
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
        self.models = ModelMenu(self)
        self._renderer: MarkdownRenderer | None = None
        self._views: dict[int, TurnView] = {}
        self._last: TurnView | None = None
        self._first = 0  # the first turn that is built
        self._wanted = 0  # the first turn that is to be built
        self._at_end = True
        self._patience = 0
        self._from_bottom: int | None = None  # distance that is kept while turns are built above
        self._held: int | None = None  # place that a shrinking layout took away for a moment
        self._column = QVBoxLayout()
        self._column.setContentsMargins(0, 12, 0, 12)
        self._column.setSpacing(12)
        self._column.addStretch(1)
        inner = QWidget()
        inner.setProperty("role", "canvas")
        row = QHBoxLayout(inner)
        row.setContentsMargins(EDGE, 0, 0, 0)
        row.addLayout(self._column, 1)
        self.setWidgetResizable(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(inner)
        self._new = button(ui.texts("desktop.new_below"), "float", small=True, name="newBelow")
        self._new.setParent(self)
        self._new.clicked.connect(self.scroll_to_end)
        self._new.hide()
        self._settled = self._timer(SETTLE_MS, self._release)
        self._building = self._timer(0, self._build_earlier)
        self._follow(model)
        self._rebuild()

    @property
    def at_end(self) -> bool:
        """Whether the reader is at the end, so that new text is followed."""
        return self._at_end

    @property
    def built(self) -> int:
        """How many turns have widgets."""
        return len(self._views)

    def scroll_to_end(self) -> None:
        """Go to the newest line and follow again."""
        self._at_end = True
        self._held = self._from_bottom = None
        self._new.hide()
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def _follow(self, model: TranscriptModel) -> None:
        bar = self.verticalScrollBar()
        bar.setEnabled(False)
        bar.valueChanged.connect(self._scrolled)
        bar.rangeChanged.connect(self._range_changed)
        model.reset.connect(self._rebuild)
        model.turn_added.connect(self._turn_added)
        model.turn_changed.connect(lambda turn: self._with(turn, lambda view: view.refresh_status()))
        model.part_added.connect(self._part_added)
        model.part_changed.connect(lambda turn, part: self._with(turn, lambda view: view.change(part)))
        model.part_removed.connect(lambda turn, part: self._with(turn, lambda view: view.remove(part)))
        model.text_grew.connect(self._grew)
        self._ui.themes.changed.connect(lambda _theme: self._restyle())

    def _timer(self, interval_ms: int, act: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval_ms)
        timer.timeout.connect(act)
        return timer

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the chip at the bottom."""
        super().resizeEvent(event)
        self._place_chip()

    def _place_chip(self) -> None:
        self._new.adjustSize()
        self._new.move((self.width() - self._new.width()) // 2, self.height() - self._new.height() - 12)
        self._new.raise_()

    def _rebuild(self) -> None:
        """Build the newest page of turns and stand at the end."""
        self._clear()
        self._first = max(0, len(self._model.turns) - AT_ONCE)
        self._wanted = max(0, len(self._model.turns) - PAGE)
        self._build(self._first)
        self.scroll_to_end()
        self._keep_building()

    def _clear(self) -> None:
        for view in self._views.values():
            self._drop(view)
        self._views.clear()
        self._last = None

    def _build(self, first: int) -> None:
        for turn in self._model.turns[first:]:
            self._insert(self._column.count() - 1, turn)
        self._mark_last()

    def _insert(self, position: int, turn: Turn) -> TurnView:
        from desktop.chat.markdown import MarkdownRenderer
        from desktop.chat.turn_view import TurnView

        if self._renderer is None:
            self._renderer = MarkdownRenderer(self._ui.theme)
        view = TurnView(self._ui, self._renderer, turn, self.models)
        for name in (
            *("regenerate", "other_model", "edit", "version_chosen", "continue_asked", "reopen", "answered"),
            *("level_clicked", "evidence_clicked", "link_clicked"),
        ):
            getattr(view, name).connect(getattr(self, name))
        self._views[id(turn)] = view
        self._column.insertWidget(position, view)
        return view

    def _mark_last(self) -> None:
        turns = self._model.turns
        last = self._views.get(id(turns[-1])) if turns else None
        if last is not self._last:
            if self._last is not None:
                self._last.set_last(last=False)
            if last is not None:
                last.set_last(last=True)
            self._last = last

    def _turn_added(self, turn: Turn) -> None:
        self._at_end = True  # the person just sent it
        self._forget_far()
        self._insert(self._column.count() - 1, turn)
        self._mark_last()

    def _forget_far(self) -> None:
        """A long talk does not keep every turn built."""
        if len(self._views) < MOST:
            return
        keep = len(self._model.turns) - PAGE
        for turn in self._model.turns[self._first : keep]:
            self._drop(self._views.pop(id(turn)))
        self._first = self._wanted = keep

    def _drop(self, view: TurnView) -> None:
        self._column.removeWidget(view)
        view.hide()
        view.deleteLater()

    def _part_added(self, turn: Turn, part: Part) -> None:
        self._with(turn, lambda view: view.add(part))
        self._announce_new(turn)

    def _grew(self, turn: Turn, part: Part, piece: str) -> None:
        self._with(turn, lambda view: view.grow(part, piece))
        self._announce_new(turn)

    def _announce_new(self, turn: Turn) -> None:
        if not self._at_end and not self._new.isVisible() and id(turn) in self._views:
            self._new.show()
            self._place_chip()

    def _with(self, turn: Turn, act: Callable[[TurnView], object]) -> None:
        view = self._views.get(id(turn))
        if view is not None:
            act(view)

    def _scrolled(self, value: int) -> None:
        if self._held is not None:
            return  # the layout moved it, not the reader
        bar = self.verticalScrollBar()
        self._at_end = value >= bar.maximum() - AT_END_PX
        if self._at_end:
            self._new.hide()
        if self._from_bottom is not None:
            self._from_bottom = bar.maximum() - value
        elif value < self.viewport().height() and 0 < self._first <= self._wanted:
            self._wanted = max(0, self._first - PAGE)
            self._keep_building()

    def _keep_building(self) -> None:
        """Build what is wanted above, turn by turn; what the reader sees stays where it is."""
        if self._first > self._wanted:
            self._building.start()

    def _build_earlier(self) -> None:
        bar = self.verticalScrollBar()
        if self._from_bottom is None and not self._at_end:
            self._from_bottom = bar.maximum() - bar.value()
        if self._first > self._wanted:
            self._first -= 1
            self._insert(0, self._model.turns[self._first])
        self._settled.start()
        self._keep_building()

    def _release(self) -> None:
        """The layout stands: from now on places count from the top."""
        if self._building.isActive():
            return
        bar = self.verticalScrollBar()
        if self._from_bottom is not None and bar.maximum() < self._from_bottom and self._patience > 0:
            self._patience -= 1  # a busy machine has not laid the new look out yet
            self._settled.start()
            return
        self._from_bottom = self._held = None
        self._at_end = bar.value() >= bar.maximum() - AT_END_PX

    def _range_changed(self, _low: int, high: int) -> None:
        bar = self.verticalScrollBar()
        bar.setEnabled(high > 0)  # it keeps its room; the style draws no handle
        if self._from_bottom is not None:
            from_bottom = self._from_bottom
            self._held = high - from_bottom
            bar.setValue(self._held)
            self._held, self._from_bottom = None, from_bottom
        elif self._at_end:
            bar.setValue(high)
        elif bar.value() > high or self._held is not None:
            self._hold(high)

    def _hold(self, high: int) -> None:
        """A block is exchanged and the layout is short for a moment: go back as soon as there is room."""
        bar = self.verticalScrollBar()
        wanted = bar.value() if self._held is None else self._held
        self._held = wanted
        if high >= wanted:
            bar.setValue(wanted)
            self._held = None
        else:
            self._settled.start()

    def _restyle(self) -> None:
        """Another look: the same turns, at the same place."""
        bar = self.verticalScrollBar()
        at_end, from_bottom = self._at_end, bar.maximum() - bar.value()
        self._renderer = None
        self._clear()
        self._build(self._first)
        if at_end:
            self.scroll_to_end()
        else:
            self._at_end, self._from_bottom, self._patience = False, from_bottom, PATIENCE
            self._settled.start()
