"""`wyckoff portfolio`: look at it, change it with a preview, take the last change back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

import typer

from runtime.cli.start import FAILED, fail, interactive, print_json, run, succeed, workspace
from runtime.errors import UserError

if TYPE_CHECKING:
    from runtime.core.json import JsonObject
    from runtime.portfolio.operations import Operation, StopLoss
    from runtime.portfolio.plan import Plan
    from runtime.workspace import Workspace

ORIGIN = "terminal"

Json = Annotated[bool, typer.Option("--json")]
Yes = Annotated[bool, typer.Option("--yes")]
Code = Annotated[str, typer.Argument()]


def app() -> typer.Typer:
    """The sub-commands."""
    commands = typer.Typer(no_args_is_help=True)
    for name, command in (
        ("show", show),
        ("diagnose", diagnose),
        ("add", add),
        ("update", update),
        ("remove", remove),
        ("fill", fill),
        ("set-cash", set_cash),
        ("stop", stop),
        ("undo", undo),
        ("ledger", ledger),
    ):
        commands.command(name)(command)
    return commands


def show(context: typer.Context, json: Json = False) -> None:
    """Holdings and cash."""
    _tool(context, "view", json=json)


def diagnose(context: typer.Context, json: Json = False) -> None:
    """The state of each holding."""
    _tool(context, "diagnose", json=json)


def add(
    context: typer.Context,
    code: Code,
    shares: Annotated[int, typer.Option("--shares")],
    cost: Annotated[str, typer.Option("--cost")],
    buy_date: Annotated[str | None, typer.Option("--date")] = None,
    stop_loss: Annotated[str | None, typer.Option("--stop")] = None,
    name: Annotated[str, typer.Option("--name")] = "",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Record a holding."""
    from runtime.portfolio.operations import KEEP, AddPosition

    def operation(opened: Workspace) -> Operation:
        keep: StopLoss = KEEP
        return AddPosition(
            symbol=_symbol(opened, code),
            shares=shares,
            cost=_decimal(cost),
            buy_day=_day(buy_date) or opened.base.clock.now().date(),
            name=name,
            stop_loss=keep if stop_loss is None else _decimal(stop_loss),
        )

    _write(context, operation, yes=yes, json=json)


def update(
    context: typer.Context,
    code: Code,
    shares: Annotated[int | None, typer.Option("--shares")] = None,
    cost: Annotated[str | None, typer.Option("--cost")] = None,
    buy_date: Annotated[str | None, typer.Option("--date")] = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Correct a holding."""
    from runtime.portfolio.operations import UpdatePosition

    def operation(opened: Workspace) -> Operation:
        return UpdatePosition(
            symbol=_symbol(opened, code),
            shares=shares,
            cost=None if cost is None else _decimal(cost),
            buy_day=_day(buy_date),
        )

    _write(context, operation, yes=yes, json=json)


def remove(context: typer.Context, code: Code, yes: Yes = False, json: Json = False) -> None:
    """Strike a holding off the record."""
    from runtime.portfolio.operations import RemovePosition

    _write(context, lambda opened: RemovePosition(symbol=_symbol(opened, code)), yes=yes, json=json)


def fill(
    context: typer.Context,
    side: Annotated[str, typer.Argument()],
    code: Code,
    shares: Annotated[int, typer.Argument()],
    price: Annotated[str | None, typer.Option("--price")] = None,
    trade_date: Annotated[str | None, typer.Option("--date")] = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Record a trade."""
    from runtime.portfolio.operations import TradeFill

    def operation(opened: Workspace) -> Operation:
        if side not in ("buy", "sell"):
            raise UserError("cli.bad_side", value=side)
        return TradeFill(
            side="buy" if side == "buy" else "sell",
            symbol=_symbol(opened, code),
            shares=shares,
            price=None if price is None else _decimal(price),
            day=_day(trade_date),
        )

    _write(context, operation, yes=yes, json=json)


def set_cash(
    context: typer.Context, amount: Annotated[str, typer.Argument()], yes: Yes = False, json: Json = False
) -> None:
    """State the cash."""
    from runtime.portfolio.operations import SetCash

    _write(context, lambda _opened: SetCash(cash=_decimal(amount)), yes=yes, json=json)


def stop(
    context: typer.Context,
    code: Code,
    price: Annotated[str, typer.Argument()],
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Set a stop, or clear it with `none`."""
    from runtime.portfolio.operations import SetStop

    def operation(opened: Workspace) -> Operation:
        cleared = price.lower() in ("none", "null")
        return SetStop(symbol=_symbol(opened, code), stop_loss=None if cleared else _decimal(price))

    _write(context, operation, yes=yes, json=json)


def undo(context: typer.Context, yes: Yes = False, json: Json = False) -> None:
    """Take the last change back."""
    with workspace(context.obj, json=json) as opened:
        _apply(opened, opened.portfolio.plan_undo, yes=yes, json=json)


def ledger(
    context: typer.Context, limit: Annotated[int, typer.Option("--limit", min=1)] = 50, json: Json = False
) -> None:
    """Everything that was ever written."""
    with workspace(context.obj, json=json) as opened:
        lines = run(lambda: opened.portfolio.entries(limit))
        if json:
            succeed(
                [
                    {
                        "id": line.recorded.id,
                        "at": line.recorded.recorded_at.isoformat(),
                        "text": line.text,
                        "origin": line.recorded.origin,
                        "batch": line.recorded.batch_id,
                        "undone": line.undone,
                    }
                    for line in lines
                ]
            )
            return
        if not lines:
            typer.echo(opened.texts("cli.ledger_empty"))
        for line in lines:
            mark = opened.texts("cli.ledger_undone") if line.undone else ""
            typer.echo(
                f"#{line.recorded.id}  {line.recorded.recorded_at:%Y-%m-%d %H:%M}  {line.text}{mark}  [{line.recorded.origin}]"
            )


def _tool(context: typer.Context, mode: str, *, json: bool) -> None:
    """Show what the agent's own tool shows."""
    with workspace(context.obj, json=json) as opened:
        from runtime.cli.tool_call import call_tool
        from runtime.providers.offline.view import Step
        from runtime.providers.offline.writer import Writer

        envelope = run(lambda: call_tool(opened, "portfolio", {"mode": mode}))
        if json:
            print_json(envelope)
            return
        step = Step(name="portfolio", args={"mode": mode}, envelope=envelope)
        typer.echo(Writer(opened.texts).portfolio(step) if step.ok else step.error_message)


def _write(context: typer.Context, operation: Callable[[Workspace], Operation], *, yes: bool, json: bool) -> None:
    with workspace(context.obj, json=json) as opened:
        wanted = operation(opened)
        _apply(opened, lambda: opened.portfolio.plan([wanted]), yes=yes, json=json)


def _apply(opened: Workspace, plan: Callable[[], Awaitable[Plan]], *, yes: bool, json: bool) -> None:
    """Preview, ask unless `--yes`, write."""
    from rich.console import Console

    from runtime.cli.preview import show_preview
    from runtime.core.codec import to_json

    planned = run(plan)
    preview: JsonObject = to_json(planned.preview)
    if not json:
        show_preview(Console(highlight=False), planned.preview, opened.texts)
    if planned.preview.blocked:
        reasons = "；".join(notice.text for notice in planned.preview.notices if notice.severity == "error")
        fail(opened.texts("portfolio.blocked", reasons=reasons), json=json, code="not_possible", data=preview)
    if not yes and not _confirmed(opened, json=json):
        fail(opened.texts("cli.not_applied"), json=json, code="not_confirmed", data=preview)
    applied = run(lambda: opened.portfolio.apply(planned, ORIGIN))
    if json:
        succeed({"done": applied.headline, "version": applied.version, "preview": preview})
    else:
        typer.echo(opened.texts("cli.applied", headline=applied.headline))


def _confirmed(opened: Workspace, *, json: bool) -> bool:
    """Whether the person says yes; without a terminal nobody does."""
    if json or not interactive():
        return False
    try:
        answer = input(opened.texts("cli.confirm"))
    except (EOFError, KeyboardInterrupt):
        raise typer.Exit(FAILED) from None
    return answer.strip().lower() in ("y", "yes", "是", "好", "可以", "确认")


def _symbol(opened: Workspace, code: str) -> str:
    from runtime.tools.lookup import instrument_of

    return instrument_of(opened.market.directory, code).symbol


def _decimal(text: str) -> Decimal:
    from runtime.numbers import price

    try:
        value = Decimal(text.replace(",", ""))
        return price(value) if value.is_finite() else value
    except ArithmeticError:
        raise UserError("cli.bad_number", value=text) from None


def _day(text: str | None) -> date | None:
    from runtime.clock import parse_day

    if text is None:
        return None
    try:
        return parse_day(text)
    except ValueError:
        raise UserError("cli.bad_date", value=text) from None
