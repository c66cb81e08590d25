"""What holds of every tool of a workspace."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from runtime.core.json import JsonValue, dumps
from runtime.paths import Home
from runtime.texts import LANGUAGES, Texts
from runtime.tools.registry import ToolRegistry
from runtime.workspace import open_workspace


@pytest.fixture
def registry(home: Home) -> Iterator[ToolRegistry]:
    workspace = open_workspace(home, {})
    yield workspace.registry
    workspace.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tool_has_a_name_a_description_and_a_schema(registry: ToolRegistry, language: str) -> None:
    texts = Texts(language)
    for tool in registry.all():
        schema = tool.schema(texts)
        assert tool.display_name(texts).strip()
        assert schema.description.strip()
        assert schema.parameters["type"] == "object"
        assert schema.parameters["additionalProperties"] is False


def test_descriptions_hold_no_stock_code(registry: ToolRegistry) -> None:
    for tool in registry.all():
        schema = tool.schema(Texts())
        shown: dict[str, JsonValue] = {"description": schema.description, "parameters": schema.parameters}
        assert not re.search(r"\d{6}", dumps(shown)), tool.name


def test_what_changes_something_needs_an_approval_or_says_what_it_changes(registry: ToolRegistry) -> None:
    for tool in registry.all():
        assert tool.read_only is not bool(tool.side_effects)
        assert not tool.requires_approval or tool.side_effects
        assert not (tool.side_effects and tool.concurrency_safe), tool.name
        assert "portfolio" not in tool.side_effects or tool.requires_approval, tool.name
        assert set(tool.summary_args) <= set(tool.args.model_fields), tool.name


def test_only_asking_tools_have_no_time_out(registry: ToolRegistry) -> None:
    assert [tool.name for tool in registry.all() if tool.timeout_s is None] == ["ask_user"]
