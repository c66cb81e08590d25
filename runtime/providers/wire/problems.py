"""What can go wrong between the program and an endpoint, as values: a refusal in the server's words, or a broken connection."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from runtime.core.json import JsonObject, JsonValue, dumps, loads

BreakKind: TypeAlias = Literal[
    "refused", "dns", "tls", "proxy", "cut", "connect_timeout", "read_timeout", "bad_key", "not_a_model", "incomplete",
    "no_room", "bad_call",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The server answered with an error.

    Attributes:
        status: HTTP status, or the one that an error inside a stream names; 0 = none.
        code: the server's codes and types, joined and in lower case.
        message: its words.
        param: the parameter that it names.
        html: the body is a page, not an answer of an API.
        retry_after_s: how long it asks to wait.
        started: it came inside a stream that had begun, so the request itself had been accepted.
        rejected: the tool call of the model that the server refused to pass on, as the model wrote it.
    """

    status: int
    code: str = ""
    message: str = ""
    param: str = ""
    html: bool = False
    retry_after_s: float | None = None
    started: bool = False
    rejected: str = ""

    @property
    def words(self) -> str:
        """Everything that it says, in lower case."""
        return f"{self.code} {self.param} {self.message}".lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """There was no answer, or it ended too early, or it was no answer of a model."""

    kind: BreakKind
    detail: str = ""


Problem: TypeAlias = Refusal | Break


class EndpointFailure(Exception):  # noqa: N818 - it never leaves this package; ProviderError does
    """Carries a problem from the transport to the provider."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(type(problem).__name__)
        self.problem = problem


_TAGS: Final = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_TITLE: Final = re.compile(r"<title[^>]*>(.*?)</title>", re.DOTALL | re.IGNORECASE)
_MESSAGES: Final = ("message", "msg", "detail", "error_msg", "error_description", "title")
_CODES: Final = ("code", "type", "status", "error_code", "__type")


def refusal_from_body(status: int, body: str, retry_after_s: float | None = None) -> Refusal:
    """Read an error body: every vendor has its own shape, and proxies answer with pages."""
    try:
        value = loads(body)
    except (ValueError, RecursionError):
        html = looks_like_html(body)
        return Refusal(status=status, message=page_words(body), html=html, retry_after_s=retry_after_s)
    return refusal_from_json(status, value, retry_after_s=retry_after_s)


def refusal_from_json(
    status: int, value: JsonValue, *, retry_after_s: float | None = None, started: bool = False
) -> Refusal:
    """Read the JSON of an error, wherever the server put the words and the codes."""
    while isinstance(value, list) and value:
        value = value[0]
    outer: JsonObject = value if isinstance(value, dict) else {"message": value}
    inner = outer.get("error")
    table: JsonObject = outer
    if isinstance(inner, dict):
        table = inner
    elif isinstance(inner, str):
        table = {**outer, "message": inner}
    message = _message(table)
    codes = [str(table[name]) for name in _CODES if isinstance(table.get(name), str | int)]
    if table is not outer:
        codes += [str(outer[name]) for name in _CODES if isinstance(outer.get(name), str | int)]
    param = table.get("param")
    named = [int(code) for code in codes if code.isdecimal() and 400 <= int(code) < 600]
    in_body = table.get("status_code")
    if not status and isinstance(in_body, int):
        named.insert(0, in_body)
    return Refusal(
        status=status or (named[0] if named else 0),
        code=" ".join(codes).lower(),
        message=message,
        param=param if isinstance(param, str) else "",
        retry_after_s=retry_after_s if retry_after_s is not None else _retry_delay(table, message),
        started=started,
        rejected=_rejected(table),
    )


def _rejected(table: JsonObject) -> str:
    """Groq's `failed_generation`."""
    match table.get("failed_generation"):
        case str() as text:
            return text
        case dict() | list() as value:
            return dumps(value)
        case _:
            return ""


def looks_like_html(body: str) -> bool:
    """Whether a body is a web page."""
    return body.lstrip("\ufeff \r\n\t")[:200].lower().startswith(("<!doctype", "<html", "<head", "<body", "<?xml"))


def page_words(body: str) -> str:
    """The title of a page, else the words of a text."""
    title = _TITLE.search(body)
    return " ".join(_TAGS.sub(" ", title[1] if title else body).split())


def _message(table: JsonObject) -> str:
    """The server's words; the real ones of an upstream vendor come first (OpenRouter)."""
    metadata = table.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if isinstance(raw, str) and raw.strip():
        return f"{_text(table)}: {refusal_from_body(0, raw).message}"
    return _text(table)


def _text(table: JsonObject) -> str:
    for name in _MESSAGES:
        value = table.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, dict | list) and value:
            return dumps(value)
    return dumps(table) if table else ""


_TRY_AGAIN: Final = re.compile(r"(?:try again|retry)\s+(?:in|after)\s+([\d.]+)\s*(ms|s|m)\b", re.IGNORECASE)
_SECONDS: Final = re.compile(r"([\d.]+)s")
_UNIT_S: Final = {"ms": 0.001, "s": 1.0, "m": 60.0}


def _retry_delay(table: JsonObject, message: str) -> float | None:
    """A delay in the body: `RetryInfo` of Google's gateway, or words."""
    details = table.get("details")
    for detail in details if isinstance(details, list) else []:
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and (seconds := _SECONDS.fullmatch(delay)):
            return float(seconds[1])
    words = _TRY_AGAIN.search(message)
    try:
        return float(words[1].rstrip(".")) * _UNIT_S[words[2].lower()] if words else None
    except ValueError:
        return None
