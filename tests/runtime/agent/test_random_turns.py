"""Whatever a model does and wherever it breaks or is stopped: one terminal event, every call answered once, a history all APIs take."""

from __future__ import annotations

import asyncio
import random
from itertools import pairwise
from typing import Any, cast

import pytest

from runtime.core.events import Cancelled, Done, Failed, ToolFailed, ToolResult
from runtime.core.messages import AssistantMessage, ToolMessage, Usage, UserMessage
from runtime.errors import ModelFacingError
from runtime.paths import Home
from runtime.providers.anthropic_messages import request as anthropic_request
from runtime.providers.base import FinishChunk, ModelRequest, ProviderError, TextChunk, ThinkingChunk, UsageChunk
from runtime.providers.gemini import request as gemini_request
from runtime.providers.openai_compatible.request import request_messages
from runtime.providers.wire.endpoint import Endpoint
from tests.support.desks import open_desk, runtime_with_tools
from tests.support.scripted import Item, Reply, ScriptedProvider, call
from tests.support.tools import Probe
from tests.support.turns import live_turn, terminal

TURNS = 60


def a_call(dice: random.Random) -> Item:
    """A call that runs, fails, is unknown, or cannot be read."""
    made: list[Item] = [
        call("echo", {"text": dice.choice("abc")}),
        call("slow", {"text": dice.choice("abcdef")}),
        call("broken", {"text": "x"}),
        call("nothing", {}),
        call("echo", {"wrong": 1}),
        call("echo", error="line 1 column 2"),
    ]
    return dice.choice(made)


def a_reply(dice: random.Random) -> Reply:
    """One model call: reasoning, text, calls good and bad, and an end that may be missing."""
    items: list[Item] = []
    if dice.random() < 0.3:
        items.append(ThinkingChunk(text="想", signature=dice.choice([None, "c2ln"])))
    if dice.random() < 0.7:
        items += [TextChunk(text=word) for word in dice.choices(["先看", "量价", "", "。", "\n"], k=dice.randint(1, 4))]
    for _ in range(dice.choice([0, 0, 1, 2, 4])):
        items.append(a_call(dice))
    if dice.random() < 0.3:
        items.append(UsageChunk(usage=Usage(input=10, output=2)))
    end = dice.random()
    if end < 0.1:
        items.insert(
            dice.randint(0, len(items)), ProviderError("server", retryable=True, model="m", host="h", detail="d")
        )
    elif end < 0.95:
        items.append(FinishChunk(reason=dice.choice(["stop", "stop", "stop", "length", "blocked"])))
    return tuple(items)


class EndlessProvider(ScriptedProvider):
    """Makes up replies as long as it is asked."""

    def __init__(self, dice: random.Random) -> None:
        super().__init__()
        self._dice = dice

    async def stream(self, request: ModelRequest) -> Any:  # noqa: ANN401 - the base class says it
        self._replies.append(a_reply(self._dice))
        async for chunk in super().stream(request):
            yield chunk


def check_history(request: ModelRequest) -> None:
    """What every API insists on, in the three forms that are sent."""
    pending: list[str] = []
    for message in request.messages:
        match message:
            case ToolMessage():
                assert message.call_id in pending
                pending.remove(message.call_id)
            case AssistantMessage():
                assert pending == []
                assert message.calls or message.text.strip()
                pending = [one.id for one in message.calls]
            case UserMessage():
                assert pending == []
    assert pending == []
    chat = request_messages(request, Endpoint(base_url="https://api.openai.com/v1", model="m"), frozenset())
    assert [message["role"] for message in chat].count("system") == 1
    about = anthropic_request.Circumstances(model="claude-sonnet-4-5", name="scripted", reasoning=True)
    body = cast("dict[str, Any]", anthropic_request.request_body(request, about))
    roles = [message["role"] for message in body["messages"]]
    assert all(one != other for one, other in pairwise(roles))
    blocks = [block for message in body["messages"] for block in message["content"]]
    assert all(block["text"].strip() for block in blocks if block["type"] == "text")
    google = gemini_request.Circumstances(model="gemini-3-pro", name="scripted", reasoning=True)
    for content in gemini_request.request_contents(request, google):
        assert content["parts"]


@pytest.mark.parametrize("seed", range(TURNS))
async def test_a_random_turn(home: Home, seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - a repeatable choice
    provider = EndlessProvider(dice)
    tools = (
        Probe().definition(),
        Probe(name="slow", safe=False).definition(),
        Probe(name="broken", error=ModelFacingError("tools.timed_out", code="broken")).definition(),
    )
    async with open_desk(home, provider) as desk:
        runtime = runtime_with_tools(desk, provider, *tools, model_retries=1, retry_wait_s=0.001, max_tool_rounds=5)
        for number in range(2):
            stop = dice.random() < 0.4
            async with live_turn(runtime, f"第 {number} 个问题") as turn:
                if stop:
                    for _ in range(dice.randint(0, 40)):
                        await asyncio.sleep(0)
                    turn.stop()
                end = await turn.end()
            events = turn.events
            assert terminal(events) is end
            answered = [event.call_id for event in events if isinstance(event, ToolResult | ToolFailed)]
            assert len(answered) == len(set(answered))
            if isinstance(end, Done):
                assert end.text.strip()
            elif isinstance(end, Failed):
                assert end.message.strip()
            else:
                assert isinstance(end, Cancelled)
        path = [item.message for item in await desk.stores.conversations.path("c1")]
    for request in provider.requests:
        check_history(request)
    results = [message.call_id for message in path if isinstance(message, ToolMessage)]
    made = [one.id for message in path if isinstance(message, AssistantMessage) for one in message.calls]
    assert sorted(results) == sorted(made)
