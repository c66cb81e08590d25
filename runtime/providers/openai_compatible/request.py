"""A model request as the JSON of chat completions.

Always: one system message, first; arguments are JSON texts; the tuning parameters that reasoning models refuse are not sent at all.
"""

from __future__ import annotations

from typing import Final, assert_never

from runtime.core.json import JsonObject, JsonValue, dumps
from runtime.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from runtime.providers.base import ModelRequest, ToolSchema
from runtime.providers.openai_compatible.adaptation import reasoning_back
from runtime.providers.openai_compatible.details import details_back
from runtime.providers.openai_compatible.habits import empty_content, takes_signed_reasoning, wire_call_id
from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.surrogates import well_formed_value

_NEW_MAX_TOKENS_HOSTS: Final = ("openai.com", "azure.com")  # all others know the old name, and not all the new one
_NO_REASONING: Final = " "  # "" counts as missing (Kimi)


def request_messages(
    request: ModelRequest, endpoint: Endpoint, steps: frozenset[str], name: str = ""
) -> list[JsonObject]:
    """The messages of a request; `name` is the model as answers carry it, whose signed reasoning goes back."""
    messages: list[JsonObject] = []
    if request.system:
        role = "user" if "no_system_role" in steps else "system"
        messages.append({"role": role, "content": request.system})
    back = reasoning_back(endpoint, steps)
    for message in request.messages:
        wire = _message(message, endpoint, name, back=back)
        if wire is not None:
            messages.append(wire)
    return [_clean(message) for message in messages]


def request_options(request: ModelRequest, endpoint: Endpoint, steps: frozenset[str]) -> JsonObject:
    """Everything beside model and messages."""
    options: JsonObject = {}
    if "no_stream_options" not in steps:
        options["stream_options"] = {"include_usage": True}
    if request.tools:
        options["tools"] = [_tool(tool) for tool in request.tools]
        if "no_tool_choice" not in steps:
            options["tool_choice"] = "auto"
    if request.max_output_tokens is not None:
        new_name = endpoint.on(*_NEW_MAX_TOKENS_HOSTS) != ("other_max_tokens" in steps)
        options["max_completion_tokens" if new_name else "max_tokens"] = request.max_output_tokens
    return _clean(options)


def _message(message: Message, endpoint: Endpoint, name: str, *, back: bool) -> JsonObject | None:
    match message:
        case UserMessage():
            parts = [part for part in (message.text, message.context) if part]
            return {"role": "user", "content": "\n\n".join(parts)}
        case AssistantMessage():
            return _assistant(message, endpoint, name, back=back)
        case ToolMessage():
            return {"role": "tool", "tool_call_id": wire_call_id(endpoint, message.call_id), "content": message.content}
        case _:
            assert_never(message)


def _assistant(message: AssistantMessage, endpoint: Endpoint, name: str, *, back: bool) -> JsonObject | None:
    """An answer of the model; None when nothing of it can be sent (an empty one is refused)."""
    if not message.calls and not message.text.strip():
        return None
    wire: JsonObject = {"role": "assistant", "content": message.text or empty_content(endpoint)}
    if message.calls:
        wire["tool_calls"] = [_call(call, endpoint) for call in message.calls]
    if takes_signed_reasoning(endpoint) and (details := details_back(message, name)):
        wire["reasoning_details"] = details
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
