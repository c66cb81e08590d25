"""Names of tools and of their properties find their way to an API and back."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest

from runtime.core.json import JsonObject, dumps
from runtime.errors import UserError
from runtime.providers.wire.wire_tools import Api, WireTools, check_tools
from tests.support.json_schema import fits
from tests.support.told_schemas import APIS, NESTED, a_tool, told, told_of


@pytest.mark.parametrize(
    ("api", "kept", "changed"),
    [
        ("openai", "a-b_C9" + "x" * 58, ["a.b", "分析", "x" * 65, "", "a\n"]),
        ("anthropic", "x" * 128, ["a.b", "x" * 129, "a b"]),
        ("gemini", "_a.b:c-d", ["9lives", "a/b", "x" * 65, "-a"]),
    ],
)
def test_valid_tool_names_stay_and_others_become_valid_and_come_back(api: Api, kept: str, changed: list[str]) -> None:
    rules = {
        "openai": r"[a-zA-Z0-9_-]{1,64}",
        "anthropic": r"[a-zA-Z0-9_-]{1,128}",
        "gemini": r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
    }
    tools = WireTools(tuple(a_tool(name=name) for name in (kept, *changed)), api)
    names = [tool.name for tool in tools.tools]
    assert names[0] == kept
    assert all(re.fullmatch(rules[api], name) for name in names)
    assert len(set(names)) == len(names)
    assert [tools.own_name(name) for name in names] == [kept, *changed]
    assert [WireTools((), api).wire_name(name) for name in (kept, *changed)] == names


def test_a_made_name_gives_way_to_a_tool_that_has_it() -> None:
    made = WireTools((a_tool(name="a.b"),), "openai").wire_name("a.b")
    tools = WireTools((a_tool(name="a.b"), a_tool(name=made)), "openai")
    assert tools.own_name(made) == made
    assert tools.own_name(tools.wire_name("a.b")) == "a.b"


def test_unknown_names_and_their_arguments_come_back_unchanged() -> None:
    tools = WireTools((a_tool(),), "anthropic")
    assert tools.own_name("invented") == "invented"
    assert tools.own_args("invented", {"代码": 1}) == tools.wire_args("invented", {"代码": 1}) == {"代码": 1}


@pytest.mark.parametrize("check", [check_tools, lambda tools: WireTools(tools, "gemini")])
def test_two_tools_of_one_name_are_refused(check: Any) -> None:  # noqa: ANN401 - either of the two
    with pytest.raises(UserError, match="same name"):
        check((a_tool(), a_tool(name="other"), a_tool()))


def test_the_check_names_the_first_tool_that_an_api_cannot_take_and_the_api() -> None:
    bad = {
        "$ref": "#/$defs/n",
        "$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"]}},
    }
    with pytest.raises(UserError) as caught:
        check_tools((a_tool(), a_tool(bad, "chain"), a_tool({"type": "string"}, "later")))
    assert (caught.value.fields["tool"], caught.value.fields["api"]) == ("chain", "gemini")


# --- property names ---

ARGS: JsonObject = {
    "代码": "300750",
    "持仓": [{"数量": 1, "下级": {"数量": 2}}],
    "选择": {"价 格": 1.5},
    "自由": {"代码": "stays"},
}


def test_odd_property_names_are_renamed_at_every_depth_and_mapped_back() -> None:
    tools = WireTools((a_tool(NESTED),), "anthropic")
    schema = cast("dict[str, Any]", tools.tools[0].parameters)
    sent = tools.wire_args("tool", ARGS)
    assert tools.own_args("tool", sent) == ARGS
    assert fits(sent, schema)
    assert not fits(ARGS, schema)
    assert schema["required"] == [next(iter(schema["properties"]))]
    assert next(iter(schema["properties"].values()))["description"] == "代码: 六位"
    free = cast("dict[str, Any]", sent)[list(schema["properties"])[3]]
    assert free == {"代码": "stays"}
    keys = re.findall(r'"([^"]+)":', dumps(schema))
    assert all(re.fullmatch(r"[$a-zA-Z0-9_.-]{1,64}", key) for key in keys)


@pytest.mark.parametrize("api", ["openai", "gemini"])
def test_other_apis_keep_property_names(api: Api) -> None:
    tools = WireTools((a_tool(NESTED),), api)
    assert tools.wire_args("tool", ARGS) == ARGS
    assert fits(ARGS, tools.tools[0].parameters)


def test_example_values_follow_the_names() -> None:
    told_x = told_of({"type": "object", "properties": {"量": {}}, "default": {"量": 1}}, "anthropic")
    assert list(told_x["default"]) == list(told_x["properties"])


def test_rules_about_names_are_said_where_names_change() -> None:
    told_x = told_of({"type": "object", "properties": {"量": {}}, "propertyNames": {"enum": ["量"]}}, "anthropic")
    assert "propertyNames" not in told_x
    assert '"量"' in told_x["description"]


@pytest.mark.parametrize("api", APIS)
def test_properties_called_like_keywords_are_properties(api: Api) -> None:
    names = ["type", "properties", "required", "default", "enum", "$ref", "const", "items"]
    properties = {name: {"type": "string"} for name in names}
    schema = told({"type": "object", "properties": properties, "required": ["type"]}, api)
    assert len(schema["properties"]) == len(names)
    if api != "anthropic":
        assert schema == {"type": "object", "properties": properties, "required": ["type"]}


# --- the root ---
