"""A model request as contents and configuration of the Gemini API.

Always: a signature goes back on the part that it came with, thoughts themselves do not; each round of calls is answered by exactly as many
results, by order, id and name, in one content.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, assert_never

from runtime.core.json import JsonObject, dumps, loads
from runtime.core.messages import AssistantMessage, Message, TextPart, ToolCall, ToolMessage, UserMessage
from runtime.providers.base import ModelRequest
from runtime.providers.wire.surrogates import well_formed, well_formed_value

if TYPE_CHECKING:
    from google.genai import types

NO_THINKING: Final = "no_thinking"

_SIGNS_CALLS: Final = re.compile(
    r"gemini-?(?![12](\.|-|$))[0-9]|gemini-(pro|flash)-latest"
)  # 3 and later refuse unsigned calls
_PART = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What a request depends on besides its content.

    Attributes:
        model: the vendor's name of the model.
        name: the model as messages carry it; signatures of others are not sent.
        reasoning: the person wants reasoning.
        steps: what the endpoint refused before.
    """

    model: str
    name: str
    reasoning: bool
    steps: frozenset[str] = frozenset()


def request_contents(request: ModelRequest, about: Circumstances) -> list[dict[str, Any]]:
    """The contents of a request."""
    merged: list[tuple[str, list[_PART]]] = []
    told: set[str] = set()  # ids of calls that are told in words
    for message in request.messages:
        role, parts = _parts(message, about, told)
        if not parts:
            continue
        if merged and merged[-1][0] == role:
            merged[-1][1].extend(parts)
        else:
            merged.append((role, parts))
    return [{"role": role, "parts": parts} for role, parts in merged]


def request_config(request: ModelRequest, about: Circumstances) -> types.GenerateContentConfig:
    """Everything beside model and contents."""
    from google.genai import types

    declared = [
        types.FunctionDeclaration(name=tool.name, description=tool.description, parameters_json_schema=tool.parameters)
        for tool in request.tools
    ]
    thinks = about.reasoning and NO_THINKING not in about.steps
    return types.GenerateContentConfig(
        system_instruction=well_formed(request.system) or None,
        tools=[types.Tool(function_declarations=declared)] if declared else None,
        max_output_tokens=request.max_output_tokens,
        thinking_config=types.ThinkingConfig(include_thoughts=True) if thinks else None,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )


def _parts(message: Message, about: Circumstances, told: set[str]) -> tuple[str, list[_PART]]:
    match message:
        case UserMessage():
            text = "\n\n".join(part for part in (message.text, message.context) if part.strip())
            return "user", [{"text": well_formed(text)}] if text else []
        case AssistantMessage():
            return "model", _answer(message, about, told)
        case ToolMessage() if message.call_id in told:
            return "user", [{"text": well_formed(f"[result of {message.name}]\n{message.content}")}]
        case ToolMessage():
            response = {"id": message.call_id, "name": message.name, "response": _result(message)}
            return "user", [{"function_response": response}]
        case _:
            assert_never(message)


def _answer(message: AssistantMessage, about: Circumstances, told: set[str]) -> list[_PART]:
    """The parts of an answer. Calls of another model carry no signature: models that insist on one are told in words."""
    foreign = message.model != about.name
    in_words = foreign and bool(_SIGNS_CALLS.search(about.model.lower()))
    parts: list[_PART] = []
    for part in message.parts:
        match part:
            case TextPart() if part.text or part.signature:
                parts.append({"text": well_formed(part.text)} | _signed(part.signature, foreign=foreign))
            case ToolCall() if in_words:
                told.add(part.id)
                parts.append({"text": well_formed(f"[called {part.name} with {dumps(part.args or {})}]")})
            case ToolCall():
                told.discard(part.id)  # some servers use the same ids in every round
                args = well_formed_value(part.args or {})
                call = {"id": part.id, "name": part.name, "args": args}
                parts.append({"function_call": call} | _signed(part.signature, foreign=foreign))
            case _:
                pass
    return parts if any(part.get("text") or "function_call" in part for part in parts) else []


def _signed(signature: str | None, *, foreign: bool) -> _PART:
    if signature is None or foreign:
        return {}
    try:
        return {"thought_signature": base64.b64decode(signature, validate=True)}
    except binascii.Error:
        return {}


def _result(message: ToolMessage) -> JsonObject:
    """The result as an object, which the API insists on."""
    try:
        value = loads(message.content)
    except ValueError:
        value = message.content
    clean = well_formed_value(value)
    return clean if isinstance(clean, dict) else {"result": clean}
