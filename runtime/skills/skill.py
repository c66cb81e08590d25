"""One skill: a Markdown file whose head names and describes it, and whose body instructs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from runtime.errors import UserError

PLACEHOLDER: Final = "{user_input}"
LONGEST_BODY: Final = 20_000  # characters
_FENCE: Final = "---"
_LINE: Final = re.compile(r"([A-Za-z_][\w-]*)\s*:\s*(.*)")
_NAME: Final = re.compile(r"[\w-]{1,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill.

    Attributes:
        name: what is typed after the slash, and what the model calls it by.
        description: one line.
        body: the instructions; `{user_input}` stands for what the person added.
        tools: tools without which it makes no sense.
        built_in: it ships with the program.
    """

    name: str
    description: str
    body: str
    tools: tuple[str, ...] = ()
    built_in: bool = False

    def instructions(self, user_input: str) -> str:
        """The body with what the person added in its place, or behind it."""
        said = user_input.strip()
        if PLACEHOLDER in self.body:
            return self.body.replace(PLACEHOLDER, said).strip()
        return f"{self.body}\n\n{said}".strip()


def parse_skill(stem: str, text: str, *, built_in: bool = False) -> tuple[Skill, tuple[UserError, ...]]:
    """A skill from its file; a head that cannot be read costs only what it says.

    Args:
        stem: name of the file without its ending; the name where the head gives none.
        text: the file.
        built_in: whether it ships with the program.

    Raises:
        UserError: there are no instructions, too many, or no usable name.
    """
    head, body = _split(text)
    fields: dict[str, str] = {}
    problems: list[UserError] = []
    for line in head:
        found = _LINE.fullmatch(line.strip())
        if found is None or found[2].count("[") != found[2].count("]"):
            problems.append(UserError("skills.bad_head", name=stem, line=line.strip()))
        else:
            fields[found[1].lower()] = found[2].strip().strip("\"'")
    name = fields.get("name") or stem
    if not _NAME.fullmatch(name):
        raise UserError("skills.bad_name", name=name)
    if not body.strip():
        raise UserError("skills.empty", name=name)
    if len(body) > LONGEST_BODY:
        raise UserError("skills.too_long", name=name, limit=LONGEST_BODY)
    tools = tuple(part.strip() for part in fields.get("tools", "").strip("[]").split(",") if part.strip())
    skill = Skill(
        name=name, description=fields.get("description", ""), body=body.strip(), tools=tools, built_in=built_in
    )
    return skill, tuple(problems)


def _split(text: str) -> tuple[list[str], str]:
    """The lines of the head, and the body."""
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")
    if not lines or lines[0].strip() != _FENCE:
        return [], "\n".join(lines)
    for at, line in enumerate(lines[1:], start=1):
        if line.strip() == _FENCE:
            return [item for item in lines[1:at] if item.strip()], "\n".join(lines[at + 1 :])
    return [], "\n".join(lines)
