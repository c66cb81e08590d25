"""Small widgets that several parts of the window use: labels, icon buttons, the spinner, hairlines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QHideEvent, QIcon, QPainter, QPaintEvent, QPalette, QPen, QPixmap, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from desktop.icons import icon, pixmap
from desktop.theme import TextStyle, Theme, ThemeController, font

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


def spaced_icon(name: str, color: QColor, size: int = 16, gap: int = 6) -> QIcon:
    """An icon with room before the text that follows it; its size is (size + gap, size)."""
    result = QIcon()
    for ratio in (1.0, 2.0):
        wide = QPixmap(round((size + gap) * ratio), round(size * ratio))
        wide.setDevicePixelRatio(ratio)
        wide.fill(Qt.GlobalColor.transparent)
        painter = QPainter(wide)
        painter.drawPixmap(0, 0, pixmap(name, color, size, ratio))
        painter.end()
        result.addPixmap(wide)
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


class IconLabel(QLabel):
    """An icon that only shows and follows the look; for what outlives a change of theme."""

    def __init__(self, name: str, themes: ThemeController, token: str, size: int = 16) -> None:
        super().__init__()
        self._name = name
        self._token = token
        self._size = size
        self.setFixedSize(size, size)
        self._tint(themes.current)
        themes.changed.connect(self._tint)

    def _tint(self, theme: Theme) -> None:
        self.setPixmap(pixmap(self._name, theme.color(self._token), self._size, 2.0))


class Dot(QWidget):
    """A small disc, or a ring where something is not there."""

    def __init__(self) -> None:
        super().__init__()
        self._filled = False
        self.setFixedSize(8, 8)

    def fill(self, *, on: bool) -> None:
        """Disc or ring."""
        self._filled = on
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw it in the palette's accent, the ring in the colour of captions."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        role = QPalette.ColorRole.Accent if self._filled else QPalette.ColorRole.PlaceholderText
        color = self.palette().color(role)
        painter.setPen(QPen(color, 1.2))
        painter.setBrush(color if self._filled else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(4, 4), 2.8, 2.8)


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
    """A turning arc, 14 px, in the colours of the palette."""

    def __init__(self, clock: SpinnerClock, _theme: Theme | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self.setFixedSize(14, 14)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the arc at the clock's step."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(1.5, 1.5, 11, 11)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Midlight), 2))
        painter.drawEllipse(QPointF(7, 7), 5.5, 5.5)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Accent), 2))
        painter.drawArc(box, -self._clock.step * 360 * 16 // SPINNER_STEPS, 100 * 16)

    def showEvent(self, event: QShowEvent) -> None:
        """Begin to move."""
        super().showEvent(event)
        self._clock.watch(self)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stand still."""
        super().hideEvent(event)
        self._clock.forget(self)
