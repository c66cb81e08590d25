"""From a problem to one `ProviderError` that says what to do.

The category comes from status and words together: a balance that is used up hides behind 429, a wrong model behind 400, a context that is
too long behind six different sentences. What the server says is quoted, shortened, and without any piece of the key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, assert_never

from runtime.providers.base import ErrorCategory, ProviderError
from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.problems import Break, BreakKind, Problem, Refusal
from runtime.redact import MASK

DETAIL_LIMIT: Final = 200  # characters of the server's own words
_RETRYABLE: Final = ("rate_limit", "timeout", "network", "server", "incomplete")
_SETTLED: Final = ("no_room",)  # variants that end the same way every time


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """Words that decide a category, unless the status rules it out."""

    category: ErrorCategory
    words: re.Pattern[str]
    variant: str = ""
    never: tuple[int, ...] = ()


_RULES: Final = (
    _Rule(
        category="quota",
        words=_any_of(
            r"insufficient[_ ]?(balance|quota|credit|fund)", r"余额不足", r"欠费", r"无可用资源包", r"arrearage",
            r"billing_not_active", r"billing hard limit", r"exceeded_current_quota", r"exceeded your current quota",
            r"credit balance", r"creditserror", r"out of credits", r"more credits", r"payment required",
            r"balance is (insufficient|not enough|too low)",
        ),
    ),
    _Rule(
        category="region",
        words=_any_of(
            r"unsupported_country", r"country, region", r"location is not supported",
            r"not available in your (country|region)",
        ),
    ),
    _Rule(
        category="context_length",
        words=_any_of(
            r"context_length_exceeded", r"max(imum)? context", r"prompt (is )?too long", r"input is too long",
            r"too_many_prompt_tokens", r"messages is too long", r"input token count", r"context window",
            r"available context size", r"model's context", r"the context length", r"exceed_context_size",
            r"request too large", r"reduce the length of the (messages|prompt|input)", r"range of input length",
            r"上下文(长度|窗口)", r"输入(内容)?(过|超)长", r"超(过|出).{0,12}(最大长度|token)",
        ),
        never=(401, 403),
    ),
    _Rule(
        category="bad_request",
        variant="no_tools",
        words=_any_of(
            r"not support (tools|tool use|tool calling|function call)", r"tool (use|calling) is not supported"
        ),
    ),
    _Rule(
        category="blocked",
        words=_any_of(
            r"content_?filter", r"data_inspection_failed", r"responsibleaipolicy", r"content[ _]policy",
            r"content exists risk", r"content management policy", r"敏感", r"违规",
        ),
        never=(401, 429),
    ),
    _Rule(
        category="model_not_found",
        words=_any_of(
            r"model_not_found", r"not_found_error.{0,20}\bmodel:",
            r"model(?:[^.]|\.(?=\S)){0,80}(not found|not exist|does ?n.t exist|not available)",
            r"no such model", r"invalid model", r"unknown model", r"not a valid model", r"模型.{0,12}不存在",
        ),
        never=(401, 429, 502, 504, 529),
    ),
    _Rule(
        category="auth",
        words=_any_of(
            r"(invalid|incorrect|missing|no|wrong)[ _]api[ _-]?key", r"authentication", r"unauthorized",
            r"api key not valid",
        ),
        never=(429, *range(500, 600)),
    ),
    _Rule(
        category="rate_limit",
        words=_any_of(r"rate[ _]?limit", r"too many requests", r"速率限制", r"请求过于频繁"),
        never=(401, 403, 404, *range(500, 600)),
    ),
)  # fmt: skip
_CODES: Final[dict[str, ErrorCategory]] = {  # numbers that mean something only as the code of their vendor
    "1113": "quota",  # GLM: balance used up, dressed as 429
    "30011": "quota",  # SiliconFlow
    "1211": "model_not_found",  # GLM
    "1301": "blocked",  # GLM
}


def provider_error(problem: Problem, endpoint: Endpoint, key: str, *, connect_timeout_s: float = 0.0) -> ProviderError:
    """The error for the person."""
    match problem:
        case Refusal():
            category, variant = _classified(problem)
            detail = problem.message or f"HTTP {problem.status}"
            wait = problem.retry_after_s
        case Break():
            category, variant = _broken(problem, endpoint)
            detail, wait = problem.detail or problem.kind, None
        case _:
            assert_never(problem)
    return ProviderError(
        category,
        variant=variant,
        retryable=category in _RETRYABLE and variant not in _SETTLED,
        retry_after_s=wait,
        model=endpoint.model,
        host=endpoint.host,
        base_url=endpoint.plain_address,
        detail=quoted(detail, key),
        seconds=round(connect_timeout_s),
    )


def _classified(refusal: Refusal) -> tuple[ErrorCategory, str]:
    """Category and variant of a refusal: the vendor's own numbers first, then its words, then the status."""
    known = next((_CODES[code] for code in refusal.code.split() if code in _CODES), None)
    if known is not None:
        return known, ""
    if not refusal.html:
        words, status = refusal.words, refusal.status
        for rule in _RULES:
            # A limit per minute may be called a quota; the delay that the server asks for tells them apart.
            waits = rule.category == "quota" and status == 429 and refusal.retry_after_s is not None
            if status not in rule.never and not waits and rule.words.search(words):
                return rule.category, rule.variant
    category = _by_status(refusal)
    return category, "server" if category == "timeout" else ""


_STATUSES: Final[dict[int, ErrorCategory]] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "not_a_model",
    405: "not_a_model",
    408: "timeout",
    413: "context_length",
    429: "rate_limit",
    504: "timeout",
    524: "timeout",  # Cloudflare gave up on the origin
}


def _by_status(refusal: Refusal) -> ErrorCategory:
    status = refusal.status
    if status < 300:
        return "server"
    if status < 400 or (refusal.html and status < 500):
        return "not_a_model"
    if status in _STATUSES:
        return _STATUSES[status]
    # Inside a stream the request had been accepted: what fails then is the model or its host, whatever number it carries.
    return "server" if status >= 500 or refusal.started else "bad_request"


_BREAKS: Final[dict[BreakKind, tuple[ErrorCategory, str]]] = {
    "refused": ("network", "refused"),
    "dns": ("network", "dns"),
    "tls": ("network", "tls"),
    "proxy": ("network", "proxy"),
    "cut": ("network", "cut"),
    "connect_timeout": ("timeout", "connect"),
    "read_timeout": ("timeout", "read"),
    "bad_key": ("auth", "malformed"),
    "not_a_model": ("not_a_model", ""),
    "incomplete": ("incomplete", ""),
    "no_room": ("incomplete", "no_room"),
    "bad_call": ("incomplete", "bad_call"),
}


def _broken(problem: Break, endpoint: Endpoint) -> tuple[ErrorCategory, str]:
    if problem.kind == "refused" and endpoint.is_loopback:
        return "network", "refused_local"
    return _BREAKS[problem.kind]


_MASKED: Final = re.compile(r"[\w\-]*\*{2,}[\w\-*]*")
_TOKEN: Final = re.compile(r"[A-Za-z0-9_\-]+")
_SHARED: Final = 6  # characters in a row that a word must share with the key to be hidden
_EDGE: Final = 4  # the same at the ends of the key: servers echo `sk-ab...wxyz`
_SHAPES: Final = re.compile(r"\b(sk|gsk|xai|pplx|or)-[A-Za-z0-9_\-]{6,}|\bBearer\s+\S+", re.IGNORECASE)


def quoted(text: str, key: str) -> str:
    """The server's words on one line, without the key or any piece of it, at most `DETAIL_LIMIT` characters."""
    text = " ".join(text.split())
    if key:
        text = text.replace(key, MASK)
    text = _MASKED.sub(MASK, _SHAPES.sub(MASK, text))
    text = _TOKEN.sub(lambda match: MASK if _is_piece(match[0], key) else match[0], text)
    return text if len(text) <= DETAIL_LIMIT else text[: DETAIL_LIMIT - 1] + "…"


def _is_piece(word: str, key: str) -> bool:
    if len(key) < _SHARED:
        return bool(key) and word == key
    if len(word) >= _EDGE and key.endswith(word):
        return True
    if len(word) >= _EDGE and key.startswith(word):
        return True
    return any(word[at : at + _SHARED] in key for at in range(len(word) - _SHARED + 1))
