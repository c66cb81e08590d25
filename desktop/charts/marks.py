"""Marks of events: labels of fixed size at a bar, above a high or below a low; those that would overlap step away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from desktop.theme import Theme, font
from runtime.wyckoff.records import Event, EventKind

HEIGHT: Final = 16
STEP: Final = 19  # from one row of labels to the next
LEADER: Final = 10
GAP: Final = 3  # between two labels
MOST_STEPS: Final = 5
_WORDS: Final = frozenset({EventKind.SPRING, EventKind.TEST, EventKind.SHAKEOUT})


class Mark(pg.GraphicsObject):  # type: ignore[misc]
    """One event.

    Args:
        event: what is marked.
        index: the bar that it is in.
        price: low or high of that bar.
        below: whether it is drawn under the low.
        theme: the look.
    """

    def __init__(self, event: Event, index: int, price: float, theme: Theme, *, below: bool) -> None:
        super().__init__()
        self.record = event
        self.index = index
        self.price = price
        self.below = below
        self.chosen = False
        kind = event.kind.value
        self.text: Final = kind.title() if event.kind in _WORDS else kind
        self._font = font("axis")
        self._colors = _MarkColors(theme, taken_back=event.invalidated_at is not None)
        self.width: Final = QFontMetricsF(self._font).horizontalAdvance(self.text) + 10
        self._step = 0
        self.setFlag(self.GraphicsItemFlag.ItemIgnoresTransformations)
        self.setZValue(20)
        self.setPos(index, price)

    def box(self, step: int | None = None) -> QRectF:
        """The label in pixels from the bar's end, at a step."""
        offset = LEADER + (self._step if step is None else step) * STEP
        top = offset if self.below else -offset - HEIGHT
        return QRectF(-self.width / 2, top, self.width, HEIGHT)

    def set_step(self, step: int) -> None:
        """Step away from the bar."""
        if step != self._step:
            self.prepareGeometryChange()
            self._step = step
            self.update()

    def boundingRect(self) -> QRectF:
        """The label and its leader, in pixels."""
        return self.box().united(QRectF(-1, -1, 2, 2)).adjusted(-2, -2, 2, 2)

    def set_chosen(self, *, chosen: bool) -> None:
        """Mark it as the one that is explained."""
        if chosen != self.chosen:
            self.chosen = chosen
            self.setZValue(25 if chosen else 20)
            self.update()

    def paint(self, painter: QPainter, *_rest: object) -> None:
        """Draw leader, box and text."""
        colors, box = self._colors, self.box()
        edge = box.top() if self.below else box.bottom()
        painter.setPen(QPen(colors.line, 1))
        painter.drawLine(QPointF(0, 3 if self.below else -3), QPointF(0, edge))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(colors.chosen if self.chosen else colors.fill)
        painter.drawRoundedRect(box, 3, 3)
        painter.setFont(self._font)
        painter.setPen(colors.chosen_text if self.chosen else colors.text)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.text)


def lay_out(marks: Sequence[Mark], bar_px: float, yuan_px: float) -> None:
    """Step marks away from their bars until no label covers another.

    Args:
        marks: all marks.
        bar_px: pixels of one bar.
        yuan_px: pixels of one yuan.
    """
    taken: dict[bool, list[QRectF]] = {True: [], False: []}
    for mark in sorted(marks, key=lambda one: one.index):
        side = taken[mark.below]
        x, y = mark.index * bar_px, -mark.price * yuan_px
        near = [box for box in side[-2 * MOST_STEPS :] if box.right() + GAP > x - mark.width / 2]
        places = [mark.box(step).translated(x, y) for step in range(MOST_STEPS)]
        free = (step for step, place in enumerate(places) if not any(_touch(place, box) for box in near))
        step = next(free, MOST_STEPS - 1)
        mark.set_step(step)
        side.append(places[step])


def overflow(marks: Sequence[Mark], low: float, high: float, height: float) -> tuple[float, float]:
    """Pixels that the labels reach below and above what is visible.

    Args:
        marks: the visible ones.
        low: lowest visible price.
        high: highest visible price.
        height: pixels of the plot.
    """
    yuan_px = height / (high - low)
    below = max((mark.box().bottom() - (mark.price - low) * yuan_px for mark in marks if mark.below), default=0.0)
    above = max((-mark.box().top() - (high - mark.price) * yuan_px for mark in marks if not mark.below), default=0.0)
    return max(0.0, below), max(0.0, above)


def _touch(one: QRectF, other: QRectF) -> bool:
    return one.adjusted(-GAP, -GAP, GAP, GAP).intersects(other)


class _MarkColors:
    """Colours of a mark; one that was taken back is pale."""

    def __init__(self, theme: Theme, *, taken_back: bool) -> None:
        self.line: QColor = theme.color("line.strong" if taken_back else "chart.cross")
        self.fill: QColor = theme.color("bg.canvas")
        self.text: QColor = theme.color("text.3" if taken_back else "text.1")
        self.chosen: QColor = theme.color("accent.fill")
        self.chosen_text: QColor = theme.color("accent.on")
