"""The calls in a complete block of text, one reader for each notation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn, TypeAlias

from runtime.core.json import JsonObject, dumps
from runtime.providers.openai_compatible.text_values import typed_value

Tools: TypeAlias = Mapping[str, JsonObject]  # name -> JSON Schema of the parameters

BARS: Final = ("｜", "｜｜", "|", "||", "‖", "‖‖")  # of DSML, as servers and tokenizers write it
JSON_STRING: Final = re.compile(r'"(?:[^"\\]|\\.?)*(?:"|\Z)', re.DOTALL)  # the last one may still be open


@dataclass(frozen=True, slots=True, kw_only=True)
class TextCall:
    """A call read from text; arguments that are JSON are still as written."""

    name: str
    arguments: str | JsonObject


# JSON


def json_calls(body: str, _tools: Tools) -> tuple[TextCall, ...]:
    """`{"name": …, "arguments": {…}}` in any order of keys: one, a list, or one after the other."""
    try:
        return tuple(call for item in _items(body) if (call := _json_call(item)) is not None)
    except (ValueError, RecursionError):
        # The model must learn that its JSON is broken: the call stays, its arguments will not parse.
        name = _NAME.search(body)
        return (TextCall(name=name[1], arguments=body.strip()),) if name else ()


CALL_KEYS: Final = ("name", "arguments", "parameters", "function", "type", "id")


def fenced_calls(body: str, _tools: Tools) -> tuple[TextCall, ...]:
    """The same where data may stand as well: whatever is broken, or has a key that no call has, is no call."""
    try:
        items = list(_items(body))
    except (ValueError, RecursionError):
        return ()
    calls = [_json_call(item) for item in items if item.keys() <= {*CALL_KEYS}]
    found = tuple(call for call in calls if call is not None)
    return found if len(found) == len(items) else ()


def names_a_tool(body: str, tools: Tools) -> bool:
    """Whether a JSON text, broken or not, gives the name of a known tool."""
    return any(name[1] in tools for name in _NAME.finditer(body))


_NAME: Final = re.compile(r'"name"\s*:\s*"([^"\\]+)"')


def _items(text: str) -> Iterator[JsonObject]:
    """The objects of a text, which may be in lists.

    Raises:
        ValueError: something else stands there.
    """
    while text := text.lstrip(" \t\r\n,;"):
        value, end = _DECODER.raw_decode(text)
        for item in value if isinstance(value, list) else [value]:
            if not isinstance(item, dict):
                raise ValueError(  # noqa: TRY004 - whoever reads JSON expects one kind of error
                    "a call is an object"
                )
            yield item
        text = text[end:]


def _json_call(item: JsonObject) -> TextCall | None:
    nested = item.get("function")
    if isinstance(nested, dict):
        item = nested
    name = item.get("name") or nested
    arguments = item.get("arguments", item.get("parameters"))
    if not isinstance(name, str):
        return None
    match arguments:
        case dict() | str():
            return TextCall(name=name, arguments=arguments)
        case None:
            return TextCall(name=name, arguments={})
        case _:
            return TextCall(name=name, arguments=dumps(arguments))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON value")


_DECODER: Final = json.JSONDecoder(strict=False, parse_constant=_refuse)


# Tags: each value between tags of its own. A parameter whose closing tag is missing ends before the next tag.

_XML: Final = re.compile(
    r"<function=(?P<name>[^>\s]+)\s*>\s*(?P<json>\{.*?\}\s*(?=</function>))?"
    r"|<parameter=(?P<key>[^>]+?)\s*>"
    r"(?:(?P<value>(?:(?!<(?:parameter|function)=).)*?)</parameter>"
    r"|(?P<open>.*?)(?=<(?:parameter|function)=|</function>|</tool_call>|\Z))",
    re.DOTALL,
)
_BAR: Final = f"(?:{'|'.join(re.escape(bar) for bar in sorted(BARS, key=len, reverse=True))})"
_MARK: Final = f"{_BAR}DSML{_BAR}"
_DSML: Final = re.compile(
    rf'<{_MARK}invoke\s+name="(?P<name>[^"]*)"\s*>\s*(?P<json>\{{.*?\}}\s*(?=</{_MARK}invoke>))?'
    rf'|<{_MARK}parameter\s+name="(?P<key>[^"]*)"(?:\s+string="(?P<text>[^"]*)")?\s*>'
    rf"(?:(?P<value>(?:(?!<{_MARK}(?:parameter|invoke)).)*?)</{_MARK}parameter>|(?P<open>.*?)(?=</?{_MARK}|\Z))",
    re.DOTALL,
)


def xml_calls(body: str, tools: Tools) -> tuple[TextCall, ...]:
    """`<function=NAME><parameter=KEY>VALUE</parameter></function>`, or JSON in place of the parameters."""
    return _tagged(_XML, body, tools)


def dsml_calls(body: str, tools: Tools) -> tuple[TextCall, ...]:
    """`<｜DSML｜invoke name="NAME"><｜DSML｜parameter name="KEY" string="true">VALUE</｜DSML｜parameter></｜DSML｜invoke>`."""
    return _tagged(_DSML, body, tools)


def _tagged(tags: re.Pattern[str], body: str, tools: Tools) -> tuple[TextCall, ...]:
    calls: list[TextCall] = []
    for tag in tags.finditer(body):
        groups = tag.groupdict()
        if groups["name"] is not None:
            calls.append(TextCall(name=groups["name"], arguments=groups["json"] or {}))
        elif calls and isinstance(arguments := calls[-1].arguments, dict):
            schema = tools.get(calls[-1].name, {})
            is_json = groups.get("text") == "false"
            arguments[groups["key"]] = typed_value(_written(groups), groups["key"], schema, is_json=is_json)
    return tuple(calls)


def _written(groups: dict[str, str | None]) -> str:
    """The value between two tags; a line break after the first and before the second belongs to the tags."""
    value = groups["value"]
    return (groups["open"] or "").strip() if value is None else value.removeprefix("\n").removesuffix("\n")


# Special tokens around a name and a JSON text


_KIMI_ID: Final = re.compile(r"(?:functions\.)?(?P<name>.*?)(?::\d+)?", re.DOTALL)


def kimi_calls(body: str, _tools: Tools) -> tuple[TextCall, ...]:
    """`<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`."""
    calls = []
    for section in _sections(body, "<|tool_call_begin|>", "<|tool_call_end|>"):
        head, _, arguments = section.partition("<|tool_call_argument_begin|>")
        name = _KIMI_ID.fullmatch(head.strip())
        calls.append(TextCall(name=name["name"] if name else "", arguments=arguments.strip()))
    return tuple(calls)


def deepseek_calls(body: str, begin: str, end: str, separator: str) -> tuple[TextCall, ...]:
    """`function<｜tool▁sep｜>NAME` and a fence with JSON (V3, R1), or `NAME<｜tool▁sep｜>{…}` (V3.1).

    Args:
        body: the block.
        begin: the mark before a call.
        end: the mark after it.
        separator: the mark within it.
    """
    calls = []
    for section in _sections(body, begin, end):
        name, _, arguments = section.partition(separator)
        if name.strip() == "function":
            name, _, arguments = arguments.partition("\n")
        arguments = arguments.strip().removeprefix("```json").removesuffix("```").strip()
        calls.append(TextCall(name=name.strip(), arguments=arguments))
    return tuple(calls)


def _sections(body: str, begin: str, end: str) -> Iterator[str]:
    """What stands between two marks; the second one does not count within a JSON string."""
    while (at := body.find(begin)) >= 0:
        body = body[at + len(begin) :]
        stop = position(body, end, JSON_STRING)
        stop = len(body) if stop < 0 else stop
        yield body[:stop]
        body = body[stop:]


def position(text: str, mark: str, verbatim: re.Pattern[str]) -> int:
    """Where a mark stands for the first time outside verbatim text; -1 = nowhere."""
    if mark not in text:
        return -1
    tokens = re.compile(f"(?P<verbatim>{verbatim.pattern})|{re.escape(mark)}", re.DOTALL)
    return next((token.start() for token in tokens.finditer(text) if token["verbatim"] is None), -1)
