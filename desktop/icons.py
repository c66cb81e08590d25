"""Icons: Lucide outlines, tinted with a colour of the theme and rendered for the device's pixels."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from runtime.paths import resource


def icon(name: str, color: QColor, size: int = 16) -> QIcon:
    """An icon for buttons and menus; sharp at 1x and 2x."""
    result = QIcon()
    for ratio in (1.0, 2.0):
        result.addPixmap(pixmap(name, color, size, ratio))
    return result


def pixmap(name: str, color: QColor, size: int = 16, ratio: float = 1.0) -> QPixmap:
    """The picture of an icon; kept, because lists ask for the same ones again and again."""
    return _rendered(name, color.name(QColor.NameFormat.HexArgb), size, ratio)


@lru_cache(maxsize=512)
def _rendered(name: str, color: str, size: int, ratio: float) -> QPixmap:
    tint = QColor(color)
    svg = resource("icons", f"{name}.svg").read_text("utf-8").replace("currentColor", tint.name())
    if size >= 16:
        svg = svg.replace('stroke-width="2"', 'stroke-width="1.75"')
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setOpacity(tint.alphaF())
    QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, size * ratio, size * ratio))
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture
