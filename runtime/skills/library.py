"""The skills of a home: those that ship with the program, and the person's own in `skills/*.md`, which come first.

Files are read when they are asked for, so that an edit counts at once. A file that cannot be used is reported; the others stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from runtime.errors import UserError
from runtime.paths import Home, resource
from runtime.private_files import write_private
from runtime.skills.skill import Skill, parse_skill
from runtime.texts import DEFAULT_LANGUAGE

_LARGEST_FILE: Final = 262_144  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSkills:
    """The skills in the order in which they are listed, and what was wrong with files that were left out or read in part."""

    skills: tuple[Skill, ...]
    problems: tuple[UserError, ...]


class SkillLibrary:
    """Reads skills.

    Args:
        home: where the person's own are.
        language: of the built-in ones.
        has_tool: whether a tool exists; a skill that needs one that does not is not offered.
    """

    def __init__(self, home: Home, language: str, has_tool: Callable[[str], bool]) -> None:
        self._folder = home.skills
        self._language = language
        self._has_tool = has_tool

    @property
    def folder(self) -> Path:
        """Where the person's own skills are kept."""
        return self._folder

    def load(self) -> LoadedSkills:
        """All skills that can be used now."""
        skills: dict[str, Skill] = {}
        problems: list[UserError] = []
        for path, built_in in (*((path, False) for path in self._own()), *((path, True) for path in self._shipped())):
            try:
                skill, found = parse_skill(path.stem, _text(path), built_in=built_in)
            except UserError as problem:
                problems.append(problem)
                continue
            problems += found
            if all(self._has_tool(name) for name in skill.tools):
                skills.setdefault(skill.name, skill)
        return LoadedSkills(skills=tuple(skills.values()), problems=tuple(problems))

    def get(self, name: str) -> Skill:
        """A skill by its name, with or without the slash.

        Raises:
            UserError: there is none.
        """
        wanted, skills = name.strip().removeprefix("/"), self.load().skills
        for skill in skills:
            if skill.name == wanted:
                return skill
        raise UserError("skills.unknown", name=wanted, known=", ".join(f"/{skill.name}" for skill in skills))

    def typed(self, text: str) -> tuple[Skill, str] | None:
        """The skill that a message begins with, and the rest of the message; None = it begins with none."""
        first, _, rest = text.strip().partition(" ")
        if not first.startswith("/"):
            return None
        found = next((skill for skill in self.load().skills if skill.name == first[1:]), None)
        return None if found is None else (found, rest)

    def save(self, name: str, text: str) -> Skill:
        """Write a skill of the person's own.

        Raises:
            UserError: it cannot be used; nothing is written.
        """
        skill, _ = parse_skill(name, text)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        target = self._folder / f"{skill.name}.md"
        write_private(target, text)
        return skill

    def _own(self) -> Iterable[Path]:
        return sorted(self._folder.glob("*.md")) if self._folder.is_dir() else ()

    def _shipped(self) -> Iterable[Path]:
        folder = resource("skills", self._language)
        return sorted((folder if folder.is_dir() else resource("skills", DEFAULT_LANGUAGE)).glob("*.md"))


def _text(path: Path) -> str:
    """The file.

    Raises:
        UserError: it is too large, cannot be read, or is no UTF-8.
    """
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise UserError("skills.too_long", name=path.stem, limit=_LARGEST_FILE)
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError("skills.unreadable", name=path.name, detail=type(problem).__name__) from None
