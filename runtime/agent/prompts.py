"""Prompts, read from `resources/prompts/<language>/`. The system prompt holds no clock: its bytes are the same in every turn."""

from __future__ import annotations

from collections.abc import Iterable

from runtime.paths import resource
from runtime.skills.skill import Skill
from runtime.texts import DEFAULT_LANGUAGE, Texts


def with_skills(system: str, skills: Iterable[Skill], texts: Texts) -> str:
    """The system prompt with names and one-line descriptions of the skills; their bodies are read when needed."""
    listed = "\n".join(f"- {skill.name}: {skill.description}" for skill in skills)
    return f"{system}\n\n<system-reminder>\n{texts('agent.skills')}\n{listed}\n</system-reminder>" if listed else system


def prompt(name: str, language: str = DEFAULT_LANGUAGE) -> str:
    """The text of a prompt; Chinese where the language has none."""
    file = resource("prompts", language, f"{name}.md")
    if not file.is_file():
        file = resource("prompts", DEFAULT_LANGUAGE, f"{name}.md")
    return file.read_text("utf-8").strip()
