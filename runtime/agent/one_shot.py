"""A model that cannot call tools answers in one go: what the question obviously needs is fetched before it is asked.

The calls are made and stored like those of a model, so that the person sees what was looked at; such a model reads them in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from runtime.core.ids import new_id
from runtime.core.json import JsonObject
from runtime.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from runtime.core.symbols import Resolution
from runtime.providers.offline.intents import Market, Portfolio, intent_of
from runtime.providers.tokens import estimate_tokens
from runtime.texts import Texts

MOST_STOCKS: Final = 3
DAYS: Final = 120  # bars of each stock
SHARE: Final = 0.3  # of the model's window that fetched data may take
_HOLDINGS: Final = re.compile(r"持仓|仓位|我的|我持有|成本|止损|加仓|减仓|portfolio|holding|position", re.IGNORECASE)


def needed_calls(text: str, resolution: Resolution, known: Iterable[str]) -> tuple[ToolCall, ...]:
    """What a question obviously needs.

    Args:
        text: the question.
        resolution: what it names.
        known: names of the tools that there are.
    """
    intent = intent_of(text, resolution)
    wanted: list[tuple[str, JsonObject]] = []
    for item in resolution.instruments[:MOST_STOCKS]:
        wanted.append(("analyze_stock", {"symbol": item.symbol, "mode": "diagnose"}))
        wanted.append(("analyze_stock", {"symbol": item.symbol, "mode": "price", "days": DAYS}))
    if wanted or isinstance(intent, Market):
        wanted.append(("get_market_overview", {}))
    if isinstance(intent, Portfolio) or _HOLDINGS.search(text):
        mode = "diagnose" if isinstance(intent, Portfolio) and intent.diagnose else "view"
        wanted.append(("portfolio", {"mode": mode}))
    names = frozenset(known)
    return tuple(ToolCall(id=new_id(), name=name, args=args) for name, args in wanted if name in names)


def in_words(messages: Iterable[Message], texts: Texts, window: int) -> tuple[Message, ...]:
    """The history for a model that knows no tools: results are data that stands in messages of the person's side.

    Args:
        messages: the history.
        texts: how the data is introduced.
        window: the model's window in tokens.
    """
    history = tuple(messages)
    room = room_of_result(history, window)
    told: list[Message] = []
    for message in history:
        match message:
            case UserMessage():
                told.append(message)
            case AssistantMessage() if message.text.strip():
                said = tuple(part for part in message.parts if not isinstance(part, ToolCall))
                told.append(AssistantMessage(parts=said, model=message.model))
            case ToolMessage():
                content = _shortened(message.content, room, texts)
                told.append(UserMessage(text=texts("agent.data_in_words", name=message.name, content=content)))
            case AssistantMessage():
                pass  # nothing but calls
    return tuple(told)


def room_of_result(messages: Sequence[Message], window: int) -> int:
    """Tokens that each tool result may take of a window."""
    results = sum(isinstance(message, ToolMessage) for message in messages)
    return int(window * SHARE / max(1, results))


def _shortened(content: str, room: int, texts: Texts) -> str:
    """The content, cut where it takes more than its share of the window; the cut is said."""
    tokens = estimate_tokens(content)
    if tokens <= room:
        return content
    kept = content[: max(1, len(content) * room // tokens)]
    return texts("agent.data_cut", content=kept)
