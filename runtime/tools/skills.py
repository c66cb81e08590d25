"""The tool by which a model reads the instructions of a skill when it needs them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from pydantic import Field

from runtime.errors import ModelFacingError, UserError
from runtime.skills.library import SkillLibrary
from runtime.texts import Texts
from runtime.tools.definition import AnyTool, Meta, ToolArgs, ToolContext, ToolDefinition, ToolOutcome


class ExecuteSkillArgs(ToolArgs):
    """Arguments of `execute_skill`."""

    name: str = Field(min_length=1, description="技能的名字，例如 checkup")
    user_input: str = Field(default="", description="用户对这次任务的补充要求，没有就留空")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillTools:
    """The tool with what it needs."""

    library: SkillLibrary
    texts: Texts

    def definitions(self) -> tuple[AnyTool, ...]:
        """The definition."""
        return (
            ToolDefinition(
                name="execute_skill",
                args=ExecuteSkillArgs,
                run=self.execute,
                concurrency_safe=True,
                timeout_s=5.0,
                summary_args=("name",),
                permissions=("skills:read",),
                paged=True,
                asset_kinds=(),
            ),
        )

    async def execute(self, _context: ToolContext, args: ExecuteSkillArgs) -> ToolOutcome:
        """The instructions of a skill.

        Raises:
            ModelFacingError: there is no such skill; the message lists those that there are.
        """
        try:
            skill = await asyncio.to_thread(self.library.get, args.name)
        except UserError as problem:
            known = str(problem.fields.get("known", ""))
            raise ModelFacingError("skills.unknown", code="unknown_skill", name=args.name, known=known) from None
        source = self.texts("tools.skill_built_in" if skill.built_in else "tools.skill_own")
        return ToolOutcome(
            data={"skill": skill.name, "instructions": skill.instructions(args.user_input)},
            summary=self.texts("tools.skill_read", name=skill.name),
            meta=Meta(source=source),
        )
