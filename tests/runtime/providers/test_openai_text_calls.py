"""Calls written as text, in every dialect that models are known for, cut everywhere."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from runtime.core.json import JsonObject, JsonValue, dumps
from runtime.providers.openai_compatible.text_calls import CallHider
from runtime.providers.wire.arguments import read_arguments
from tests.support.answers import Answer, a_provider, a_request, answer_of
from tests.support.streams import call_delta, delta, model_server, sse

TOOLS: dict[str, JsonObject] = {
    "quote": {
        "type": "object",
        "properties": {
            "code": {"type": "string"},
            "name": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "days": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "ratio": {"type": "number"},
            "adjusted": {"type": "boolean"},
            "fields": {"type": "array", "items": {"type": "string"}},
            "codes": {"anyOf": [{"type": "string"}, {"type": "array"}]},
            "range": {"$ref": "#/$defs/Range"},
            "period": {"enum": ["1", "5"]},
            "untyped": {},
        },
        "$defs": {"Range": {"type": "object"}},
    },
    "bars": {"type": "object", "properties": {"n": {"type": "integer"}}},
}
Calls = list[tuple[str, JsonObject | None]]


def read(*pieces: str) -> tuple[str, Calls, bool]:
    """What is shown of a text, the calls in it, and whether something was hidden."""
    hider = CallHider(TOOLS)
    shown = "".join([*(hider.feed(piece) for piece in pieces), hider.flush()])
    return shown, [(call.name, read_arguments(call.arguments).args) for call in hider.calls], hider.hid


def hermes(name: str, arguments: JsonValue, *, closer: str = "</tool_call>") -> str:
    return f"<tool_call>{dumps({'name': name, 'arguments': arguments})}{closer}"


def dsml(bar: str = "｜", block: str = "function_calls") -> str:
    mark = f"{bar}DSML{bar}"
    return (
        f'<{mark}{block}>\n<{mark}invoke name="quote">\n'
        f'<{mark}parameter name="code" string="true">608001</{mark}parameter>\n'
        f'<{mark}parameter name="days" string="false">5</{mark}parameter>\n</{mark}invoke>\n'
        f'<{mark}invoke name="bars">\n<{mark}parameter name="n">3</{mark}parameter></{mark}invoke>\n</{mark}{block}>'
    )


def deepseek(space: str = "▁") -> str:
    mark = f"<｜tool{space}call{space}"
    return (
        f"<｜tool{space}calls{space}begin｜>"
        f'{mark}begin｜>function<｜tool{space}sep｜>quote\n```json\n{{"code": "608001", "days": 5}}\n```{mark}end｜>\n'
        f'{mark}begin｜>bars<｜tool{space}sep｜>{{"n": 3}}{mark}end｜><｜tool{space}calls{space}end｜>'
    )


QUOTE: JsonObject = {"code": "608001", "days": 5}
BOTH: Calls = [("quote", QUOTE), ("bars", {"n": 3})]
XML = "<function=quote>\n<parameter=code>\n608001\n</parameter>\n<parameter=days>5</parameter>\n</function>"
XML_BARS = "<function=bars><parameter=n>3</parameter></function>"
KIMI = (
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.quote:0<|tool_call_argument_begin|>{"code": "608001", '
    '"days": 5}<|tool_call_end|><|tool_call_begin|>bars<|tool_call_argument_begin|>{"n":3}<|tool_call_end|>'
    "<|tool_calls_section_end|>"
)
LIST = '[{"name": "quote", "arguments": {"days": 5, "code": "608001"}}, {"arguments": "{\\"n\\": 3}", "name": "bars"}]'
OBJECTS = '{"name":"quote","arguments":{"code":"608001","days":5}}\n{"parameters":{"n":3},"name":"bars"}'

DIALECTS = {
    "hermes": hermes("quote", QUOTE) + hermes("bars", {"n": 3}),
    "hermes, several in a block": f"<tool_call>\n{OBJECTS}\n</tool_call>",
    "hermes, a list": f"<tool_call>{LIST}</tool_call>",
    "qwen": f"<tool_call>\n{XML}\n</tool_call>\n<tool_call>\n{XML_BARS}\n</tool_call>",
    "qwen, several in a block": f"<tool_call>{XML}{XML_BARS}</tool_call>",
    "qwen, bare": f"{XML}\n{XML_BARS}",
    "qwen, without its first mark": f"{XML}\n</tool_call>\n{XML_BARS}</tool_call>",
    "qwen, without closing tags": "<tool_call><function=quote><parameter=code> 608001 <parameter=days>5 </tool_call>"
    "<tool_call><function=bars><parameter=n>3\n</function></tool_call>",
    "llama, tagged": f'<function=quote>{dumps(QUOTE)}</function><function=bars>{{"n": 3}}</function>',
    **{f"dsml {bar} {block}": dsml(bar, block) for bar in "｜ ｜｜ | || ‖".split() for block in ("function_calls", "tool_calls")},
    "dsml, without its outer mark": dsml().removeprefix("<｜DSML｜function_calls>\n"),
    "dsml, arguments in json": f'<｜DSML｜tool_calls><｜DSML｜invoke name="quote">{dumps(QUOTE)}</｜DSML｜invoke>'
    '<｜DSML｜invoke name="bars">\n{"n": 3}\n</｜DSML｜invoke></｜DSML｜tool_calls>',
    "kimi": KIMI,
    "kimi, singular": KIMI.replace("tool_calls_section", "tool_call_section"),
    **{f"deepseek {space!r}": deepseek(space) for space in "▁_ "},
    "mistral": f"[TOOL_CALLS]{LIST}",
    "mistral, one by one": f'[TOOL_CALLS] [{hermes("quote", QUOTE)[11:-12]}][TOOL_CALLS]'
    '{"name":"bars","arguments":{"n":3}}',
    "llama": f'<|python_tag|>{{"name":"quote","parameters":{dumps(QUOTE)}}}<|eom_id|>'
    '<|python_tag|>{"name":"bars","parameters":{"n":3}}<|eot_id|>',
    "fence": f"```json\n{LIST}\n```",
    "fences": '```tool_call\n{"name":"quote","arguments":{"code":"608001","days":5}}\n```\n```tool_code\n'
    '{"function": {"name": "bars", "arguments": {"n": 3}}, "type": "function"}\n```',
}  # fmt: skip


@pytest.mark.parametrize("text", DIALECTS.values(), ids=DIALECTS)
def test_every_dialect_is_hidden_and_read_however_it_is_cut(text: str) -> None:
    whole = f"我查一下。\n\n{text}\n\n然后再说"
    assert read(whole) == ("我查一下。\n\n然后再说", BOTH, True)
    assert read(*whole) == read(whole)
    for cut in range(1, len(whole)):
        assert read(whole[:cut], whole[cut:]) == read(whole)
    assert read(text) == ("", BOTH, True)


@given(text=st.sampled_from(sorted(DIALECTS.values())), cuts=st.lists(st.integers(0, 1_000), max_size=30))
def test_several_pieces_change_nothing(text: str, cuts: list[int]) -> None:
    whole = f"前{text}\n中{text}后"
    at = sorted({0, len(whole), *(cut % (len(whole) + 1) for cut in cuts)})
    assert read(*(whole[start:end] for start, end in pairwise(at))) == read(whole)
    assert read(whole)[1] == BOTH * 2


@given(text=st.sampled_from(sorted(DIALECTS.values())), size=st.integers(1, 1_000))
def test_a_block_that_breaks_off_shows_nothing_of_its_marks(text: str, size: int) -> None:
    broken = text[: size % len(text)]
    assume(not broken.rstrip().endswith("<tool_call>"))  # at the very end it may be text about the mark
    shown, calls, _ = read(f"前 {broken}")
    assert calls == BOTH[: len(calls)]
    for mark in ("<tool_call>", "DSML", "<|tool", "<｜tool", "[TOOL_", "608001", "arguments"):
        assert mark not in shown


# Values between tags


@pytest.mark.parametrize(
    ("parameter", "written", "value"),
    [
        ("code", "000001", "000001"), ("code", "true", "true"), ("code", "null", "null"), ("code", '{"a":1}', '{"a":1}'),
        ("code", "\n两行\n文字\n", "两行\n文字"), ("code", " 空格 ", " 空格 "), ("code", "", ""),
        ("code", "见 </tool_call> 与 </function>", "见 </tool_call> 与 </function>"),
        ("name", "null", None), ("name", "5", "5"), ("days", "5", 5), ("days", "\n5\n", 5), ("days", "null", None),
        ("days", "五", "五"), ("days", "true", "true"),
        ("ratio", "0.5", 0.5), ("ratio", "NaN", "NaN"), ("adjusted", "true", True), ("adjusted", "False", False), ("adjusted", "1", "1"),
        ("fields", '["开","收"]', ["开", "收"]), ("fields", "开", "开"), ("codes", '["a"]', ["a"]), ("codes", "5", "5"),
        ("range", '{"from": {"day": 1}}', {"from": {"day": 1}}), ("period", "5", "5"), ("untyped", "5", "5"), ("unknown", "5", "5"),
    ],
)  # fmt: skip
def test_values_between_tags_take_the_type_of_the_schema(parameter: str, written: str, value: JsonValue) -> None:
    text = f"<tool_call><function=quote><parameter={parameter}>{written}</parameter></function></tool_call>"
    assert read(*text) == ("", [("quote", {parameter: value})], True)


def test_dsml_says_itself_what_is_json_where_the_schema_does_not() -> None:
    tag = '<｜DSML｜parameter name="{}" string="{}">{}</｜DSML｜parameter>'
    values = "".join(
        tag.format(*item)
        for item in (("untyped", "false", "[1]"), ("unknown", "true", "[1]"), ("code", "false", "7"), ("days", "true", "7"))
    )  # fmt: skip
    text = f'<｜DSML｜tool_calls><｜DSML｜invoke name="quote">{values}</｜DSML｜invoke></｜DSML｜tool_calls>'
    assert read(text)[1] == [("quote", {"untyped": [1], "unknown": "[1]", "code": "7", "days": 7})]


# Where a block ends


@pytest.mark.parametrize(
    ("opener", "closer", "inner"),
    [
        ("<tool_call>", "</tool_call>", "</tool_call>"),
        ("[TOOL_CALLS]", "", '}]{["'),
        ("<|python_tag|>", "", '}{"'),
        ("```json\n", "\n```", "```"),
        (
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.bars:1<|tool_call_argument_begin|>",
            "<|tool_call_end|><|tool_calls_section_end|>",
            "<|tool_call_end|><|tool_calls_section_end|>",
        ),
        (
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>bars<｜tool▁sep｜>",
            "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
            "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        ),
    ],
    ids=["hermes", "mistral", "llama", "fence", "kimi", "deepseek"],
)
def test_marks_in_a_json_string_do_not_end_a_block(opener: str, closer: str, inner: str) -> None:
    arguments: JsonObject = {"s": f'引号 \\" {inner} 之后', "o": {"p": {}}}
    body: JsonObject = {"arguments": arguments, "name": "bars"}
    if "bars" in opener:
        body = arguments
    text = f"前{opener}{dumps(body)}{closer}后"
    assert read(*text) == read(text) == ("前后", [("bars", arguments)], True)


def test_broken_json_ends_at_its_first_mark_and_its_error_goes_to_the_model() -> None:
    text = f'前<tool_call>{{"name": "quote", "arguments": {{"a": "开着}}}}</tool_call>中{hermes("bars", {"n": 3})}后'
    shown, calls, _ = read(*text)
    assert (shown, calls) == ("前中后", [("quote", None), ("bars", {"n": 3})])
    assert read(text) == read(*text)


# What is no call


FENCES = {
    "data": '```json\n{"close": 12.5, "name": "quote"}\n```',
    "data with a name": '```json\n{"name": "quote", "price": 12.5}\n```',
    "unknown tool": '```json\n{"name": "delete", "arguments": {"a": [1]}}\n```',
    "one of two unknown": '```json\n[{"name": "quote", "arguments": {}}, {"name": "delete", "arguments": {}}]\n```',
    "broken": '```json\n{"name": "quote", "arguments": {bad}}\n```',
    "empty": "```json\n```",
    "empty object": "```json\n{}\n```",
    "numbers": "```json\n[1, 2]\n```",
    "not alone": '```json\n{"name": "quote", "arguments": {}} // 例\n```',
    "python": "```python\nprint({'name': 'quote'})\n```",
    "no language": '```\n{"name": "quote", "arguments": {}}\n```',
    "json5": '```json5\n{"name": "quote", "arguments": {}}\n```',
    "an example of marks": f"```xml\n{hermes('quote', QUOTE)}\n{dsml()}\n{KIMI}\n```",
    "four backticks": f"````markdown\n```json\n{LIST}\n```\n````",
    "in a line": f"``` {hermes('quote', {})} ``` 与 `<tool_call>`",
    "unterminated": '```json\n{"close": [1, 2',
    "unterminated language": "```js",
    "unterminated code": f"```python\n{hermes('quote', {})}",
    "alone": "```",
}


@pytest.mark.parametrize("text", FENCES.values(), ids=FENCES)
def test_a_fence_that_is_no_call_is_shown_as_it_is(text: str) -> None:
    whole = f"例：\n{text}"
    assert read(whole) == (whole, [], False)
    for cut in range(1, len(whole)):
        assert read(whole[:cut], whole[cut:]) == (whole, [], False)
    assert read(*whole) == (whole, [], False)


def test_code_streams_as_it_comes() -> None:
    hider = CallHider(TOOLS)
    assert hider.feed("```python\nx = 1\n") == "```python\nx = 1\n"
    assert hider.feed('y = {"name"') == 'y = {"name"'
    assert hider.feed('\n```\n```json\n{"close"') == '\n```\n```json\n{"close"'
    assert hider.feed(": 1}\n```") == ": 1}\n"


def test_after_code_calls_are_read_again() -> None:
    code = "```python\nx\n```"
    shown, calls, _ = read(f"{code}\n{hermes('bars', {'n': 3})}")
    assert (shown, calls) == (f"{code}\n", [("bars", {"n": 3})])


@pytest.mark.parametrize(
    "text",
    [
        "用 <tool_call> 标签包起来", "末尾的 <tool_call>", "末尾的 <tool_call", "写成 <function= 开头",
        "[TOOL_CALLS] 是标记", "<|python_tag|> 是标记",
        "<｜DSML｜function_calls> 是标记", "<|tool_calls_section_begin|> 是标记", "a < b <｜ <| [ [T", "用 `<function=名字>` 表示",
    ],
)  # fmt: skip
def test_text_about_marks_stays(text: str) -> None:
    assert read(*text) == read(text) == (text, [], False)


@pytest.mark.parametrize("white", ["", "\n", "\n\n"])
def test_white_space_around_a_block_is_not_doubled(white: str) -> None:
    call = hermes("quote", QUOTE)
    assert read(f"前{white}{call}{white}后")[0] == f"前{white}后"
    assert read(f"{call}\n\n{call}\n\n后")[0] == "后"
    assert read(f"前{call}{white}{call}\n\n后")[0] in ("前\n\n后", "前\n后")


# Answers


async def answered(*pieces: str, finish: str | None = "stop", more: tuple[JsonValue, ...] = ()) -> Answer:
    async with model_server(sse(*(delta(content=piece) for piece in pieces), *more, delta(finish))) as server:
        return await answer_of(a_provider(server.url), a_request(tools=("quote", "bars")))


RESIDUES = [
    "<｜DSML｜function_calls",
    "<｜DSML｜function_calls>\n",
    "<｜DSML｜tool_c",
    "\n<|DSML|function_calls\n",
    "<|tool_calls_sec",
]


@pytest.mark.parametrize("residue", RESIDUES)
async def test_a_residue_after_a_native_call_is_not_shown(residue: str) -> None:
    call = delta(tool_calls=[call_delta(0, "a", "quote", "{}")])
    answer = await answered("我查一下。", *residue, more=(call,))
    assert (answer.text.rstrip(), answer.finish, len(answer.calls)) == ("我查一下。", "tool_calls", 1)


@pytest.mark.parametrize("finish", ["stop", "tool_calls", None])
@pytest.mark.parametrize("text", DIALECTS.values(), ids=DIALECTS)
async def test_calls_from_text_end_the_answer_as_calls(text: str, finish: str | None) -> None:
    answer = await answered(text[:7], text[7:], finish=finish)
    assert answer.error is None
    assert (answer.text, answer.finish) == ("", "tool_calls")
    assert [call.name for call in answer.calls] == ["quote", "bars"]
    assert len({call.id for call in answer.calls}) == 2


@pytest.mark.parametrize(
    "text",
    [
        hermes("unknown_tool", {}), hermes("quote", {}, closer=""), "<tool_call>{}</tool_call>", KIMI[:60],
        "<function=unknown_tool></function>", dsml().replace('"quote"', '"x"').replace('"bars"', '"y"'), "<｜DSML｜function_calls>",
    ],
)  # fmt: skip
async def test_an_answer_that_is_only_an_unusable_call_is_an_error(text: str) -> None:
    for finish in ("stop", None):
        answer = await answered(text, finish=finish)
        assert (answer.text, answer.calls, answer.finish) == ("", [], None)
        assert answer.error is not None
        assert (answer.error.key, answer.error.retryable) == ("providers.incomplete_bad_call", True)
    assert (await answered("先看。", text)).finish == "stop"
    assert (await answered(text, finish="length")).finish == "length"


async def test_without_tools_nothing_is_called_and_fences_are_text() -> None:
    async with model_server(sse(delta("stop", content=DIALECTS["fence"]))) as server:
        answer = await answer_of(a_provider(server.url))
    assert (answer.text, answer.calls) == (DIALECTS["fence"], [])
