"""The tools of a workspace, by name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from runtime.errors import InternalError
from runtime.providers.base import ToolSchema
from runtime.texts import Texts
from runtime.tools.definition import AnyTool


class ToolRegistry:
    """Looks tools up.

    Args:
        tools: in the order in which a model sees them.

    Raises:
        InternalError: two tools have one name.
    """

    def __init__(self, tools: Iterable[AnyTool]) -> None:
        self._tools: dict[str, AnyTool] = {}
        for tool in tools:
            if tool.name in self._tools:
                raise InternalError("errors.duplicate_tool", name=tool.name)
            self._tools[tool.name] = tool

    def get(self, name: str) -> AnyTool | None:
        """The tool of a name."""
        return self._tools.get(name)

    def all(self) -> tuple[AnyTool, ...]:
        """Every tool, in order."""
        return tuple(self._tools.values())

    def near(self, name: str) -> tuple[str, ...]:
        """Names that a mistyped one may have meant."""
        return tuple(difflib.get_close_matches(name, self._tools, n=3))

    def schemas(self, texts: Texts) -> tuple[ToolSchema, ...]:
        """All tools as a provider sees them."""
        return tuple(tool.schema(texts) for tool in self._tools.values())
