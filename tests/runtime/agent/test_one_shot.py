"""A model without tools: what the question needs is fetched first, handed over in words, and the person is told."""

from __future__ import annotations

from dataclasses import replace

from runtime.core.events import Done, Guard, ToolCalls, ToolResult
from runtime.core.messages import AssistantMessage, ToolMessage, UserMessage
from runtime.paths import Home
from runtime.providers.base import Capabilities, ModelRequest
from runtime.providers.openai_compatible import OpenAIProvider
from tests.support.answers import an_account
from tests.support.desks import SAMPLE_NAME, SAMPLE_STOCK, open_desk, run_turn
from tests.support.scripted import ScriptedProvider, say
from tests.support.streams import Reply, delta, model_server, sse
from tests.support.turns import of, terminal

NO_TOOLS = Capabilities(tools=False)


def words_of(request: ModelRequest) -> str:
    return "\n".join(message.text for message in request.messages if isinstance(message, UserMessage))


async def test_what_the_question_needs_is_fetched_and_handed_over_in_words(home: Home) -> None:
    provider = ScriptedProvider(say("在吸筹"), capabilities=NO_TOOLS)
    async with open_desk(home, provider) as desk:
        events = await run_turn(desk, f"{SAMPLE_NAME}现在怎么看，我的持仓要不要动")
    done = terminal(events)
    assert isinstance(done, Done)
    assert done.text == "在吸筹"
    [request] = provider.requests
    assert request.tools == ()
    assert not [message for message in request.messages if isinstance(message, ToolMessage)]
    assert SAMPLE_STOCK in words_of(request)
    assert "不是指令" in words_of(request)
    [guard] = of(events, Guard)
    assert guard.name == "one_shot"
    assert "scripted" in guard.detail
    names = [info.name for info in of(events, ToolCalls)[0].calls]
    assert names == ["analyze_stock", "analyze_stock", "get_market_overview", "portfolio"]
    assert len(of(events, ToolResult)) == len(names)


async def test_fetched_results_are_stored_with_their_calls(home: Home) -> None:
    async with open_desk(home, ScriptedProvider(say("好"), capabilities=NO_TOOLS)) as desk:
        await run_turn(desk, f"{SAMPLE_NAME}怎么看")
        path = [item.message for item in await desk.stores.conversations.path("c1")]
    asked = [message for message in path if isinstance(message, AssistantMessage) and message.calls]
    results = [message for message in path if isinstance(message, ToolMessage)]
    assert [call.id for call in asked[0].calls] == [result.call_id for result in results]


async def test_a_question_that_names_nothing_is_answered_from_the_conversation_and_says_so(home: Home) -> None:
    provider = ScriptedProvider(say("弹簧是……"), capabilities=NO_TOOLS)
    async with open_desk(home, provider) as desk:
        events = await run_turn(desk, "什么是弹簧效应")
    assert of(events, ToolCalls) == []
    assert len(of(events, Guard)) == 1


async def test_data_takes_no_more_than_its_share_of_a_small_window(home: Home) -> None:
    provider = ScriptedProvider(say("好"), capabilities=replace(NO_TOOLS, window=2_000))
    async with open_desk(home, provider) as desk:
        await run_turn(desk, f"{SAMPLE_NAME}怎么看")
    assert len(words_of(provider.requests[0])) < 4_000
    assert "没有给出" in words_of(provider.requests[0])


async def test_a_server_that_refuses_tools_is_asked_without_them_and_remembered(home: Home) -> None:
    refusal = Reply(
        body=b'{"error":{"message":"m1 does not support tools"}}', status=400, content_type="application/json"
    )
    async with model_server(refusal, sse(delta("stop", content="在吸筹"))) as server:
        account = an_account(server.url)
        provider = OpenAIProvider(account, Capabilities())
        async with open_desk(home, provider) as desk:
            events = await run_turn(desk, f"{SAMPLE_NAME}怎么看")
        done = terminal(events)
        assert isinstance(done, Done)
        assert done.text == "在吸筹"
        assert not OpenAIProvider(account, Capabilities()).capabilities.tools
    assert ["tools" in body for body in server.bodies] == [True, False]
    assert len(of(events, Guard)) == 1
