"""Parts of the forms of the settings: a line, chips of which one is chosen, and numbers the way people write them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLineEdit, QPushButton, QWidget

from desktop.context import Ui
from desktop.widgets import button
from runtime.errors import UserError
from runtime.providers.presets import KINDS, WireKind, kind_of, preset_of

AMOUNT: Final = re.compile(r"\d+(\.\d*)?|\.\d+", re.ASCII)
WHOLE: Final = re.compile(r"0*[1-9]\d*", re.ASCII)
GROUPING: Final = str.maketrans("", "", ", _")  # what stands between the digits of long numbers


def text_line(name: str, caption: str, hint: str = "") -> QLineEdit:
    """A line to type in; `caption` is its accessible name."""
    line = QLineEdit()
    line.setObjectName(name)
    line.setAccessibleName(caption)
    line.setPlaceholderText(hint)
    return line


def mark_invalid(line: QLineEdit, *, invalid: bool) -> None:
    """Frame a line whose text cannot be used, or take the frame away."""
    line.setProperty("invalid", "true" if invalid else "false")
    line.style().unpolish(line)
    line.style().polish(line)


class NumberLine(QLineEdit):
    """A line for a number that may stay empty. What cannot be read stays as it was typed, framed until it is changed.

    Args:
        name: object name.
        caption: what it is, for the message and for screen readers.
        hint: what holds while it is empty.
    """

    def __init__(self, name: str, caption: str, hint: str = "") -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(caption)
        self.setPlaceholderText(hint)
        self.textChanged.connect(lambda _text: mark_invalid(self, invalid=False))

    def whole(self) -> int | None:
        """A positive whole number; None while it is empty.

        Raises:
            UserError: something else stands there.
        """
        text = self._digits(WHOLE, "settings.bad_tokens")
        return int(text) if text else None

    def amount(self) -> float | None:
        """Zero or more; None while it is empty.

        Raises:
            UserError: something else stands there.
        """
        text = self._digits(AMOUNT, "settings.bad_amount")
        return float(text) if text else None

    def refuse(self, key: str) -> UserError:
        """Frame the line, go there, and give the error to raise."""
        mark_invalid(self, invalid=True)
        self.setFocus()
        return UserError(key, name=self.accessibleName())

    def _digits(self, form: re.Pattern[str], key: str) -> str:
        text = unicodedata.normalize("NFKC", self.text()).translate(GROUPING).strip()
        if text and not form.fullmatch(text):
            raise self.refuse(key)
        return text


class Choice(QWidget):
    """Chips of which exactly one is chosen.

    Args:
        name: begins the object names: `<name>-<value>`.
        caption: what is chosen, for screen readers.
        options: values and their words, in order.
        current: the value chosen at first.
    """

    chosen = Signal(str)  # by the person

    def __init__(self, name: str, caption: str, options: Sequence[tuple[str, str]], current: str) -> None:
        super().__init__()
        self.setAccessibleName(caption)
        self._chips: dict[str, QPushButton] = {}
        group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for value, words in options:
            chip = button(words, "chip", name=f"{name}-{value}")
            chip.setAccessibleName(f"{caption}: {words}")
            chip.setCheckable(True)
            chip.clicked.connect(lambda _=False, taken=value: self.chosen.emit(taken))
            group.addButton(chip)
            row.addWidget(chip)
            self._chips[value] = chip
        row.addStretch(1)
        self.choose(current)

    @property
    def value(self) -> str:
        """The chosen one."""
        return next(value for value, chip in self._chips.items() if chip.isChecked())

    def choose(self, value: str) -> None:
        """Choose without asking the person."""
        self._chips[value].setChecked(True)


class SwitchChoice(Choice):
    """Yes, no, or what the program finds out by itself.

    Args:
        ui: shared parts.
        name: begins the object names.
        caption: what is switched.
    """

    def __init__(self, ui: Ui, name: str, caption: str) -> None:
        super().__init__(
            name, caption, [(value, ui.texts(f"settings.{value}")) for value in ("auto", "yes", "no")], "auto"
        )

    @property
    def switch(self) -> bool | None:
        """True, False, or None for what the program finds out."""
        return {"yes": True, "no": False}.get(self.value)

    def show_switch(self, on: bool | None) -> None:
        """Show a value."""
        self.choose("auto" if on is None else "yes" if on else "no")


class KindChoice(Choice):
    """Which API an address speaks. A known service speaks its own; at an address of one's own the person has the last word.

    Args:
        ui: shared parts.
        name: begins the object names.
    """

    def __init__(self, ui: Ui, name: str) -> None:
        options = [(kind, ui.texts(f"settings.kind_{kind}")) for kind in KINDS]
        super().__init__(name, ui.texts("settings.kind"), options, KINDS[0])
        self._fixed = ui.texts("settings.kind_fixed")
        self._decided = False
        self.chosen.connect(self._decide)

    @property
    def kind(self) -> WireKind:
        """The chosen API."""
        return next(kind for kind in KINDS if kind == self.value)

    def show_kind(self, kind: WireKind, address: str) -> None:
        """Show what is configured; it stays unless the address names a service."""
        self.choose(kind)
        self._decided = kind != kind_of(address)
        self.follow(address)

    def follow(self, address: str) -> None:
        """The address is another one now."""
        known = preset_of(address) is not None
        if known or not self._decided:
            self.choose(kind_of(address))
        self.setEnabled(not known)
        self.setToolTip(self._fixed if known else "")

    def _decide(self) -> None:
        self._decided = True
