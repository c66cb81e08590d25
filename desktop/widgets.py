"""Small widgets that several parts of the window use: labels, icon buttons, the spinner, hairlines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from desktop.icons import icon, pixmap
from desktop.theme import TextStyle, Theme, font

SPINNER_STEPS: Final = 12
SPINNER_STEP_MS: Final = 80


def label(
    text: str = "", style: TextStyle = "ui", *, tone: str = "1", bold: bool = False, wrap: bool = False
) -> QLabel:
    """A label in a text style; `tone` is 1, 2, 3, `warn` or `accent`."""
    result = QLabel(text)
    result.setFont(font(style, bold=bold))
    result.setProperty("t", tone)
    result.setTextFormat(Qt.TextFormat.PlainText)
    result.setWordWrap(wrap)
    if wrap:
        result.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    return result


class Elided(QLabel):
    """A label of one line that is cut with an ellipsis; the tooltip holds the whole."""

    def __init__(self, text: str = "", style: TextStyle = "ui", *, tone: str = "1", bold: bool = False) -> None:
        super().__init__()
        self._whole = ""
        self.setFont(font(style, bold=bold))
        self.setProperty("t", tone)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.set_whole(text)

    def set_whole(self, text: str) -> None:
        """Show another text."""
        self._whole = text
        self._elide()

    def resizeEvent(self, event: object) -> None:
        """Cut again at the new width."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._elide()

    def _elide(self) -> None:
        line = " ".join(self._whole.split())
        shown = self.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, max(self.width(), 20))
        self.setText(shown)
        self.setToolTip(self._whole if shown != line else "")


def icon_button(name: str, accessible: str, theme: Theme, on_click: Callable[[], object] | None = None) -> QToolButton:
    """A 28 px button with an icon; `accessible` is its name and tooltip."""
    button = QToolButton()
    button.setIcon(icon(name, theme.color("text.2")))
    button.setIconSize(QSize(16, 16))
    button.setFixedSize(28, 28)
    button.setAccessibleName(accessible)
    button.setToolTip(accessible)
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    if on_click is not None:
        button.clicked.connect(on_click)
    return button


def button(text: str, kind: str = "", *, small: bool = False, name: str = "") -> QPushButton:
    """A button of a kind of the theme."""
    result = QPushButton(text)
    result.setObjectName(name)
    result.setProperty("kind", kind)
    result.setProperty("small", "true" if small else "false")
    result.setAutoDefault(False)
    result.setDefault(False)
    result.setCursor(Qt.CursorShape.PointingHandCursor)
    return result


def hairline(*, vertical: bool = False) -> QFrame:
    """A line of one pixel."""
    line = QFrame()
    line.setProperty("role", "vhair" if vertical else "hair")
    return line


def icon_label(name: str, theme: Theme, token: str, size: int = 16) -> QLabel:
    """An icon that only shows."""
    result = QLabel()
    result.setPixmap(pixmap(name, theme.color(token), size, 2.0))
    result.setFixedSize(size, size)
    return result


class SpinnerClock(QObject):
    """One timer for all spinners; it stands still while none is visible."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.step = 0
        self._spinners: set[Spinner] = set()
        self._timer = QTimer(self)
        self._timer.setInterval(SPINNER_STEP_MS)
        self._timer.timeout.connect(self._tick)

    def watch(self, spinner: Spinner) -> None:
        """A spinner became visible."""
        self._spinners.add(spinner)
        self._timer.start()

    def forget(self, spinner: Spinner) -> None:
        """A spinner is no longer visible."""
        self._spinners.discard(spinner)
        if not self._spinners:
            self._timer.stop()

    @property
    def running(self) -> bool:
        """Whether anything moves."""
        return self._timer.isActive()

    def _tick(self) -> None:
        self.step = (self.step + 1) % SPINNER_STEPS
        for spinner in self._spinners:
            spinner.update()


class Spinner(QWidget):
    """A turning arc, 14 px."""

    def __init__(self, clock: SpinnerClock, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._theme = theme
        self.setFixedSize(14, 14)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the arc at the clock's step."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(1.5, 1.5, 11, 11)
        painter.setPen(QPen(self._theme.color("bg.pressed"), 2))
        painter.drawEllipse(QPointF(7, 7), 5.5, 5.5)
        painter.setPen(QPen(self._theme.color("accent"), 2))
        painter.drawArc(box, -self._clock.step * 360 * 16 // SPINNER_STEPS, 100 * 16)

    def showEvent(self, event: QShowEvent) -> None:
        """Begin to move."""
        super().showEvent(event)
        self._clock.watch(self)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stand still."""
        super().hideEvent(event)
        self._clock.forget(self)
