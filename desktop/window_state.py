"""What the window remembers between starts: look, geometry, the open conversation. Kept in `desk.toml` under `[window]`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import cast

import tomlkit

from desktop.theme import MarketMode, SchemeChoice
from runtime.settings import SettingsFile


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowState:
    """The remembered state with its defaults."""

    scheme: str = "system"
    market_mode: str = "cn"
    geometry: str = ""
    columns: str = ""
    conversation: str = ""
    risk_seen: bool = False

    @property
    def scheme_choice(self) -> SchemeChoice:
        """The look; anything unknown follows the system."""
        return cast("SchemeChoice", self.scheme if self.scheme in ("light", "dark") else "system")

    @property
    def market_choice(self) -> MarketMode:
        """Which colour means up; anything unknown is the Chinese way."""
        return cast("MarketMode", self.market_mode if self.market_mode in ("intl", "cb") else "cn")


def load_state(file: SettingsFile) -> WindowState:
    """The state of a home; values of the wrong kind are left out."""
    table = file.read().get("window", {})
    values = {
        item.name: table[item.name]
        for item in fields(WindowState)
        if item.name in table and isinstance(table[item.name], type(item.default))
    }
    return WindowState(**values)


def save_state(file: SettingsFile, state: WindowState) -> None:
    """Remember the state."""

    def change(document: tomlkit.TOMLDocument) -> None:
        table = document.setdefault("window", tomlkit.table())
        for item in fields(WindowState):
            table[item.name] = getattr(state, item.name)

    file.update(change)
