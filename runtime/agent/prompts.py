"""Prompts, read from `resources/prompts/<language>/`. The system prompt holds no clock: its bytes are the same in every turn."""

from __future__ import annotations

from runtime.paths import resource
from runtime.texts import DEFAULT_LANGUAGE


def prompt(name: str, language: str = DEFAULT_LANGUAGE) -> str:
    """The text of a prompt; Chinese where the language has none."""
    file = resource("prompts", language, f"{name}.md")
    if not file.is_file():
        file = resource("prompts", DEFAULT_LANGUAGE, f"{name}.md")
    return file.read_text("utf-8").strip()
