"""What streams become: text, reasoning, calls, usage, endings; every quirk that servers are known for."""

from __future__ import annotations

import pytest

from runtime.core.json import JsonObject, JsonValue
from runtime.core.messages import Usage
from runtime.providers.tokens import estimate_tokens
from runtime.providers.windows import Prices
from tests.support.answers import Answer, a_provider, a_request, answer_of
from tests.support.streams import Reply, call_delta, delta, model_server, sse

USAGE: JsonObject = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 60}}


async def streamed(*items: JsonValue, done: bool = True, tools: tuple[str, ...] = ()) -> Answer:
    async with model_server(sse(*items, done=done)) as server:
        return await answer_of(a_provider(server.url), a_request(tools=tools))


async def called(*items: JsonValue, finish: str | None = "tool_calls") -> list[tuple[str, JsonObject | None]]:
    """Names and arguments of the calls in a stream whose deltas carry these lists of `tool_calls` items."""
    deltas = [delta(tool_calls=item if isinstance(item, list) else [item]) for item in items]
    answer = await streamed(*deltas, delta(finish))
    assert answer.error is None
    assert len({call.id for call in answer.calls}) == len(answer.calls)
    return [(call.name, call.args) for call in answer.calls]


async def test_text_usage_and_finish() -> None:
    answer = await streamed(
        delta(role="assistant", content=""),
        delta(content="量价"),
        delta("stop", content="背离"),
        {"choices": [], "usage": USAGE},
    )
    assert (answer.text, answer.finish, answer.error) == ("量价背离", "stop", None)
    assert answer.usage == Usage(input=40, output=7, cache_read=60)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "thinking", "thought"])
async def test_reasoning_in_every_notation(field: str) -> None:
    answer = await streamed(delta(**{field: "先看"}), delta(**{field: "成交量"}), delta("stop", content="好"))
    assert (answer.thinking, answer.text) == ("先看成交量", "好")


async def test_the_same_reasoning_in_two_fields_is_taken_once() -> None:
    details: JsonValue = [{"type": "reasoning.text", "text": "想"}]
    answer = await streamed(delta(reasoning_content="想", reasoning_details=details), delta("stop", content="好"))
    assert answer.thinking == "想"


async def test_content_as_a_list_of_parts() -> None:
    parts: JsonValue = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "想"}]},
        {"type": "text", "text": "答"},
    ]
    answer = await streamed(delta(content=parts), delta("stop"))
    assert (answer.thinking, answer.text) == ("想", "答")


async def test_surrogates_split_over_chunks_are_joined() -> None:
    body = (
        'data: {"choices":[{"index":0,"delta":{"content":"涨\\ud83d"}}]}\n\n'
        'data: {"choices":[{"index":0,"delta":{"content":"\\ude80了\\ud83d"},"finish_reason":"stop"}]}\n\n'
    )
    async with model_server(body.encode()) as server:
        answer = await answer_of(a_provider(server.url))
    assert answer.text == "涨🚀了\ufffd"


@pytest.mark.parametrize("done", [True, False])
async def test_a_finish_reason_makes_the_mark_at_the_end_superfluous(*, done: bool) -> None:
    answer = await streamed(delta(content="好"), delta("stop"), done=done)
    assert (answer.finish, answer.error) == ("stop", None)


# Calls


async def test_calls_without_index_are_told_apart_by_id_and_place() -> None:
    assert await called(
        call_delta(None, "a", "quote", ""),
        call_delta(None, None, None, '{"n":1}'),
        call_delta(None, "b", "bars", '{"n":2}'),
    ) == [("quote", {"n": 1}), ("bars", {"n": 2})]
    assert await called(
        [call_delta(None, None, "quote", '{"n":'), call_delta(None, None, "bars", '{"n":')],
        [call_delta(None, None, None, "1}"), call_delta(None, None, None, "2}")],
    ) == [("quote", {"n": 1}), ("bars", {"n": 2})]


@pytest.mark.parametrize("ids", [("a", "b"), (None, None)], ids=["with ids", "without ids"])
async def test_parallel_calls_that_all_claim_index_0(ids: tuple[str | None, str | None]) -> None:
    first, second = ids
    assert await called(call_delta(0, first, "quote", '{"n":1}'), call_delta(0, second, "quote", '{"n":2}')) == [
        ("quote", {"n": 1}),
        ("quote", {"n": 2}),
    ]


async def test_indexes_from_1_with_holes() -> None:
    assert await called(
        call_delta(1, "a", "quote", ""), call_delta(4, "b", "bars", ""), call_delta(1, "", None, '{"n":1}'),
        call_delta(4, None, None, '{"n":2}'),
    ) == [("quote", {"n": 1}), ("bars", {"n": 2})]  # fmt: skip


async def test_repeated_name_and_arguments_before_the_name() -> None:
    assert await called(
        call_delta(0, "a", "quote", '{"n'), call_delta(0, "a", "quote", '":1}'), call_delta(0, "a", "quote", "")
    ) == [("quote", {"n": 1})]
    assert await called(call_delta(0, "a", None, '{"n":1}'), call_delta(0, None, "quote", None)) == [
        ("quote", {"n": 1})
    ]


@pytest.mark.parametrize(
    ("arguments", "args"),
    [
        (None, {}), ("", {}), ("null", {}), ('""', {}), ("{}", {}), ({"n": 1}, {"n": 1}), ('"{\\"n\\": 1}"', {"n": 1}),
        ('{"n": "a\nb"}', {"n": "a\nb"}),
    ],
    ids=str,
)  # fmt: skip
async def test_arguments_in_every_notation(arguments: JsonValue, args: JsonObject) -> None:
    assert await called(call_delta(0, "a", "quote", arguments)) == [("quote", args)]


@pytest.mark.parametrize(
    ("arguments", "position"),
    [
        ('{"n": 1', "line 1 column 8 (char 7)"),
        ('{"n":\n tru}', "line 2 column 2 (char 7)"),
        ('{"a":1}{"b":2}', "(char 7)"),
        ("[1]", "not list"),
        ('{"n": NaN}', "NaN"),
        ("[" * 5_000, "recursion"),
    ],
    ids=["cut", "second line", "two objects", "list", "NaN", "deep"],
)
async def test_malformed_arguments_are_an_error_with_the_position(arguments: str, position: str) -> None:
    answer = await streamed(delta(tool_calls=[call_delta(0, "a", "quote", arguments)]), delta("tool_calls"))
    assert answer.calls[0].args is None
    assert position in (answer.calls[0].parse_error or "")


async def test_a_call_without_an_id_gets_one_that_every_vendor_takes() -> None:
    answer = await streamed(delta(tool_calls=[call_delta(0, None, "quote", "{}")]), delta("tool_calls"))
    assert answer.calls[0].id.removeprefix("call_").isalnum()
    assert len(answer.calls[0].id) == len("call_") + 9


@pytest.mark.parametrize("finish", ["tool_calls", "stop", "function_call", "something new"])
async def test_content_decides_that_there_are_calls(finish: str) -> None:
    answer = await streamed(delta(tool_calls=[call_delta(0, "a", "quote", "{}")]), delta(finish))
    assert (answer.finish, len(answer.calls)) == ("tool_calls", 1)


async def test_without_a_reason_the_mark_at_the_end_and_whole_arguments_count() -> None:
    whole, cut = ([delta(tool_calls=[call_delta(0, "a", "quote", text)])] for text in ('{"n":1}', '{"n":'))
    assert (await streamed(*whole)).finish == "tool_calls"
    for answer in (await streamed(*whole, done=False), await streamed(*cut)):
        assert answer.calls == []
        assert answer.error is not None
        assert answer.error.category == "incomplete"


async def test_length_emits_no_call_that_may_be_truncated() -> None:
    answer = await streamed(
        delta(content="先看"), delta(tool_calls=[call_delta(0, "a", "quote", "{}")]), delta("length")
    )
    assert (answer.text, answer.calls, answer.finish) == ("先看", [], "length")


async def test_content_filter_is_blocked() -> None:
    answer = await streamed(delta(content="前半"), delta("content_filter"))
    assert (answer.text, answer.finish) == ("前半", "blocked")


# Usage


@pytest.mark.parametrize(
    ("place", "usage"),
    [
        ({"choices": [], "usage": USAGE}, Usage(input=40, output=7, cache_read=60)),
        ({"choices": [], "x_groq": {"usage": {"prompt_tokens": 5, "completion_tokens": 1}}}, Usage(input=5, output=1)),
        ({"choices": [{"delta": {}, "usage": {"prompt_tokens": 5, "cached_tokens": 2}}]}, Usage(input=3, cache_read=2)),
        ({"choices": [], "usage": {"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}}, Usage(input=5, cache_read=4)),
        (
            {"choices": [], "usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cache_write_tokens": 6}}},
            Usage(input=3, cache_write=6),
        ),
    ],
    ids=["final chunk", "groq", "in the choice", "deepseek", "cache write"],
)
async def test_usage_in_every_place_and_notation(place: JsonObject, usage: Usage) -> None:
    answer = await streamed(delta("stop", content="好"), place)
    assert answer.usage == usage


async def test_usage_that_no_server_reports_is_estimated_and_marked() -> None:
    answer = await streamed(delta("stop", content="缩量回踩"))
    assert answer.usage is not None
    assert answer.usage.estimated
    assert answer.usage.output == estimate_tokens("缩量回踩")
    assert answer.usage.input > 0


async def test_cost_counts_cached_tokens_at_their_own_price() -> None:
    prices = Prices(input=2.0, output=8.0, cache_read=0.5)
    async with model_server(sse(delta("stop", content="好"), {"choices": [], "usage": USAGE})) as server:
        answer = await answer_of(a_provider(server.url, prices=prices))
    assert answer.usage is not None
    assert answer.usage.cost == pytest.approx((40 * 2.0 + 60 * 0.5 + 7 * 8.0) / 1_000_000)


async def test_a_server_that_ignores_stream_is_understood() -> None:
    body = b'{"choices":[{"message":{"role":"assistant","content":"\xe5\xa5\xbd"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3}}'
    async with model_server(Reply(body=body, content_type="application/json")) as server:
        answer = await answer_of(a_provider(server.url))
    assert (answer.text, answer.finish, answer.usage) == ("好", "stop", Usage(input=3))
