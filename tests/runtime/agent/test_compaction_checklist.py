"""A conversation of 300 messages with tools, through five compactions by a model whose summaries mention nothing.

What the person demanded, the stocks and the files stay in sight, and every message can be had again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from runtime.agent.turn import TurnRequest
from runtime.core.events import Compaction, RuntimeEvent
from runtime.core.json import JsonObject
from runtime.core.messages import Message, UserMessage, text_of
from runtime.core.symbols import Instrument, Resolution
from runtime.paths import Home
from runtime.tools.definition import ToolArgs, ToolContext, ToolDefinition, ToolOutcome
from runtime.tools.history import HistoryArgs
from runtime.workspace import Workspace
from tests.support.desks import done, open_desk, runtime_with_tools
from tests.support.long_talks import SummarisingProvider, orphans
from tests.support.scripted import Reply, call, calls, say
from tests.support.turns import of

TURNS = 75  # of four messages: a question, a call, its result, an answer
EMPTY_SUMMARY = "用户和助手谈了一些股票，也查了一些数据，过程都很顺利，没有什么要特别说明的。"
DEMANDS = (
    "止损必须设在成本的 92%。", "单只仓位不超过三成。", "不要碰创业板。", "只做右侧，不抄底。", "周五收盘前先别动。",
    "总仓位最多七成。", "亏损超过 5% 必须先减半。", "以后只看日线和周线。", "不追涨停板。", "每次至少给两个价位。",
    "乖离超过 8% 不要加仓。", "绝不融资。", "ST 一律不买。", "成交额低于两亿的不做。", "结论必须写明截至日期。",
)  # fmt: skip
FILES = (
    "reports/2026-06/review.md",
    "plans/july.csv",
    "notes/规则.txt",
    "watch/list_a.json",
    "export/trades_2026.xlsx",
)


class ReadArgs(ToolArgs):
    """Arguments of the tool of this test."""

    symbol: str


async def read(_context: ToolContext, args: ReadArgs) -> ToolOutcome:
    bars: list[JsonObject] = [
        {"date": f"2026-06-{day:02d}", "close": 10 + day / 7, "volume": 10**7 + day} for day in range(1, 21)
    ]
    data: JsonObject = {"symbol": args.symbol, "phase": "C", "bars": [*bars]}
    return ToolOutcome(data=data, summary="读过了")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the person says in one turn."""

    text: str
    stock: Instrument


def script(stocks: tuple[Instrument, ...]) -> Iterator[Told]:
    """Demands, files and stocks, spread over the first two thirds; then only small talk about one stock."""
    for turn in range(TURNS):
        stock = stocks[turn % len(stocks)] if turn < TURNS * 2 // 3 else stocks[0]
        extra = DEMANDS[turn // 3] if turn % 3 == 0 and turn // 3 < len(DEMANDS) else ""
        if turn % 9 == 4 and turn // 9 < len(FILES):
            extra += f"记在 {FILES[turn // 9]} 里。"
        yield Told(text=f"{stock.name}现在处在什么位置？{extra}", stock=stock)


def replies(told: list[Told]) -> Iterator[Reply]:
    for at, item in enumerate(told):
        yield calls(call("read_chart", {"symbol": item.stock.symbol}, call_id=f"call_{at % 3}"))
        yield say(f"第 {at} 次读图：区间中部，量能平淡，没有新的事件，先等一等。" * 4)


async def test_nothing_on_the_checklist_is_lost(home: Home) -> None:
    async with open_desk(home) as desk:
        stocks = tuple(desk.market.sample.instruments())[:12]
        told = list(script(stocks))
        provider = SummarisingProvider(*replies(told), summaries=[say(EMPTY_SUMMARY)] * 30, window=46_000)
        tool = ToolDefinition(name="read_chart", args=ReadArgs, run=read, concurrency_safe=True)
        runtime = runtime_with_tools(desk, provider, tool)
        events: list[RuntimeEvent] = []
        for item in told:
            turn = [event async for event in runtime.run(TurnRequest(text=item.text, conversation_id="c1"))]
            done(turn)
            events += turn
        compactions = of(events, Compaction)
        stored = [item.message for item in await desk.stores.conversations.path("c1")]
        await everything_is_found_in_the_archive(desk, stocks)
        references = [event.archive_ref or "" for event in compactions]
        archived = [message for name in references for message in desk.stores.archive.restore(name).messages]
    provider.assert_used_up()
    assert len(stored) == 4 * TURNS
    assert len(compactions) == 5
    assert archived == stored[: len(archived)]  # one archive goes on where the one before ended
    record = provider.requests[-1].messages[0]
    assert isinstance(record, UserMessage)
    missing = [item for item in (*DEMANDS, *FILES, *(stock.symbol for stock in stocks)) if item not in record.context]
    assert missing == []
    for request in provider.requests:
        assert orphans(request.messages) == []
        assert "现在处在什么位置" in last_question(request.messages)


async def everything_is_found_in_the_archive(desk: Workspace, stocks: tuple[Instrument, ...]) -> None:
    """By the tool, as a model would do it."""
    tool = desk.registry.get("query_history")
    assert tool is not None
    assert tool.run is not None
    for item in (*DEMANDS, *FILES, *(stock.symbol for stock in stocks)):
        outcome = await tool.run(context(), HistoryArgs(source="archive", query=item))
        assert outcome.data["matches"], item


def context() -> ToolContext:
    async def ask(_question: str, _options: tuple[str, ...]) -> str | None:
        return None

    return ToolContext(
        conversation_id="c1", turn_id="t", call_id="x", resolution=Resolution(), ask=ask, report=lambda *_: None
    )


def last_question(messages: tuple[Message, ...]) -> str:
    return next(text_of(message) for message in reversed(messages) if isinstance(message, UserMessage))
