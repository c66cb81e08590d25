"""What goes back in the second turn is what the recorded second turns show: roles, ids, results, signatures, reasoning.

No live API was asked: these bodies prove that the vendor accepted this shape once, and the recorded refusals what it does not accept.
"""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from runtime.core.json import JsonObject, dumps
from runtime.core.messages import (
    AssistantMessage,
    AssistantPart,
    Message,
    TextPart,
    ThinkingPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from runtime.providers.anthropic_messages import request as anthropic_request
from runtime.providers.base import ModelRequest
from runtime.providers.gemini import request as gemini_request
from runtime.providers.openai_compatible.request import request_messages
from runtime.providers.wire.endpoint import Endpoint
from tests.support.replay import needs_recordings, recording

pytestmark = needs_recordings

NAME = "mine"


def body_of(name: str) -> dict[str, Any]:
    request = cast("dict[str, Any]", recording(name)["request"])
    return cast("dict[str, Any]", request["body"])


def messages_of_chat(body: dict[str, Any]) -> tuple[str, tuple[Message, ...]]:
    """The system prompt and the messages of a chat completions body, as our own."""
    system, names = "", dict[str, str]()
    history: list[Message] = []
    for item in body["messages"]:
        match item["role"]:
            case "system":
                system = item["content"]
            case "user":
                history.append(UserMessage(text=item["content"]))
            case "assistant":
                parts: list[AssistantPart] = []
                details = item.get("reasoning_details")
                if details or item.get("reasoning_content"):
                    thought = item.get("reasoning_content") or details[0]["text"]
                    signature = dumps(details) if details else None
                    parts.append(ThinkingPart(text=thought, signature=signature, provider=NAME))
                if item["content"].strip():
                    parts.append(TextPart(text=item["content"]))
                for call in item.get("tool_calls", []):
                    names[call["id"]] = call["function"]["name"]
                    args = json.loads(call["function"]["arguments"])
                    parts.append(ToolCall(id=call["id"], name=call["function"]["name"], args=args))
                history.append(AssistantMessage(parts=tuple(parts), model=NAME))
            case _:
                call_id = item["tool_call_id"]
                history.append(ToolMessage(call_id=call_id, name=names[call_id], content=item["content"], ok=True))
    return system, tuple(history)


def plain_chat(messages: list[Any]) -> list[Any]:
    """Messages with the arguments of calls as values: white space inside their JSON means nothing."""
    plain = []
    for message in messages:
        calls = [
            {
                "id": call["id"],
                "type": call["type"],
                "name": call["function"]["name"],
                "args": json.loads(call["function"]["arguments"]),
            }
            for call in message.get("tool_calls") or []
        ]
        plain.append({**message, "tool_calls": calls})
    return plain


@pytest.mark.parametrize(
    ("name", "base_url"),
    [
        ("glm_zai_tool_turn2", "https://api.z.ai/api/paas/v4"),
        ("kimi_avian_text", "https://api.avian.io/v1"),
        ("openrouter_claude_thinking_turn2", "https://openrouter.ai/api/v1"),
    ],
)
def test_chat_completions(name: str, base_url: str) -> None:
    body = body_of(name)
    system, history = messages_of_chat(body)
    request = ModelRequest(system=system, messages=history)
    sent = request_messages(request, Endpoint(base_url=base_url, model=body["model"]), frozenset(), NAME)
    assert plain_chat(cast("list[Any]", sent)) == plain_chat(body["messages"])


def test_signed_reasoning_of_another_model_is_not_sent() -> None:
    body = body_of("openrouter_claude_thinking_turn2")
    _, history = messages_of_chat(body)
    endpoint = Endpoint(base_url="https://openrouter.ai/api/v1", model="other")
    sent = request_messages(ModelRequest(system="", messages=history), endpoint, frozenset(), "another")
    assert all("reasoning_details" not in message for message in sent)


def anthropic_parts(content: list[dict[str, Any]]) -> tuple[AssistantPart, ...]:
    parts: list[AssistantPart] = []
    for block in content:
        match block["type"]:
            case "thinking":
                parts.append(ThinkingPart(text=block["thinking"], signature=block["signature"], provider=NAME))
            case "tool_use":
                parts.append(ToolCall(id=block["id"], name=block["name"], args=block["input"]))
            case _:
                parts.append(TextPart(text=block["text"]))
    return tuple(parts)


def messages_of_anthropic(body: dict[str, Any]) -> tuple[Message, ...]:
    history: list[Message] = []
    for item in body["messages"]:
        if item["role"] == "assistant":
            history.append(AssistantMessage(parts=anthropic_parts(item["content"]), model=NAME))
            continue
        for block in item["content"]:
            if block["type"] == "tool_result":
                content = block["content"][0]["text"]
                history.append(ToolMessage(call_id=block["tool_use_id"], name="weather", content=content, ok=True))
            else:
                history.append(UserMessage(text=block["text"]))
    return tuple(history)


def sent_to_anthropic(history: tuple[Message, ...], *, name: str = NAME, reasoning: bool = True) -> JsonObject:
    about = anthropic_request.Circumstances(
        model="claude-sonnet-4-20250514", name=name, reasoning=reasoning, steps=frozenset({"no_cache_control"})
    )
    return anthropic_request.request_body(ModelRequest(system="s", messages=history), about)


@pytest.mark.parametrize("name", ["anthropic_tool_use_turn2", "anthropic_thinking_turn2_signature_sent_back"])
def test_messages_api(name: str) -> None:
    body = body_of(name)
    sent = sent_to_anthropic(messages_of_anthropic(body))
    assert sent["messages"] == body["messages"]
    assert ("thinking" in sent) == ("thinking" in body)


def test_thinking_of_another_model_is_left_out_and_thinking_rests_until_the_round_is_over() -> None:
    history = messages_of_anthropic(body_of("anthropic_thinking_turn2_signature_sent_back"))
    sent = sent_to_anthropic(history, name="another")
    blocks = [block for message in cast("list[Any]", sent["messages"]) for block in message["content"]]
    assert all(block["type"] != "thinking" for block in blocks)
    assert "thinking" not in sent
    later = sent_to_anthropic(
        (*history, AssistantMessage(parts=(TextPart(text="40"),)), UserMessage(text="好")), name="another"
    )
    assert "thinking" in later


def messages_of_gemini(body: dict[str, Any]) -> tuple[Message, ...]:
    history: list[Message] = []
    for item in body["contents"]:
        parts: list[AssistantPart] = []
        for part in item["parts"]:
            if "functionCall" in part:
                call = part["functionCall"]
                signature = _whole(part.get("thoughtSignature"))
                parts.append(ToolCall(id=call["id"], name=call["name"], args=call["args"], signature=signature))
            elif "functionResponse" in part:
                result = part["functionResponse"]
                history.append(
                    ToolMessage(call_id=result["id"], name=result["name"], content=dumps(result["response"]), ok=True)
                )
            else:
                history.append(UserMessage(text=part["text"]))
        if parts:
            history.append(AssistantMessage(parts=tuple(parts), model=NAME))
    return tuple(history)


def _whole(signature: str | None) -> str | None:
    """The recordings cut signatures short; what is left of one decodes in whole groups of four."""
    return None if signature is None else signature.partition("...")[0][:400]


def test_gemini() -> None:
    body = body_of("gemini3_turn2_sig_on_empty_text")
    history = messages_of_gemini(body)
    about = gemini_request.Circumstances(model="gemini-3-pro-preview", name=NAME, reasoning=True)
    sent = gemini_request.request_contents(ModelRequest(system="", messages=history), about)
    assert [content["role"] for content in sent] == [content["role"] for content in body["contents"]]
    model, results = sent[1]["parts"], sent[2]["parts"]
    recorded_calls, recorded_results = body["contents"][1]["parts"], body["contents"][2]["parts"]
    assert [part["function_call"] for part in model] == [part["functionCall"] for part in recorded_calls]
    assert ["thought_signature" in part for part in model] == ["thoughtSignature" in part for part in recorded_calls]
    assert [part["function_response"] for part in results] == [part["functionResponse"] for part in recorded_results]


def test_unsigned_calls_of_another_model_are_told_to_gemini_in_words() -> None:
    history = messages_of_gemini(body_of("gemini3_turn2_sig_on_empty_text"))
    about = gemini_request.Circumstances(model="gemini-3-pro-preview", name="another", reasoning=True)
    sent = gemini_request.request_contents(ModelRequest(system="", messages=history), about)
    assert all(set(part) == {"text"} for content in sent for part in content["parts"])
    older = gemini_request.Circumstances(model="gemini-2.5-flash", name="another", reasoning=True)
    parts = [
        part
        for content in gemini_request.request_contents(ModelRequest(system="", messages=history), older)
        for part in content["parts"]
    ]
    assert sum("function_call" in part for part in parts) == sum("function_response" in part for part in parts) == 2
    assert all("thought_signature" not in part for part in parts)
