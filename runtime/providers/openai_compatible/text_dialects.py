"""The ways in which models write tool calls into their text: one entry of `DIALECTS` for each mark that opens a block.

A dialect says what may follow its mark, where the block ends, and which calls stand in it. It decides by the text alone, never by how the
text was cut into pieces: as long as more text could change the answer, it has none. Names and arguments stay as written, except that
values between tags, which carry no type, take the type that the tool's own schema asks for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from runtime.providers.openai_compatible.text_readers import (
    BARS,
    CALL_KEYS,
    JSON_STRING,
    TextCall,
    Tools,
    deepseek_calls,
    dsml_calls,
    fenced_calls,
    json_calls,
    kimi_calls,
    position,
    xml_calls,
)

FENCE: Final = "```"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Where a block ends: its content, and its closing mark."""

    content: int
    block: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One way of writing calls.

    Attributes:
        opener: the mark before a block.
        begins: whether what follows the mark is a block; None = more text is needed. The mark alone proves nothing: people write about it.
        end: where the block ends; None = it does not end in this text. The flag says that no more text will come.
        read: the calls of a complete block.
        token: the mark is a special token of a model, which nobody writes about: what is left of it at the end is no text.
        explicit: the block is a call whatever it names; else only the name of a known tool makes it one.
    """

    opener: str
    begins: Callable[[str], bool | None]
    end: Callable[[str, bool], Span | None]
    read: Callable[[str, Tools], tuple[TextCall, ...]]
    token: bool = False
    explicit: bool = True


def _followed_by(*marks: str, skipping: str = "") -> Callable[[str], bool | None]:
    """The block begins with one of these marks, after white space and the characters to skip."""

    def begins(text: str) -> bool | None:
        text = text.lstrip(f" \t\r\n{skipping}")
        if text.startswith(marks):
            return True
        return None if any(mark.startswith(text) for mark in marks) else False

    return begins


def _until(closer: str, verbatim: re.Pattern[str]) -> Callable[[str, bool], Span | None]:
    """The block ends at a mark that does not stand in verbatim text; if there is none at last, the first mark has to do."""

    def end(text: str, last: bool) -> Span | None:  # noqa: FBT001 - the signature of `Dialect.end`
        at = position(text, closer, verbatim)
        if at < 0 and last:
            at = text.find(closer)
        return Span(content=at, block=at + len(closer)) if at >= 0 else None

    return end


_BRACKETS: Final = re.compile(rf"{JSON_STRING.pattern}|[{{}}\[\]]", re.DOTALL)


def _json_value(text: str, _last: bool) -> Span | None:  # noqa: FBT001 - the signature of `Dialect.end`
    """The block is one JSON value and ends with its last bracket."""
    depth = 0
    for token in _BRACKETS.finditer(text):
        if not token[0].startswith('"'):
            depth += 1 if token[0] in "{[" else -1
            if depth <= 0:
                return Span(content=token.end(), block=token.end())
    return None


_FUNCTION_NAME: Final = re.compile(r"[\w.\-]*")
_function_body: Final = _followed_by("<parameter=", "{", "</function>")


def _function_begins(text: str) -> bool | None:
    name, closed, body = text.partition(">")
    if not _FUNCTION_NAME.fullmatch(name):
        return False
    return _function_body(body) if closed else None


_FENCE_WORDS: Final = ("json", "tool_call", "tool_code")
_FENCE_WORD: Final = re.compile(rf"(?:{'|'.join(_FENCE_WORDS)})(?=[\s{{\[])", re.IGNORECASE)
_FIRST_KEY: Final = re.compile(r'\s*(?:\[\s*)?\{\s*"([^"]*)"')
_BEFORE_FIRST_KEY: Final = re.compile(r'\s*(?:\[\s*)?(?:\{\s*(?:"[^"]*)?)?')


def _fence_begins(text: str) -> bool | None:
    """A fence may be a call while its language and the first key of its JSON allow it; any other code streams as it comes."""
    word = _FENCE_WORD.match(text)
    if word is None:
        return None if any(name.startswith(text.lower()) for name in _FENCE_WORDS) or not text.strip("`") else False
    body = text[word.end() :]
    key = _FIRST_KEY.match(body)
    if key is not None:
        return key[1] in CALL_KEYS
    return None if _BEFORE_FIRST_KEY.fullmatch(body) else False


def _fence_calls(body: str, tools: Tools) -> tuple[TextCall, ...]:
    return fenced_calls(_FENCE_WORD.sub("", body, count=1), tools)


_XML_VALUE: Final = re.compile(r"<parameter=(?:(?!<function=|<tool_call>).)*?(?:</parameter>|\Z)", re.DOTALL)


def _hermes_and_qwen() -> tuple[Dialect, ...]:
    """`<tool_call>{json}</tool_call>`, the same mark around `<function=…>`, and `<function=…>` alone."""
    return (
        Dialect(
            opener="<tool_call>",
            begins=_followed_by("{", "["),
            end=_until("</tool_call>", JSON_STRING),
            read=json_calls,
        ),
        Dialect(
            opener="<tool_call>",
            begins=_followed_by("<function="),
            end=_until("</tool_call>", _XML_VALUE),
            read=xml_calls,
        ),
        Dialect(
            opener="<function=",
            begins=_function_begins,
            end=_until("</function>", _XML_VALUE),
            read=lambda body, tools: xml_calls(f"<function={body}</function>", tools),
        ),
    )


def _dsml(bar: str) -> tuple[Dialect, ...]:
    """DeepSeek's DSML with one form of its bar; the outer mark may be missing. Its `>` is left to the block: residues lack it."""
    mark = f"{bar}DSML{bar}"
    value = re.compile(
        rf"<{re.escape(mark)}parameter(?:(?!<{re.escape(mark)}invoke).)*?(?:</{re.escape(mark)}parameter>|\Z)",
        re.DOTALL,
    )
    blocks = [
        Dialect(
            opener=f"<{mark}{name}",
            begins=_followed_by(f"<{mark}invoke", skipping=">"),
            end=_until(f"</{mark}{name}>", value),
            read=dsml_calls,
            token=True,
        )
        for name in ("function_calls", "tool_calls")
    ]
    alone = Dialect(
        opener=f"<{mark}invoke",
        begins=_followed_by("name="),
        end=_until(f"</{mark}invoke>", value),
        read=lambda body, tools: dsml_calls(f"<{mark}invoke{body}</{mark}invoke>", tools),
        token=True,
    )
    return (*blocks, alone)


def _kimi(section: str) -> Dialect:
    return Dialect(
        opener=f"<|{section}_section_begin|>",
        begins=_followed_by("<|tool_call_begin|>"),
        end=_until(f"<|{section}_section_end|>", JSON_STRING),
        read=kimi_calls,
        token=True,
    )


def _deepseek(space: str) -> Dialect:
    """DeepSeek before DSML; the space between its words is one of three characters, depending on who decoded it."""
    begin, end, separator = (f"<｜tool{space}{name}｜>" for name in (f"call{space}begin", f"call{space}end", "sep"))
    return Dialect(
        opener=f"<｜tool{space}calls{space}begin｜>",
        begins=_followed_by(begin),
        end=_until(f"<｜tool{space}calls{space}end｜>", JSON_STRING),
        read=lambda body, _tools: deepseek_calls(body, begin, end, separator),
        token=True,
    )


DIALECTS: Final = (
    *_hermes_and_qwen(),
    *(dialect for bar in BARS for dialect in _dsml(bar)),
    *(_kimi(section) for section in ("tool_calls", "tool_call")),
    *(_deepseek(space) for space in "▁_ "),
    Dialect(opener="[TOOL_CALLS]", begins=_followed_by("[", "{"), end=_json_value, read=json_calls, token=True),
    Dialect(opener="<|python_tag|>", begins=_followed_by("{"), end=_json_value, read=json_calls, token=True),
    Dialect(
        opener=FENCE, begins=_fence_begins, end=_until(FENCE, JSON_STRING), read=_fence_calls, explicit=False
    ),
)  # fmt: skip

STRAYS: Final = (  # closing marks that may be left over right after a block
    "</tool_call>",
    *(f"</{bar}DSML{bar}{name}>" for bar in BARS for name in ("function_calls", "tool_calls")),
    "<|eom_id|>",
    "<|eot_id|>",
)
