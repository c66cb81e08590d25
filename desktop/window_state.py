"""What the window remembers between starts: look, geometry, the open conversation, and what was typed into a new one.

Kept in `desk.toml` under `[window]`. Always: writes happen one after the other, off the GUI thread.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, fields, replace
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
    draft: str = ""  # of a new conversation, which is stored with its first message
    risk_seen: bool = False

    @property
    def scheme_choice(self) -> SchemeChoice:
        """The look; anything unknown follows the system."""
        return cast("SchemeChoice", self.scheme if self.scheme in ("light", "dark") else "system")

    @property
    def market_choice(self) -> MarketMode:
        """Which colour means up; anything unknown is the Chinese way."""
        return cast("MarketMode", self.market_mode if self.market_mode in ("intl", "cb") else "cn")


class StateKeeper:
    """The state of one window, written as it changes.

    Args:
        file: the settings file of the home.
        state: what was remembered.
    """

    def __init__(self, file: SettingsFile, state: WindowState) -> None:
        self._file = file
        self._lock = asyncio.Lock()
        self.state = state

    async def change(self, **values: str) -> None:
        """Change some values at once, and write them when what is being written is done."""
        self.state = replace(self.state, **values)  # type: ignore[arg-type]  # the fields that change are texts
        async with self._lock:
            await asyncio.to_thread(save_state, self._file, self.state)


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
