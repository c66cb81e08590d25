"""Messages of long conversations, and the parts of compaction put together for a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from runtime.core.json import JsonObject, dumps
from runtime.core.messages import (
    AssistantMessage,
    AssistantPart,
    Message,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
    text_of,
)
from runtime.core.symbols import Resolution
from runtime.providers.base import Capabilities, Chunk, ModelRequest, ProviderError
from tests.support.scripted import Hang, Reply, ScriptedProvider


def said(text: str) -> UserMessage:
    return UserMessage(text=text)


def answered(text: str, *calls: tuple[str, str]) -> AssistantMessage:
    """An answer with calls (id, name)."""
    parts: list[AssistantPart] = [TextPart(text=text)] if text else []
    return AssistantMessage(parts=(*parts, *(ToolCall(id=key, name=name, args={}) for key, name in calls)))


def result(call_id: str, content: JsonObject | str, *, name: str = "analyze_stock", ok: bool = True) -> ToolMessage:
    text = content if isinstance(content, str) else dumps(content)
    return ToolMessage(call_id=call_id, name=name, content=text, ok=ok)


def nothing_named(_text: str) -> Resolution:
    return Resolution()


def observed(messages: Sequence[JsonObject]) -> list[Message]:
    """Messages of an observed case."""
    return [_observed(message) for message in messages]


def _observed(message: JsonObject) -> Message:
    content = str(message.get("content") or "")
    if message["role"] == "user":
        return said(content)
    if message["role"] == "tool":
        return result(str(message["tool_call_id"]), content, name=str(message.get("name") or ""))
    calls = message.get("tool_calls")
    asked = (
        [(str(call["id"]), str(call["name"])) for call in calls if isinstance(call, dict)]
        if isinstance(calls, list)
        else []
    )
    return answered(content, *asked)


def orphans(messages: Sequence[Message]) -> list[str]:
    """Ids of results without their call before them and of calls without their results behind them."""
    wrong: list[str] = []
    open_calls: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.call_id in open_calls:
                open_calls.remove(message.call_id)
            else:
                wrong.append(message.call_id)
            continue
        wrong += open_calls
        open_calls = [call.id for call in message.calls] if isinstance(message, AssistantMessage) else []
    return wrong + open_calls


class SummarisingProvider(ScriptedProvider):
    """A scripted model that is also asked for summaries: those requests are answered from a script of their own.

    Args:
        *replies: what the calls of turns yield.
        summaries: what each request for a summary yields.
        window: tokens of its window.
    """

    def __init__(
        self, *replies: Reply, summaries: Sequence[Reply] = (), window: int = 16_000, name: str = "scripted"
    ) -> None:
        super().__init__(*replies, name=name, capabilities=Capabilities(window=window))
        self.summaries = list(summaries)
        self.asked_for_summary: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        if request.messages and "<messages>" in text_of(request.messages[-1]):
            self.asked_for_summary.append(request)
            assert self.summaries, "more summaries were asked for than the script says"
            for item in self.summaries.pop(0):
                match item:
                    case ProviderError():
                        raise item
                    case Hang():
                        item.reached.set()
                        await asyncio.Event().wait()
                    case _:
                        yield item
            return
        async for chunk in super().stream(request):
            yield chunk

    @property
    def first_seen(self) -> list[Message]:
        """The first message of each request of a turn."""
        return [request.messages[0] for request in self.requests]
