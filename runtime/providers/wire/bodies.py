"""What a response carried when it was not the stream that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.core.json import JsonObject, JsonValue, loads
from runtime.providers.wire.problems import Break, EndpointFailure, page_words, refusal_from_json
from runtime.providers.wire.wiretap import wiretap_of

if TYPE_CHECKING:
    import httpx2


def is_event_stream(response: httpx2.Response) -> bool:
    """Whether the body begins like a stream of events."""
    head = wiretap_of(response).head
    return head.lstrip("\ufeff \r\n").startswith(("data:", ":", "event:", "id:", "retry:"))


def whole_answer(response: httpx2.Response) -> JsonObject:
    """The JSON object that a server sent in place of a stream.

    Raises:
        EndpointFailure: it is a stream without a readable event, an error, or nothing that a model sends.
    """
    if is_event_stream(response):
        raise EndpointFailure(Break(kind="incomplete"))
    head = wiretap_of(response).head
    try:
        value = loads(head) if head.strip() else None
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list) and value:
        value = value[0]
    answer = value if isinstance(value, dict) else {}
    if answer.get("error"):
        raise EndpointFailure(refusal_from_json(0, answer))
    return answer


def no_model(response: httpx2.Response) -> EndpointFailure:
    """The failure that says what came instead of a model's answer."""
    kind = response.headers.get("content-type", "").partition(";")[0]
    words = page_words(wiretap_of(response).head)
    detail = " ".join(part for part in (f"HTTP {response.status_code}", kind, words) if part)
    return EndpointFailure(Break(kind="not_a_model", detail=detail))


def plain(value: object) -> JsonValue:
    """The JSON of an SDK object as the server sent it; dumping it would warn about every field that the SDK does not expect."""
    match value:
        case None | str() | bool() | int() | float():
            return value
        case dict():
            return {str(name): plain(item) for name, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            known, sent = vars(value), getattr(value, "model_fields_set", frozenset(vars(value)))
            fields = {name: known[name] for name in known if name in sent} | (getattr(value, "model_extra", None) or {})
            return {name: plain(item) for name, item in fields.items()}
