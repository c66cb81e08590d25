"""`wyckoff analyze CODE`: the engine's reading of one stock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from runtime.cli.start import run, succeed, workspace

if TYPE_CHECKING:
    from runtime.core.symbols import Instrument
    from runtime.market.bars import Bars
    from runtime.wyckoff.records import Reading
    from runtime.workspace import Workspace


def analyze(
    context: typer.Context,
    code: Annotated[str, typer.Argument()],
    json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Read one stock."""
    with workspace(context.obj, json=json) as opened:
        instrument, bars, reading = _read(opened, code)
        if json:
            from runtime.core.json import JsonObject
            from runtime.wyckoff.report import reading_to_json

            meta: JsonObject = {
                "name": instrument.name,
                "source": bars.source,
                "as_of": bars.as_of.isoformat(),
                "adjust": bars.adjust,
                "stale": opened.market.is_stale(bars),
                "sample": instrument.is_sample,
            }
            succeed(reading_to_json(reading), meta)
        else:
            _show(opened, instrument, bars, reading)


def _read(opened: Workspace, code: str) -> tuple[Instrument, Bars, Reading]:
    from runtime.tools.lookup import instrument_of
    from runtime.tools.stock_report import ANALYSED_BARS, limit_ratio_of
    from runtime.wyckoff.engine import analyze as analyze_bars

    instrument = instrument_of(opened.directory, code)
    bars = run(lambda: opened.market.daily(instrument.symbol, limit=ANALYSED_BARS))
    return instrument, bars, analyze_bars(bars, limit_ratio=limit_ratio_of(instrument, bars, opened.limits))


def _show(opened: Workspace, instrument: Instrument, bars: Bars, reading: Reading) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from runtime.tools.stock_report import phase_text

    texts = opened.texts
    console = Console(highlight=False)
    head = texts(
        "cli.analyze_head",
        name=instrument.name,
        symbol=instrument.symbol,
        as_of=bars.as_of,
        source=bars.source,
        adjust=texts(f"offline.adjust_{bars.adjust}"),
        count=len(bars),
    )
    console.print(escape(head), style="bold")
    if opened.market.is_stale(bars):
        console.print(escape(texts("offline.stale", as_of=bars.as_of)), style="yellow")
    console.print(
        escape(texts("cli.analyze_close", close=f"{float(bars.close[-1]):.2f}", phase=phase_text(reading, texts)))
    )
    if reading.note_key is not None:
        console.print(escape(texts(reading.note_key)), style="yellow")
    if reading.range is not None:
        box = reading.range
        console.print(
            escape(
                texts(
                    "cli.analyze_range",
                    start=box.start_date,
                    support=f"{box.support:.2f}",
                    resistance=f"{box.resistance:.2f}",
                    quality=f"{box.quality:.2f}",
                )
            )
        )
    if reading.events:
        table = Table(show_edge=False, pad_edge=False)
        for column in ("event", "date", "confirmed", "price", "volume"):
            table.add_column(
                texts(f"cli.column_{column}"), justify="right" if column in ("price", "volume") else "left"
            )
        for event in reading.events:
            style = "dim strike" if event.invalidated_at is not None else ""
            table.add_row(
                escape(texts(f"wyckoff.event_{event.kind.value}")),
                event.date.isoformat(),
                event.confirm_date.isoformat(),
                f"{event.price:.2f}",
                "--" if event.volume_ratio is None else f"{event.volume_ratio:.2f}",
                style=style,
            )
        console.print(table)
    for level in reading.levels:
        kind = texts(f"wyckoff.level_kind_{level.kind.value}")
        console.print(
            escape(texts("offline.level", kind=kind, price=f"{level.price:.2f}", reason=texts(level.reason_key)))
        )
    if reading.stop is not None:
        stop = reading.stop
        console.print(escape(texts("offline.stop", price=f"{stop.price:.2f}", reason=texts(stop.reason_key))))
    if reading.phase.invalidation_price is not None:
        console.print(escape(texts("offline.invalidation", price=f"{reading.phase.invalidation_price:.2f}")))
