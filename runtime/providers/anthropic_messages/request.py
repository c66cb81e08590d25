"""A model request as the JSON of the Messages API.

Always: content is a list of blocks, so that moving the cache mark changes no other byte; consecutive messages of one role are one message;
the results of a round stand first in it; no text block is empty; thinking goes back only with the signature it came with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, assert_never

from runtime.core.json import JsonObject, JsonValue
from runtime.core.messages import AssistantMessage, Message, TextPart, ThinkingPart, ToolCall, ToolMessage, UserMessage
from runtime.providers.anthropic_messages.adaptation import (
    MANUAL_THINKING,
    NO_CACHE_CONTROL,
    NO_THINKING,
    NO_TOOL_CHOICE,
    learnt_max_tokens,
)
from runtime.providers.anthropic_messages.habits import (
    THINKING_BUDGET,
    max_output_of,
    thinking_style_of,
    wire_call_id,
)
from runtime.providers.base import ModelRequest
from runtime.providers.wire.surrogates import well_formed_value

_MARK: Final[JsonObject] = {"type": "ephemeral"}
_EMPTY_RESULT: Final = "(no output)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What a request depends on besides its content.

    Attributes:
        model: the vendor's name of the model.
        name: the model as messages carry it; thinking of others is not sent.
        reasoning: the person wants reasoning.
        steps: what the endpoint refused before.
        bare: without the thinking of earlier messages, and without thinking anew: the endpoint refused its signatures.
    """

    model: str
    name: str
    reasoning: bool
    steps: frozenset[str] = frozenset()
    bare: bool = False


def request_body(request: ModelRequest, about: Circumstances) -> JsonObject:
    """The body of a request, without `stream`."""
    thinks = _thinks(request, about)
    room = learnt_max_tokens(about.steps) or max_output_of(about.model)
    body: JsonObject = {
        "model": about.model,
        "max_tokens": min(room, request.max_output_tokens or room),
        "messages": [*_messages(request, about)],
    }
    if request.system.strip():
        body["system"] = [{"type": "text", "text": request.system}]
    if request.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
        if NO_TOOL_CHOICE not in about.steps:
            body["tool_choice"] = {"type": "auto"}
    if thinks:
        body["thinking"] = _thinking(about, int(str(body["max_tokens"])))
    if NO_CACHE_CONTROL not in about.steps:
        _mark(body)
    clean = well_formed_value(body)
    return clean if isinstance(clean, dict) else body


def _thinks(request: ModelRequest, about: Circumstances) -> bool:
    """Whether thinking is asked for. A round of tools that began without it goes on without it: the API refuses anything else."""
    style = thinking_style_of(about.model)
    if about.bare or not about.reasoning or style == "none" or NO_THINKING in about.steps:
        return False
    for message in reversed(request.messages):
        match message:
            case ToolMessage():
                continue
            case AssistantMessage() if message.calls:
                return any(_own(part, about) for part in message.parts if isinstance(part, ThinkingPart))
            case _:
                return True
    return True


def _thinking(about: Circumstances, max_tokens: int) -> JsonObject:
    if thinking_style_of(about.model) == "adaptive" and MANUAL_THINKING not in about.steps:
        return {"type": "adaptive", "display": "summarized"}
    return {"type": "enabled", "budget_tokens": max(1024, min(THINKING_BUDGET, max_tokens // 2))}


def _mark(body: JsonObject) -> None:
    """Put the cache marks: the end of the tools, of the system prompt, and of the last message, which slides with the conversation."""
    messages, system, tools = body["messages"], body.get("system"), body.get("tools")
    last = messages[-1] if isinstance(messages, list) and messages else {}
    for place in (tools, system, last.get("content") if isinstance(last, dict) else None):
        block = place[-1] if isinstance(place, list) and place else None
        if isinstance(block, dict) and block.get("type") not in ("thinking", "redacted_thinking"):
            block["cache_control"] = dict(_MARK)


def _messages(request: ModelRequest, about: Circumstances) -> list[JsonObject]:
    merged: list[tuple[str, list[JsonValue]]] = []
    for message in request.messages:
        role, blocks = _blocks(message, about)
        if not blocks:
            continue
        if merged and merged[-1][0] == role:
            merged[-1][1].extend(blocks)
        else:
            merged.append((role, blocks))
    return [{"role": role, "content": blocks} for role, blocks in merged]


def _blocks(message: Message, about: Circumstances) -> tuple[str, list[JsonValue]]:
    match message:
        case UserMessage():
            text = "\n\n".join(part for part in (message.text, message.context) if part.strip())
            return "user", [{"type": "text", "text": text}] if text else []
        case AssistantMessage():
            return "assistant", _assistant(message, about)
        case ToolMessage():
            content: JsonValue = [
                {"type": "text", "text": message.content if message.content.strip() else _EMPTY_RESULT}
            ]
            result: JsonObject = {
                "type": "tool_result",
                "tool_use_id": wire_call_id(message.call_id),
                "content": content,
            }
            return "user", [result if message.ok else result | {"is_error": True}]
        case _:
            assert_never(message)


def _assistant(message: AssistantMessage, about: Circumstances) -> list[JsonValue]:
    """The blocks of an answer in their order; thinking alone is no answer."""
    blocks: list[JsonValue] = []
    for part in message.parts:
        match part:
            case TextPart() if part.text.strip():
                blocks.append({"type": "text", "text": part.text})
            case ThinkingPart() if _own(part, about) and not about.bare:
                blocks.append(_thinking_block(part))
            case ToolCall():
                call_id = wire_call_id(part.id)
                blocks.append({"type": "tool_use", "id": call_id, "name": part.name, "input": part.args or {}})
            case _:
                pass
    says = any(isinstance(block, dict) and block["type"] in ("text", "tool_use") for block in blocks)
    return blocks if says else []


def _own(part: ThinkingPart, about: Circumstances) -> bool:
    """Whether the model that is asked signed a part."""
    return part.provider == about.name and (part.signature is not None or part.redacted is not None)


def _thinking_block(part: ThinkingPart) -> JsonObject:
    if part.redacted is not None:
        return {"type": "redacted_thinking", "data": part.redacted}
    return {"type": "thinking", "thinking": part.text, "signature": part.signature}
