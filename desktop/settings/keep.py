"""Writing one setting from a page: off the GUI thread, and honest about what the environment decides instead."""

from __future__ import annotations

import asyncio

from runtime.errors import UserError
from runtime.settings import LiveSettings


async def keep(live: LiveSettings, name: str, value: float | str) -> None:
    """Write a setting.

    Raises:
        UserError: the value is not valid, or an environment variable stands above it.
    """

    def write() -> object:
        live.change(name, value)
        return getattr(live.now(), name)

    if await asyncio.to_thread(write) != value:
        raise UserError("settings.environment_decides", variable=f"WYCKOFF_{name.upper()}")
