"""A person with cash in the sample market, for turns that write."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import select

from runtime.agent.turn import Surface
from runtime.core.json import JsonObject, loads_object
from runtime.core.messages import ToolMessage
from runtime.portfolio.operations import SetCash, TradeFill
from runtime.workspace import Workspace
from tests.support.desks import NOW, SAMPLE_STOCK, done, run_turn
from tests.support.scripted import ScriptedProvider, call, calls, say

CASH = Decimal(1_000_000)


async def with_cash(desk: Workspace, cash: Decimal = CASH) -> None:
    """State the cash of a portfolio, as the person would in the terminal."""
    await desk.portfolio.apply(await desk.portfolio.plan([SetCash(cash=cash)]), "terminal")


async def with_holding(desk: Workspace, shares: int, price: Decimal) -> None:
    """Record a purchase of the sample stock some days ago."""
    day = NOW.date().replace(month=6, day=1)
    fill = TradeFill(side="buy", symbol=SAMPLE_STOCK, shares=shares, price=price, day=day)
    await desk.portfolio.apply(await desk.portfolio.plan([fill]), "terminal")


async def last_price(desk: Workspace) -> Decimal:
    """The last close of the sample stock."""
    return (await desk.market.data.last_quotes([SAMPLE_STOCK]))[SAMPLE_STOCK].price


def buy(shares: int, price: Decimal | None = None, **more: str) -> JsonObject:
    """Arguments of a purchase of the sample stock."""
    args: JsonObject = {"side": "buy", "symbol": SAMPLE_STOCK, "shares": shares, **more}
    return args if price is None else args | {"price": float(price)}


async def held(desk: Workspace) -> int:
    """How many shares of the sample stock are held."""
    position = (await desk.portfolio.book()).positions.get(SAMPLE_STOCK)
    return 0 if position is None else position.shares


def once(args: JsonObject, tool: str = "record_trade_fill") -> ScriptedProvider:
    """A model that makes one call and then answers."""
    return ScriptedProvider(calls(call(tool, args)), say("好"))


async def told(provider: ScriptedProvider, desk: Workspace, surface: Surface, conversation: str = "c1") -> JsonObject:
    """Run one turn of a model with one call, and return the envelope that the model read."""
    done(await run_turn(desk, "记一笔", conversation=conversation, surface=surface))
    message = provider.requests[-1].messages[-1]
    assert isinstance(message, ToolMessage)
    return loads_object(message.content)


async def rows(desk: Workspace, table: object) -> list[object]:
    """Every row of a table."""
    statement = select(table)  # type: ignore[call-overload]
    return await desk.stores.database.run(lambda connection: list(connection.execute(statement)))
