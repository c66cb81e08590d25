"""The tools of one request as an API takes them, and the way back from the names that the model uses.

Always: valid names stay; each other name becomes a readable stem and a digest, the same in every request, so that the history of a
conversation reads the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, get_args

from runtime.core.json import JsonObject
from runtime.errors import UserError
from runtime.providers.base import ToolSchema
from runtime.providers.wire.schema_fit import Api
from runtime.providers.wire.schema_nodes import UnfitSchema
from runtime.providers.wire.schema_renames import wire_form
from runtime.providers.wire.tool_schemas import Conversion, converted

__all__ = ["Api", "WireTools", "check_tools"]

_APIS: Final[tuple[Api, ...]] = get_args(Api)


@dataclass(frozen=True, slots=True, kw_only=True)
class _NameRule:
    """Which tool names an API takes."""

    allowed: str
    longest: int
    first: str

    def takes(self, name: str) -> bool:
        """Whether a name may stay."""
        return len(name) <= self.longest and re.fullmatch(rf"[{self.first}][{self.allowed}]*", name) is not None


_WORD: Final = "a-zA-Z0-9_-"
_RULES: Final[dict[Api, _NameRule]] = {
    "openai": _NameRule(allowed=_WORD, longest=64, first=_WORD),
    "anthropic": _NameRule(allowed=_WORD, longest=128, first=_WORD),
    "gemini": _NameRule(allowed="a-zA-Z0-9_.:-", longest=64, first="a-zA-Z_"),
}


class WireTools:
    """The tools of one request as an API takes them, and the way back.

    Args:
        tools: the tools with their own names.
        api: who takes them.

    Raises:
        UserError: a tool cannot be said to the API without losing meaning, or two tools share a name.
    """

    def __init__(self, tools: tuple[ToolSchema, ...], api: Api) -> None:
        self._rule = _RULES[api]
        self._conversions: dict[str, Conversion] = {}
        for count, tool in enumerate(tools):
            _check_name(tool, tools[:count], api)
            self._conversions[tool.name] = _conversion(tool, api)
        self._wire: dict[str, str] = {name: name for name in self._conversions if self._rule.takes(name)}
        for name in sorted(self._conversions.keys() - self._wire.keys()):
            self._wire[name] = self._made_valid(name)
        self._own = {wire: own for own, wire in self._wire.items()}
        self._tools = tuple(
            ToolSchema(
                name=self._wire[tool.name],
                description=tool.description,
                parameters=self._conversions[tool.name].parameters(),
            )
            for tool in tools
        )

    @property
    def tools(self) -> tuple[ToolSchema, ...]:
        """The tools with wire names and converted parameters, in the order given."""
        return self._tools

    def own_name(self, wire: str) -> str:
        """The own name of the tool that the model calls; a name that is none of ours comes back unchanged."""
        return self._own.get(wire, wire)

    def wire_name(self, own: str) -> str:
        """The name for the API, also of a tool that only the history knows."""
        if own in self._wire:
            return self._wire[own]
        return own if self._rule.takes(own) else self._made_valid(own)

    def own_args(self, own: str, args: JsonObject) -> JsonObject:
        """The arguments of a call with the tool's own property names, at every depth."""
        known = self._conversions.get(own)
        return known.renames.to_own(args) if known else args

    def wire_args(self, own: str, args: JsonObject) -> JsonObject:
        """The arguments of an earlier call with the property names that the API was told."""
        known = self._conversions.get(own)
        return known.renames.to_wire(args) if known else args

    def _made_valid(self, own: str) -> str:
        """A name that the API takes and no tool of this request has."""
        rule = self._rule
        return wire_form(own, allowed=rule.allowed, longest=rule.longest, stem="tool", taken=self._wire.values())


def check_tools(tools: tuple[ToolSchema, ...]) -> None:
    """See that every API could take the tools.

    Raises:
        UserError: names the first tool that one could not take, and why.
    """
    for count, tool in enumerate(tools):
        for api in _APIS:
            _check_name(tool, tools[:count], api)
            _conversion(tool, api)


def _check_name(tool: ToolSchema, others: Collection[ToolSchema], api: Api) -> None:
    if any(tool.name == other.name for other in others):
        raise _refusal(tool, api, "another tool has the same name")


def _conversion(tool: ToolSchema, api: Api) -> Conversion:
    try:
        return converted(tool.parameters, api)
    except UnfitSchema as problem:
        raise _refusal(tool, api, str(problem)) from problem


def _refusal(tool: ToolSchema, api: Api, reason: str) -> UserError:
    return UserError("providers.bad_tool_schema", tool=tool.name, api=api, reason=reason)
