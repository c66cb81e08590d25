"""What Claude is sent: marks within the limit, a prefix that stays byte for byte, and what a refusal changes."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

import pytest

from runtime.core.json import JsonObject, dumps
from runtime.core.messages import (
    AssistantMessage,
    Message,
    TextPart,
    ThinkingPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from runtime.providers.anthropic_messages import AnthropicProvider
from runtime.providers.base import Capabilities, ModelRequest
from runtime.providers.windows import Prices
from runtime.providers.wire.account import Account
from runtime.providers.wire.endpoint import Endpoint
from tests.support.answers import KEY, a_request, an_account, answer_of
from tests.support.apis import ANTHROPIC, events, message_end, text_block
from tests.support.streams import ModelServer, Reply, model_server

MODEL = "claude-sonnet-4-5"
MOST_MARKS = 4
ANSWER = ANTHROPIC.answer


def claude(server: ModelServer, *, reasoning: bool = False, model: str = MODEL) -> AnthropicProvider:
    return AnthropicProvider(an_account(server.url, model=model), Capabilities(reasoning=reasoning))


def marked(value: object) -> list[dict[str, Any]]:
    """The blocks that carry a cache mark."""
    match value:
        case dict():
            own = [value] if "cache_control" in value else []
            return own + [found for item in value.values() for found in marked(item)]
        case list():
            return [found for item in value for found in marked(item)]
        case _:
            return []


def unmarked(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """The value without cache marks: they are instructions, no part of the prompt."""
    match value:
        case dict():
            return {name: unmarked(item) for name, item in value.items() if name != "cache_control"}
        case list():
            return [unmarked(item) for item in value]
        case _:
            return value


def a_turn(number: int) -> tuple[Message, ...]:
    """What one turn leaves in the history: a question, a round of two tools, an answer."""
    ids = (f"t{number}a", f"t{number}b")
    calls = tuple(ToolCall(id=name, name="quote", args={"symbol": f"60{number:04}"}) for name in ids)
    thought = ThinkingPart(text=f"想 {number}", signature=f"sig{number}", provider="我的模型")
    return (
        UserMessage(text=f"第 {number} 个问题", context=f"现在是 2026-06-{number:02}"),
        AssistantMessage(parts=(thought, TextPart(text="先查"), *calls), model="我的模型"),
        *(ToolMessage(call_id=name, name="quote", content='{"ok":true}', ok=True) for name in ids),
        AssistantMessage(parts=(TextPart(text=f"答案 {number}"),), model="我的模型"),
    )


def with_memory(message: UserMessage) -> UserMessage:
    """The newest question as it goes out: with what was recalled for it, which is taken away again afterwards."""
    return replace(message, text=f"<relevant-memories>\n尾盘确认\n</relevant-memories>\n{message.text}")


async def bodies_of(requests: list[ModelRequest], *, reasoning: bool = False) -> list[dict[str, Any]]:
    async with model_server(ANSWER) as server:
        for request in requests:
            assert (await answer_of(claude(server, reasoning=reasoning), request)).error is None
    return cast("list[dict[str, Any]]", server.bodies)


async def test_the_prefix_stays_byte_for_byte_but_for_the_current_and_the_previous_question() -> None:
    requests: list[ModelRequest] = []
    history: tuple[Message, ...] = ()
    for number in range(1, 11):
        turn = a_turn(number)
        question = cast("UserMessage", turn[0])
        for step in (1, 4):  # the first call of the turn, and the one after its tools
            sent = (*history, with_memory(question), *turn[1:step])
            requests.append(replace(a_request(*sent, system="你是读盘人", tools=("quote", "portfolio"))))
        history = (*history, *turn)
    bodies = await bodies_of(requests, reasoning=True)
    assert len(bodies) == 20
    for before, after in pairwise(bodies):
        assert dumps(unmarked(before["system"])) == dumps(unmarked(after["system"]))
        assert dumps(unmarked(before["tools"])) == dumps(unmarked(after["tools"]))
        old, new = unmarked(before["messages"]), unmarked(after["messages"])
        changed = [at for at, message in enumerate(old) if dumps(message) != dumps(new[at])]
        assert changed in ([], [_last_question(old)])


def _last_question(messages: list[Any]) -> int:
    asked = [at for at, item in enumerate(messages) if item["role"] == "user" and item["content"][0]["type"] == "text"]
    return asked[-1]


async def test_marks_stand_at_the_end_of_tools_system_and_the_last_message() -> None:
    history = [message for number in range(1, 4) for message in a_turn(number)]
    requests = [a_request(*history[:size], system="s", tools=("quote", "portfolio")) for size in (1, 4, 6, 9, 11)]
    for body in await bodies_of(requests):
        assert len(marked(body)) <= MOST_MARKS
        assert "cache_control" in body["system"][-1]
        assert [("cache_control" in tool) for tool in body["tools"]] == [False, True]
        assert "cache_control" in body["messages"][-1]["content"][-1]
        assert all(not marked(message) for message in body["messages"][:-1])


async def test_all_results_of_a_round_are_one_message_and_come_first() -> None:
    turn = a_turn(1)
    [body] = await bodies_of([a_request(*turn[:4], UserMessage(text="再看看成交量"), tools=("quote",))])
    last = body["messages"][-1]
    assert [block["type"] for block in last["content"]] == ["tool_result", "tool_result", "text"]
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]


async def test_no_empty_text_is_ever_sent() -> None:
    history = (
        UserMessage(text="问"),
        AssistantMessage(parts=(TextPart(text=" "), ToolCall(id="bad id!", name="quote", args={}))),
        ToolMessage(call_id="bad id!", name="quote", content="", ok=False),
        AssistantMessage(parts=(TextPart(text=""),)),
        UserMessage(text="再问"),
    )
    [body] = await bodies_of([a_request(*history, tools=("quote",))])
    texts = [block["text"] for message in body["messages"] for block in message["content"] if block["type"] == "text"]
    assert texts == ["问", "再问"]
    call, result = body["messages"][1]["content"][0], body["messages"][2]["content"][0]
    assert call["id"] == result["tool_use_id"] != "bad id!"
    assert result["is_error"] is True
    assert "system" not in body


async def test_cached_tokens_are_counted_and_priced_apart() -> None:
    usage: JsonObject = {
        "input_tokens": 100,
        "output_tokens": 1,
        "cache_read_input_tokens": 2000,
        "cache_creation_input_tokens": 300,
    }
    start: JsonObject = {"type": "message_start", "message": {"id": "m", "content": [], "usage": usage}}
    async with model_server(events(start, *text_block(0, "好"), *message_end())) as server:
        account = Account(
            name="c",
            endpoint=Endpoint(base_url=server.url, model=MODEL),
            key=KEY,
            prices=Prices(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75),
        )
        answer = await answer_of(AnthropicProvider(account, Capabilities()))
    assert answer.usage is not None
    assert (answer.usage.input, answer.usage.cache_read, answer.usage.cache_write) == (100, 2000, 300)
    assert answer.usage.cost == pytest.approx((100 * 3 + 2 * 15 + 2000 * 0.3 + 300 * 3.75) / 1e6)


def refusal(message: str) -> Reply:
    error: JsonObject = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    return Reply(body=dumps(error).encode(), status=400, content_type="application/json")


@pytest.mark.parametrize(
    ("message", "model", "check"),
    [
        ("max_tokens: 16384 > 8192, which is the maximum allowed", MODEL, lambda body: body["max_tokens"] == 8192),
        (
            "`thinking.type`: adaptive is not supported",
            "claude-new-9",
            lambda body: body["thinking"]["type"] == "enabled",
        ),
        ("thinking is not supported by this model", MODEL, lambda body: "thinking" not in body),
        ("cache_control: unknown field", MODEL, lambda body: not marked(body)),
        ("anthropic-version: unknown version", MODEL, bool),
    ],
    ids=["max_tokens", "adaptive", "thinking", "cache_control", "version"],
)
async def test_what_is_refused_is_changed_once_and_remembered(message: str, model: str, check: Any) -> None:  # noqa: ANN401 - a predicate
    async with model_server(refusal(message), ANSWER) as server:
        provider = claude(server, reasoning=True, model=model)
        assert (await answer_of(provider)).text == "好"
        assert (await answer_of(provider)).text == "好"
    bodies = cast("list[dict[str, Any]]", server.bodies)
    assert len(bodies) == 3
    assert check(bodies[1])
    assert check(bodies[2])


async def test_a_refused_signature_is_left_out_of_this_request_only() -> None:
    history = a_turn(1)
    async with model_server(refusal("messages.1.content.0: Invalid `signature` in `thinking` block"), ANSWER) as server:
        answer = await answer_of(claude(server, reasoning=True), a_request(*history[:4], tools=("quote",)))
    assert answer.text == "好"
    bodies = cast("list[dict[str, Any]]", server.bodies)
    assert [block["type"] for block in bodies[0]["messages"][1]["content"]] == [
        "thinking",
        "text",
        "tool_use",
        "tool_use",
    ]
    assert [block["type"] for block in bodies[1]["messages"][1]["content"]] == ["text", "tool_use", "tool_use"]
    assert "thinking" not in bodies[1]


async def test_a_pause_of_the_server_is_answered_with_its_own_blocks() -> None:
    start: JsonObject = {"type": "message_start", "message": {"id": "m", "content": [], "usage": {"input_tokens": 1}}}
    search: JsonObject = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    pause = events(
        start,
        {"type": "content_block_start", "index": 0, "content_block": search},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": '{"query":"q"}'},
        },
        {"type": "content_block_stop", "index": 0},
        *message_end("pause_turn"),
    )
    async with model_server(pause, ANSWER) as server:
        answer = await answer_of(claude(server))
    assert (answer.text, answer.finish, answer.calls) == ("好", "stop", [])
    last = cast("list[dict[str, Any]]", server.bodies[1]["messages"])[-1]
    assert last == {"role": "assistant", "content": [search | {"input": {"query": "q"}}]}


async def test_a_full_window_is_said_behind_the_text() -> None:
    start: JsonObject = {"type": "message_start", "message": {"id": "m", "content": [], "usage": {"input_tokens": 1}}}
    body = events(start, *text_block(0, "先看"), *message_end("model_context_window_exceeded"))
    async with model_server(body) as server:
        answer = await answer_of(claude(server))
    assert answer.text == "先看"
    assert answer.error is not None
    assert answer.error.category == "context_length"
