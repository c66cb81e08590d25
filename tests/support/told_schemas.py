"""Tool parameters as an API gets them."""

from __future__ import annotations

from typing import Any, cast, get_args

from runtime.core.json import JsonObject
from runtime.providers.base import ToolSchema
from runtime.providers.wire.wire_tools import Api, WireTools

APIS: tuple[Api, ...] = get_args(Api)


def a_tool(parameters: object = None, name: str = "tool") -> ToolSchema:
    return ToolSchema(name=name, description="A tool", parameters=cast("JsonObject", parameters or {}))


def told(parameters: object, api: Api) -> dict[str, Any]:
    """The parameters as the API gets them."""
    return WireTools((a_tool(parameters),), api).tools[0].parameters


def told_of(schema: object, api: Api, **beside: object) -> dict[str, Any]:
    """One property as the API gets it."""
    whole = told({"type": "object", "properties": {"x": schema}, **beside}, api)
    return cast("dict[str, Any]", whole["properties"]["x"])


NESTED: JsonObject = {
    "type": "object",
    "properties": {
        "代码": {"type": "string", "description": "六位"},
        "持仓": {"type": "array", "items": {"$ref": "#/$defs/持仓"}},
        "选择": {
            "anyOf": [
                {"type": "object", "properties": {"价 格": {"type": "number"}}, "required": ["价 格"]},
                {"type": "null"},
            ]
        },
        "自由": {"type": "object"},
    },
    "required": ["代码"],
    "$defs": {
        "持仓": {"type": "object", "properties": {"数量": {"type": "integer"}, "下级": {"$ref": "#/$defs/持仓"}}}
    },
}
