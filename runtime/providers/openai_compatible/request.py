"""A model request as the JSON of chat completions.

Always: one system message, first; arguments are JSON texts; the tuning parameters that reasoning models refuse are not sent at all.
"""

from __future__ import annotations

from typing import Final, assert_never

from runtime.core.json import JsonObject, JsonValue, dumps
from runtime.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from runtime.providers.base import ModelRequest, ToolSchema
from runtime.providers.openai_compatible.adaptation import reasoning_back
from runtime.providers.openai_compatible.habits import empty_content, wire_call_id
from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.surrogates import well_formed_value

_NO_REASONING: Final = " "  # "" counts as missing (Kimi)


def request_messages(request: ModelRequest, endpoint: Endpoint, steps: frozenset[str]) -> list[JsonObject]:
    """The messages of a request."""
    messages: list[JsonObject] = []
    if request.system:
        role = "user" if "no_system_role" in steps else "system"
        messages.append({"role": role, "content": request.system})
    back = reasoning_back(endpoint, steps)
    for message in request.messages:
        wire = _message(message, endpoint, back=back)
        if wire is not None:
            messages.append(wire)
    return [_clean(message) for message in messages]


def request_options(request: ModelRequest, steps: frozenset[str]) -> JsonObject:
    """Everything beside model and messages."""
    options: JsonObject = {}
    if "no_stream_options" not in steps:
        options["stream_options"] = {"include_usage": True}
    if request.tools:
        options["tools"] = [_tool(tool) for tool in request.tools]
        if "no_tool_choice" not in steps:
            options["tool_choice"] = "auto"
    return _clean(options)


def _message(message: Message, endpoint: Endpoint, *, back: bool) -> JsonObject | None:
    match message:
        case UserMessage():
            parts = [part for part in (message.text, message.context) if part]
            return {"role": "user", "content": "\n\n".join(parts)}
        case AssistantMessage():
            return _assistant(message, endpoint, back=back)
        case ToolMessage():
            return {"role": "tool", "tool_call_id": wire_call_id(endpoint, message.call_id), "content": message.content}
        case _:
            assert_never(message)


def _assistant(message: AssistantMessage, endpoint: Endpoint, *, back: bool) -> JsonObject | None:
    """An answer of the model; None when nothing of it can be sent (an empty one is refused)."""
    if not message.calls and not message.text.strip():
        return None
    wire: JsonObject = {"role": "assistant", "content": message.text or empty_content(endpoint)}
    if message.calls:
        wire["tool_calls"] = [_call(call, endpoint) for call in message.calls]
    if back:
        wire["reasoning_content"] = message.thinking or _NO_REASONING
    return wire


def _call(call: ToolCall, endpoint: Endpoint) -> JsonValue:
    function: JsonObject = {"name": call.name, "arguments": dumps(call.args or {})}
    return {"id": wire_call_id(endpoint, call.id), "type": "function", "function": function}


def _tool(tool: ToolSchema) -> JsonValue:
    function: JsonObject = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _clean(value: JsonObject) -> JsonObject:
    clean = well_formed_value(value)
    return clean if isinstance(clean, dict) else {}
