"""Every collected tool schema can be told to every API, under names that it takes, and its arguments come back."""

# ruff: noqa: ANN401 - schemas and instances are any JSON
from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, get_args

import pytest

from runtime.providers.base import ToolSchema
from runtime.providers.wire.wire_tools import Api, WireTools
from tests.support.replay import SHARED

_FILE = SHARED / "cases" / "schemas.json"

pytestmark = pytest.mark.skipif(not _FILE.is_file(), reason=f"no tool schemas at {_FILE}")

APIS: tuple[Api, ...] = get_args(Api)
NAMES = {
    "openai": r"[a-zA-Z0-9_-]{1,64}",
    "anthropic": r"[a-zA-Z0-9_-]{1,128}",
    "gemini": r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
}


@cache
def collected() -> dict[str, ToolSchema]:
    """The schemas by id; those of foreign dialects also as they were shipped."""
    if not _FILE.is_file():
        return {}
    found: dict[str, ToolSchema] = {}
    for case in json.loads(_FILE.read_text("utf-8"))["schemas"]:
        found[case["id"]] = a_tool(case)
        if "raw" in case:
            found[f"{case['id']} as shipped"] = a_tool(case["raw"])
    return found


def a_tool(case: dict[str, Any]) -> ToolSchema:
    return ToolSchema(name=case["name"], description=case["description"], parameters=case["parameters"])


def nodes(schema: Any) -> list[dict[str, Any]]:
    """A schema and all inside it; names of properties are no keywords."""
    found = [schema]
    for keyword in ("properties", "$defs"):
        found += [node for inner in schema.get(keyword, {}).values() for node in nodes(inner)]
    found += [node for inner in schema.get("anyOf", []) for node in nodes(inner)]
    for keyword in ("items", "additionalProperties"):
        found += nodes(schema[keyword]) if isinstance(schema.get(keyword), dict) else []
    return found


def an_instance(schema: Any) -> Any:
    """Some value for a plain schema, with every property."""
    if "anyOf" in schema:
        return an_instance(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: an_instance(inner) for name, inner in schema.get("properties", {}).items()}
        case "array":
            return [an_instance(schema["items"])] if "$ref" not in schema["items"] else []
        case "string":
            return "300750"
        case "boolean":
            return True
        case _:
            return 100


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("case", collected())
def test_every_schema_converts_under_names_that_the_api_takes(case: str, api: Api) -> None:
    tool = collected()[case]
    wire = WireTools((tool,), api)
    told = wire.tools[0]
    assert re.fullmatch(NAMES[api], told.name)
    assert wire.own_name(told.name) == tool.name
    assert told.parameters["type"] == "object"
    for node in nodes(told.parameters):
        assert node.keys() == {"$ref"} or "$ref" not in node
        assert isinstance(node.get("type", ""), str)
        assert node.get("type") != "array" or "items" in node
        assert node.get("type") != "object" or set(node.get("required", [])) <= node.get("properties", {}).keys()
        if api == "anthropic":
            assert all(re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name) for name in node.get("properties", {}))


@pytest.mark.parametrize("case", collected())
def test_arguments_come_back_under_their_own_names(case: str) -> None:
    tool = collected()[case]
    wire = WireTools((tool,), "anthropic")
    sent = an_instance(wire.tools[0].parameters)
    own = wire.own_args(tool.name, sent)
    told = WireTools((tool,), "openai").tools[0].parameters
    assert own.keys() == told["properties"].keys()  # type: ignore[union-attr]
    assert wire.wire_args(tool.name, own) == sent


@pytest.mark.parametrize("case", collected())
def test_the_client_of_google_takes_every_schema(case: str) -> None:
    from google.genai import types

    told = WireTools((collected()[case],), "gemini").tools[0]
    declaration = types.FunctionDeclaration(
        name=told.name, description=told.description, parameters_json_schema=told.parameters
    )
    assert declaration.parameters_json_schema == told.parameters
