"""Reasoning between tags and calls written as text, however the server cuts them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.core.json import JsonValue
from runtime.providers.openai_compatible.text_calls import CallHider
from runtime.providers.openai_compatible.think_tags import ThinkTags
from tests.support.answers import Answer, a_provider, a_request, answer_of
from tests.support.streams import call_delta, delta, model_server, sse

CALL = '<tool_call>\n{"name": "quote", "arguments": {"code": "608001.SIM", "deep": {"a": [1]}}}\n</tool_call>'
REVERSED = '<tool_call>{"arguments": {"n": 2}, "name": "bars"}</tool_call>'


async def answered(*pieces: str, finish: str = "stop", more: tuple[JsonValue, ...] = ()) -> Answer:
    async with model_server(sse(*(delta(content=piece) for piece in pieces), *more, delta(finish))) as server:
        return await answer_of(a_provider(server.url), a_request(tools=("quote", "bars")))


def pieces_of(text: str, cuts: list[int]) -> list[str]:
    at = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[start:end] for start, end in pairwise(at)]


async def test_calls_as_text_are_hidden_and_read_in_any_order_of_keys() -> None:
    answer = await answered("我查一下。", *CALL, REVERSED)
    assert answer.text == "我查一下。"
    assert [(call.name, call.args) for call in answer.calls] == [
        ("quote", {"code": "608001.SIM", "deep": {"a": [1]}}),
        ("bars", {"n": 2}),
    ]
    assert answer.finish == "tool_calls"


async def test_a_native_call_makes_the_text_superfluous() -> None:
    answer = await answered(CALL, more=(delta(tool_calls=[call_delta(0, "a", "bars", "{}")]),))
    assert [call.name for call in answer.calls] == ["bars"]
    assert answer.text == ""


@pytest.mark.parametrize(
    "text",
    [CALL.replace("quote", "unknown_tool"), CALL.removesuffix("</tool_call>"), "<tool_call>{}</tool_call>"],
    ids=["unknown tool", "unterminated", "nothing in it"],
)
async def test_what_is_no_whole_call_of_a_known_tool_is_neither_run_nor_shown(text: str) -> None:
    answer = await answered("好。", text)
    assert (answer.text, answer.calls, answer.finish) == ("好。", [], "stop")


async def test_a_truncated_answer_runs_no_call_from_its_text() -> None:
    answer = await answered(CALL, finish="length")
    assert (answer.calls, answer.finish) == ([], "length")


async def test_broken_arguments_in_text_go_back_to_the_model() -> None:
    answer = await answered('<tool_call>{"name": "quote", "arguments": {bad}}</tool_call>')
    assert answer.calls[0].args is None
    assert answer.calls[0].parse_error


async def test_text_that_only_mentions_the_mark_stays() -> None:
    answer = await answered("用 <tool_", "call> 标签包起来，<tool", " 也行")
    assert answer.text == "用 <tool_call> 标签包起来，<tool 也行"
    assert answer.calls == []


async def test_thinking_between_tags_at_the_start() -> None:
    answer = await answered("\n<th", "ink>先看量", "</thi", "nk>再看价 <think>不是标签")
    assert (answer.thinking, answer.text) == ("先看量", "再看价 <think>不是标签")


async def test_a_stray_closing_tag_at_the_start_is_dropped() -> None:
    answer = await answered("</think>", "答案")
    assert (answer.thinking, answer.text) == ("", "答案")


@given(cuts=st.lists(st.integers(0, 500), max_size=30))
def test_hiding_does_not_depend_on_the_cuts(cuts: list[int]) -> None:
    hider = CallHider({"quote": {}, "bars": {}})
    text = f"前 <tool_call 不是{CALL}中<{REVERSED}后<tool"
    shown = "".join([*(hider.feed(piece) for piece in pieces_of(text, cuts)), hider.flush()])
    assert shown == "前 <tool_call 不是中<后<tool"
    assert [call.name for call in hider.calls] == ["quote", "bars"]


@given(cuts=st.lists(st.integers(0, 500), max_size=30))
def test_tags_do_not_depend_on_the_cuts(cuts: list[int]) -> None:
    tags = ThinkTags()
    pieces = [piece for part in pieces_of(" <think>a<b</thin</think>答</think>", cuts) for piece in tags.feed(part)]
    pieces += tags.flush()
    assert "".join(piece.text for piece in pieces if piece.thinking) == "a<b</thin"
    assert "".join(piece.text for piece in pieces if not piece.thinking) == "答</think>"
