"""`wyckoff model cost|limit|usage`: what models cost and have cost."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated

import typer

from runtime.cli.start import run, succeed, workspace

if TYPE_CHECKING:
    from runtime.core.json import JsonObject
    from runtime.providers.model_config import ModelConfig
    from runtime.storage.usage import UsageRow
    from runtime.texts import Texts

Json = Annotated[bool, typer.Option("--json")]


def cost(
    context: typer.Context,
    id: Annotated[str, typer.Argument()],  # noqa: A002 - it is what the person types
    input_per_1m: Annotated[float | None, typer.Option("--input-per-1m")] = None,
    output_per_1m: Annotated[float | None, typer.Option("--output-per-1m")] = None,
    cache_read_per_1m: Annotated[float | None, typer.Option("--cache-read-per-1m")] = None,
    cache_write_per_1m: Annotated[float | None, typer.Option("--cache-write-per-1m")] = None,
    context_window: Annotated[int | None, typer.Option("--context-window")] = None,
    max_output: Annotated[int | None, typer.Option("--max-output")] = None,
    json: Json = False,
) -> None:
    """Set what a model costs, its context window, and its longest answer."""
    with workspace(context.obj, json=json) as opened:
        from runtime.providers.windows import Prices

        config = opened.models.get(id)
        given = {
            "input": input_per_1m,
            "output": output_per_1m,
            "cache_read": cache_read_per_1m,
            "cache_write": cache_write_per_1m,
        }
        named = {name: price for name, price in given.items() if price is not None}
        prices = replace(config.prices or Prices(input=0.0, output=0.0), **named) if named else config.prices
        changed = replace(
            config,
            prices=prices,
            context_window=config.context_window if context_window is None else context_window,
            max_output=config.max_output if max_output is None else max_output,
        )
        run(lambda: opened.models.replace(changed))
        if json:
            succeed(config_json(changed, is_default=opened.models.default_id() == id))


def limit(
    context: typer.Context,
    amount: Annotated[float | None, typer.Argument(min=0)] = None,
    json: Json = False,
) -> None:
    """Set what may be spent in a day (0 = no limit); without an amount, say what is spent and allowed."""
    with workspace(context.obj, json=json) as opened:
        if amount is not None:
            opened.base.live.change("daily_spending_limit", amount)
        allowed = opened.base.live.now().daily_spending_limit
        spent = run(opened.stores.usage.spent_today)
        if json:
            succeed({"limit": allowed or None, "spent_today": spent})
        else:
            key = "cli.spending_limit" if allowed else "cli.spending_no_limit"
            typer.echo(opened.texts(key, spent=f"{spent:.2f}", limit=f"{allowed:.2f}"))


def usage(
    context: typer.Context,
    days: Annotated[int, typer.Option("--days", min=1)] = 30,
    turns: Annotated[bool, typer.Option("--turns")] = False,
    json: Json = False,
) -> None:
    """Tokens and cost by day, model and purpose."""
    with workspace(context.obj, json=json) as opened:
        rows = run(lambda: opened.stores.usage.summary(days, by_turn=turns))
        if json:
            succeed([_row_json(row) for row in rows])
            return
        if not rows:
            typer.echo(opened.texts("cli.usage_empty", days=days))
        for row in rows:
            typer.echo(_line(row, opened.texts))


def _line(row: UsageRow, texts: Texts) -> str:
    money = "--" if row.usage.cost is None else f"{row.usage.cost:.4f}"
    about = "≈" if row.usage.estimated else ""
    line = texts(
        "cli.usage_line",
        day=row.day,
        model=row.model,
        purpose=row.purpose,
        calls=row.calls,
        input=f"{about}{row.usage.input:,}",
        output=f"{about}{row.usage.output:,}",
        cached=f"{row.usage.cache_read:,}",
        written=f"{row.usage.cache_write:,}",
        cost=money,
    )
    return f"{line}  {row.turn_id}".rstrip()


def _row_json(row: UsageRow) -> JsonObject:
    return {
        "day": row.day.isoformat(),
        "model": row.model,
        "purpose": row.purpose,
        "turn_id": row.turn_id or None,
        "calls": row.calls,
        "input": row.usage.input,
        "output": row.usage.output,
        "cache_read": row.usage.cache_read,
        "cache_write": row.usage.cache_write,
        "cost": row.usage.cost,
        "estimated": row.usage.estimated,
    }


def config_json(config: ModelConfig, *, is_default: bool) -> JsonObject:
    """A model as the commands print it; never a key."""
    from runtime.providers.windows import Prices

    prices: JsonObject = {
        f"{item.name}_per_1m": None if config.prices is None else getattr(config.prices, item.name)
        for item in fields(Prices)
    }
    return {
        "id": config.id,
        "provider": config.provider,
        "model": config.model,
        "base_url": config.base_url,
        "key_env": config.key_env,
        "context_window": config.context_window,
        "max_output": config.max_output,
        "reasoning": config.reasoning,
        "tools": config.tools,
        **prices,
        "default": is_default,
    }
