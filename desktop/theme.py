"""Colours, fonts and market palette from the tokens in `resources/themes/`: the one place where a colour has a name.

A `Theme` is a value; `ThemeController` holds the current one, follows the system when asked to, and tells everybody once when it changes.
Red and green exist only in `MarketPalette`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from runtime.paths import resource

SchemeChoice: TypeAlias = Literal["light", "dark", "system"]
SchemeName: TypeAlias = Literal["light", "dark"]
MarketMode: TypeAlias = Literal["cn", "intl", "cb"]
TextStyle: TypeAlias = Literal["display", "stat", "action", "title", "body", "ui", "small", "axis"]

FAMILIES: Final = (
    "Microsoft YaHei UI",
    "PingFang SC",
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
)
CODE_FAMILIES: Final = ("Cascadia Mono", "Menlo", "Noto Sans Mono CJK SC", "WenQuanYi Micro Hei Mono", "monospace")
SIZES: Final[Mapping[TextStyle, int]] = {
    "display": 24,
    "stat": 20,
    "action": 18,
    "title": 15,
    "body": 14,
    "ui": 13,
    "small": 12,
    "axis": 11,
}
SEMIBOLD_STYLES: Final = frozenset({"display", "stat", "action", "title"})
_RGBA: Final = re.compile(r"rgba\((\d+),(\d+),(\d+),([\d.]+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketPalette:
    """Colours of price direction: the only reds and greens of the program."""

    up: QColor
    down: QColor
    flat: QColor
    up_fill: QColor
    down_fill: QColor


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """One look: a scheme and a market mode.

    Attributes:
        scheme: `light` or `dark`.
        colors: token to colour text (`#RRGGBB` or `rgba(r,g,b,a)`).
        market: the market palette.
    """

    scheme: SchemeName
    colors: Mapping[str, str]
    market: MarketPalette

    def color(self, token: str) -> QColor:
        """The colour of a token, for example `bg.canvas`."""
        return color_of(self.colors[token])

    def css(self, template: str) -> str:
        """A style sheet with its `@tokens` filled; longer names first."""
        for token in sorted(self.colors, key=len, reverse=True):
            template = template.replace(f"@{token}", self.colors[token])
        return template

    def palette(self) -> QPalette:
        """The Qt palette."""
        palette = QPalette()
        role = QPalette.ColorRole
        for token, roles in {
            "bg.window": (role.Window,),
            "bg.canvas": (role.Base, role.Button),
            "bg.raised": (role.AlternateBase, role.ToolTipBase),
            "text.1": (role.Text, role.WindowText, role.ButtonText, role.ToolTipText),
            "text.3": (role.PlaceholderText,),
            "line.strong": (role.Mid,),
            "line": (role.Midlight,),
            "accent.fill": (role.Highlight,),
            "accent.on": (role.HighlightedText,),
            "accent": (role.Link, role.LinkVisited, role.Accent),
        }.items():
            for item in roles:
                palette.setColor(item, self.color(token))
        for item in (role.Text, role.WindowText, role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, item, self.color("text.off"))
        return palette


def color_of(text: str) -> QColor:
    """A Qt colour from `#RRGGBB` or `rgba(r,g,b,a)`."""
    match = _RGBA.fullmatch(text)
    if match is None:
        return QColor(text)
    red, green, blue = (int(match[index]) for index in (1, 2, 3))
    color = QColor(red, green, blue)
    color.setAlphaF(float(match[4]))
    return color


def font(style: TextStyle = "ui", *, bold: bool = False) -> QFont:
    """The font of a text style: pixel sizes, two weights only, tabular figures."""
    result = QFont()
    result.setFamilies([*FAMILIES, QGuiApplication.font().family()])
    result.setPixelSize(SIZES[style])
    result.setWeight(QFont.Weight.DemiBold if bold or style in SEMIBOLD_STYLES else QFont.Weight.Normal)
    result.setFeature(QFont.Tag("tnum"), 1)
    return result


def code_font() -> QFont:
    """The font of code."""
    result = QFont()
    result.setFamilies(list(CODE_FAMILIES))
    result.setPixelSize(SIZES["ui"])
    return result


@lru_cache(maxsize=2)
def _tokens(scheme: SchemeName) -> tuple[Mapping[str, str], Mapping[str, str]]:
    loaded = json.loads(resource("themes", f"{scheme}.json").read_text("utf-8"))
    return loaded["colors"], loaded["market"]


def theme(scheme: SchemeName, market_mode: MarketMode = "cn") -> Theme:
    """The look of a scheme and market mode."""
    colors, market = _tokens(scheme)
    up, down = {"cn": ("red", "green"), "intl": ("green", "red"), "cb": ("blue", "orange")}[market_mode]
    return Theme(
        scheme=scheme,
        colors=colors,
        market=MarketPalette(
            up=QColor(market[up]),
            down=QColor(market[down]),
            flat=QColor(colors["text.3"]),
            up_fill=QColor(market.get(f"{up}.fill", market[up])),
            down_fill=QColor(market.get(f"{down}.fill", market[down])),
        ),
    )


class ThemeController(QObject):
    """The current look of an application.

    Args:
        app: the application that is painted.
        scheme: `light`, `dark`, or `system` to follow the desktop.
        market_mode: which colour means up.
    """

    changed = Signal(object)  # the new Theme

    def __init__(self, app: QApplication, scheme: SchemeChoice = "system", market_mode: MarketMode = "cn") -> None:
        super().__init__(app)
        self._app = app
        self._choice: SchemeChoice = scheme
        self._market_mode: MarketMode = market_mode
        self._current = theme(self._resolved(), market_mode)
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self._system_changed)
        self._apply()

    @property
    def current(self) -> Theme:
        """The look in force."""
        return self._current

    @property
    def choice(self) -> SchemeChoice:
        """What the person chose."""
        return self._choice

    @property
    def market_mode(self) -> MarketMode:
        """Which colour means up."""
        return self._market_mode

    def choose(self, *, scheme: SchemeChoice | None = None, market_mode: MarketMode | None = None) -> None:
        """Change scheme or market mode; what is not given stays."""
        self._choice = scheme or self._choice
        self._market_mode = market_mode or self._market_mode
        self._rebuild()

    def _system_changed(self) -> None:
        if self._choice == "system":
            self._rebuild()

    def _rebuild(self) -> None:
        wanted = theme(self._resolved(), self._market_mode)
        if wanted == self._current:
            return
        self._current = wanted
        self._apply()
        self.changed.emit(wanted)

    def _resolved(self) -> SchemeName:
        if self._choice != "system":
            return self._choice
        dark = self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark
        return "dark" if dark else "light"

    def _apply(self) -> None:
        self._app.setFont(font())
        self._app.setPalette(self._current.palette())
        template = resource("themes", "app.qss").read_text("utf-8")
        self._app.setStyleSheet(self._current.css(template))
