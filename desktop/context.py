"""What every part of the window is handed: words, the look, the clock of the spinners."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.theme import Theme, ThemeController
from desktop.widgets import SpinnerClock
from runtime.texts import Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Ui:
    """Shared by all widgets of one window."""

    texts: Texts
    themes: ThemeController
    spinners: SpinnerClock

    @property
    def theme(self) -> Theme:
        """The look in force."""
        return self.themes.current
