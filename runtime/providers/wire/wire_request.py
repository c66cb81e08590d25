"""A request in the names that an API takes, and its answer in our own."""

from __future__ import annotations

from dataclasses import replace

from runtime.core.messages import AssistantMessage, AssistantPart, Message, ToolCall, ToolMessage
from runtime.providers.base import Chunk, ModelRequest, ToolCallChunk
from runtime.providers.wire.wire_tools import WireTools


def wire_request(request: ModelRequest, tools: WireTools) -> ModelRequest:
    """The request with the tools, and the calls of its history, as the API takes them."""
    messages = tuple(_renamed(message, tools) for message in request.messages)
    return replace(request, messages=messages, tools=tools.tools)


def own_chunk(chunk: Chunk, tools: WireTools) -> Chunk:
    """The chunk with our own name of the tool, and the arguments under their own names."""
    match chunk:
        case ToolCallChunk():
            name = tools.own_name(chunk.name)
            args = None if chunk.args is None else tools.own_args(name, chunk.args)
            return replace(chunk, name=name, args=args)
        case _:
            return chunk


def _renamed(message: Message, tools: WireTools) -> Message:
    match message:
        case AssistantMessage() if message.calls:
            return replace(message, parts=tuple(_part(part, tools) for part in message.parts))
        case ToolMessage():
            return replace(message, name=tools.wire_name(message.name))
        case _:
            return message


def _part(part: AssistantPart, tools: WireTools) -> AssistantPart:
    match part:
        case ToolCall(args=args):
            wire_args = None if args is None else tools.wire_args(part.name, args)
            return replace(part, name=tools.wire_name(part.name), args=wire_args)
        case _:
            return part
