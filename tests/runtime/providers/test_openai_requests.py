"""What endpoints are sent, and what is left out after they refused it."""

from __future__ import annotations

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
from runtime.providers.openai_compatible.request import request_messages
from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.steps import AdaptationMemory
from tests.support.answers import a_provider, a_request, answer_of
from tests.support.streams import Reply, delta, model_server, sse

GOOD = sse(delta("stop", content="好"))
HISTORY: tuple[Message, ...] = (
    UserMessage(text="云溪怎么看", context="现在是 2026-06-30"),
    AssistantMessage(parts=(ThinkingPart(text="先查"), ToolCall(id="c1", name="quote", args={"代码": "608001.SIM"}))),
    ToolMessage(call_id="c1", name="quote", content='{"ok":true}', ok=True),
    AssistantMessage(parts=(TextPart(text="在吸筹"),)),
    AssistantMessage(),
    UserMessage(text="那止损呢"),
)


def refusal(message: str, status: int = 400) -> Reply:
    return Reply(body=dumps({"error": {"message": message}}).encode(), status=status, content_type="application/json")


def wire(base_url: str, model: str = "some-model") -> list[JsonObject]:
    endpoint = Endpoint(base_url=base_url, model=model)
    return request_messages(a_request(*HISTORY, system="你是读盘人"), endpoint, frozenset())


async def test_the_body_of_a_request() -> None:
    async with model_server(GOOD) as server:
        await answer_of(a_provider(server.url), a_request(*HISTORY, system="你是读盘人", tools=("quote",)))
    assert server.bodies == [
        {
            "model": "some-model",
            "stream": True,
            "messages": [
                {"role": "system", "content": "你是读盘人"},
                {"role": "user", "content": "云溪怎么看\n\n现在是 2026-06-30"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "c1",
                            "type": "function",
                            "function": {"name": "quote", "arguments": '{"代码":"608001.SIM"}'},
                        }
                    ],
                },
                {"role": "tool", "tool_call_id": "c1", "content": '{"ok":true}'},
                {"role": "assistant", "content": "在吸筹"},
                {"role": "user", "content": "那止损呢"},
            ],
            "stream_options": {"include_usage": True},
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": "quote",
                        "description": "does quote",
                        "parameters": {"type": "object", "properties": {}},
                    },
                }
            ],
            "tool_choice": "auto",
        }
    ]


@pytest.mark.parametrize(
    ("base_url", "model"),
    [
        ("https://api.deepseek.com", "deepseek-v4"),
        ("https://api.moonshot.cn/v1", "kimi-k2.6"),
        ("http://127.0.0.1:8000/v1", "deepseek-v4"),
    ],
)
def test_reasoning_goes_back_where_it_is_needed(base_url: str, model: str) -> None:
    assistants = [message for message in wire(base_url, model) if message["role"] == "assistant"]
    assert [message["reasoning_content"] for message in assistants] == ["先查", " "]


@pytest.mark.parametrize("base_url", ["https://api.openai.com/v1", "https://api.groq.com/openai/v1"])
def test_reasoning_is_not_sent_to_strict_endpoints(base_url: str) -> None:
    assert all("reasoning_content" not in message for message in wire(base_url, "deepseek-distill"))


def test_call_ids_are_made_to_fit_the_endpoint() -> None:
    messages = wire("https://api.mistral.ai/v1")
    calls = messages[2]["tool_calls"]
    assert isinstance(calls, list)
    assert isinstance(calls[0], dict)
    made = str(calls[0]["id"])
    assert made.isalnum()
    assert len(made) == 9
    assert messages[3]["tool_call_id"] == made


async def test_refused_parameters_are_dropped_one_by_one_and_remembered() -> None:
    async with model_server(
        refusal("Unknown parameter: 'stream_options'"), refusal("tool_choice is not supported", 422), GOOD
    ) as server:
        memory = AdaptationMemory()
        request = a_request(tools=("quote",))
        assert (await answer_of(a_provider(server.url, memory=memory), request)).text == "好"
        assert (await answer_of(a_provider(server.url, memory=memory), request)).text == "好"
        assert (await answer_of(a_provider(server.url, memory=memory, model="another"), request)).text == "好"
    sent = [tuple(name for name in ("stream_options", "tool_choice") if name in body) for body in server.bodies]
    both = ("stream_options", "tool_choice")
    assert sent == [both, ("tool_choice",), (), (), both]


@pytest.mark.parametrize("status", [401, 403, 429, 500])
async def test_other_refusals_are_no_reason_to_step_down(status: int) -> None:
    async with model_server(refusal("stream_options", status), GOOD) as server:
        assert (await answer_of(a_provider(server.url))).error is not None
    assert len(server.bodies) == 1


async def test_a_refusal_that_stays_is_an_error() -> None:
    async with model_server(refusal("Unknown parameter: 'stream_options'")) as server:
        answer = await answer_of(a_provider(server.url))
    assert answer.error is not None
    assert answer.error.category == "bad_request"
    assert len(server.bodies) == 2


async def test_an_endpoint_that_misses_the_reasoning_gets_it() -> None:
    async with model_server(refusal("The `reasoning_content` must be passed back to the API."), GOOD) as server:
        answer = await answer_of(a_provider(server.url), a_request(*HISTORY))
    assert answer.text == "好"
    assert "reasoning_content" not in dumps(server.bodies[0])
    assert "先查" in dumps(server.bodies[1])


async def test_a_model_without_a_system_role_reads_it_as_the_user() -> None:
    async with model_server(refusal("'messages[0].role' does not support 'system' with this model."), GOOD) as server:
        answer = await answer_of(a_provider(server.url), a_request(*HISTORY, system="你是读盘人"))
    assert answer.text == "好"
    messages = server.bodies[1]["messages"]
    assert isinstance(messages, list)
    assert messages[0] == {"role": "user", "content": "你是读盘人"}


async def test_nothing_of_the_environment_reaches_an_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment-00000000")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    async with model_server(GOOD) as server:
        assert (await answer_of(a_provider(server.url, key=""))).text == "好"
    assert "sk-environment" not in server.heads[0]
    assert "org-of-somebody" not in server.heads[0]


async def test_lone_surrogates_in_the_history_can_be_sent() -> None:
    async with model_server(GOOD) as server:
        assert (await answer_of(a_provider(server.url), a_request(UserMessage(text="坏\ud83d字")))).text == "好"
    assert "坏\ufffd字" in dumps(server.bodies[0])
