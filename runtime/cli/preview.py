"""The preview of a portfolio write as a table."""

from __future__ import annotations

from decimal import Decimal

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from runtime.core.approvals import PortfolioPreview, PositionState
from runtime.texts import Texts


def show_preview(console: Console, preview: PortfolioPreview, texts: Texts) -> None:
    """Headline, every touched position before and after, cash with fees, notices."""
    console.print(escape(preview.headline), style="bold", soft_wrap=True)
    if preview.positions:
        console.print(_positions(preview, texts))
    console.print(
        escape(
            texts(
                "cli.preview_cash", before=_money(preview.cash_before, texts), after=_money(preview.cash_after, texts)
            )
        ),
        soft_wrap=True,
    )
    if preview.fees is not None:
        console.print(
            escape(
                texts(
                    "cli.preview_fees",
                    total=preview.fees.total,
                    commission=preview.fees.commission,
                    stamp=preview.fees.stamp_duty,
                    transfer=preview.fees.transfer_fee,
                )
            ),
            soft_wrap=True,
        )
    if preview.price_as_of is not None:
        console.print(
            escape(texts("cli.preview_prices", as_of=preview.price_as_of, source=preview.price_source)),
            style="dim",
            soft_wrap=True,
        )
    for notice in preview.notices:
        style = {"error": "red", "warning": "yellow", "info": "dim"}[notice.severity]
        console.print(escape(f"• {notice.text}"), style=style, soft_wrap=True)


def _positions(preview: PortfolioPreview, texts: Texts) -> Table:
    table = Table(show_edge=False, pad_edge=False)
    for column in ("stock", "shares", "cost", "stop", "value", "weight"):
        table.add_column(texts(f"cli.column_{column}"), justify="left" if column == "stock" else "right")
    for change in preview.positions:
        before, after = change.before, change.after
        table.add_row(
            escape(f"{change.name} {change.symbol}"),
            _arrow(_shares(before), _shares(after)),
            _arrow(_price(None if before is None else before.cost), _price(None if after is None else after.cost)),
            _arrow(
                _price(None if before is None else before.stop_loss), _price(None if after is None else after.stop_loss)
            ),
            _arrow(_price(None if before is None else before.value), _price(None if after is None else after.value)),
            _arrow(_weight(before), _weight(after)),
        )
    return table


def _arrow(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _shares(state: PositionState | None) -> str:
    return "0" if state is None else f"{state.shares:,}"


def _price(value: Decimal | None) -> str:
    return "--" if value is None else f"{value:,.2f}"


def _weight(state: PositionState | None) -> str:
    return "--" if state is None or state.weight is None else f"{state.weight * 100:.1f}%"


def _money(value: Decimal | None, texts: Texts) -> str:
    return texts("cli.unknown") if value is None else f"{value:,.2f}"
