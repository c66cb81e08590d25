"""`wyckoff analyze CODE`: the engine's reading of one stock."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from runtime.cli.start import run, succeed, workspace

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from runtime.core.symbols import Instrument
    from runtime.market.bars import Bars
    from runtime.texts import Texts
    from runtime.workspace import Workspace
    from runtime.wyckoff.records import Reading


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
                "stale": opened.market.data.is_stale(bars),
                "sample": instrument.is_sample,
            }
            succeed(reading_to_json(reading), meta)
        else:
            _show(opened, instrument, bars, reading)


def _read(opened: Workspace, code: str) -> tuple[Instrument, Bars, Reading]:
    from runtime.tools.lookup import instrument_of
    from runtime.tools.stock_report import ANALYSED_BARS, limit_ratio_of
    from runtime.wyckoff.engine import analyze as analyze_bars

    instrument = instrument_of(opened.market.directory, code)
    bars = run(lambda: opened.market.data.daily(instrument.symbol, limit=ANALYSED_BARS))
    return instrument, bars, analyze_bars(bars, limit_ratio=limit_ratio_of(instrument, bars, opened.market.limits))


def _show(opened: Workspace, instrument: Instrument, bars: Bars, reading: Reading) -> None:
    from rich.console import Console

    from runtime.tools.stock_report import phase_text

    texts = opened.texts
    console = Console(highlight=False)
    say = partial(_say, console)
    say(
        texts(
            "cli.analyze_head",
            name=instrument.name,
            symbol=instrument.symbol,
            as_of=bars.as_of,
            source=bars.source,
            adjust=texts(f"offline.adjust_{bars.adjust}"),
            count=len(bars),
        ),
        "bold",
    )
    if opened.market.data.is_stale(bars):
        say(texts("offline.stale", as_of=bars.as_of), "yellow")
    say(texts("cli.analyze_close", close=f"{float(bars.close[-1]):.2f}", phase=phase_text(reading, texts)))
    if reading.note_key is not None:
        say(texts(reading.note_key), "yellow")
    for line in (*_range_lines(reading, texts), *_level_lines(reading, texts)):
        say(line)
    if reading.events:
        console.print(_event_table(reading, texts))


def _say(console: Console, text: str, style: str = "") -> None:
    """One line, never wrapped: the terminal does that, a pipe does not want it."""
    from rich.markup import escape

    console.print(escape(text), style=style, soft_wrap=True)


def _range_lines(reading: Reading, texts: Texts) -> list[str]:
    box = reading.range
    if box is None:
        return []
    return [
        texts(
            "cli.analyze_range" if box.active else "cli.analyze_range_left",
            start=box.start_date,
            end=box.end_date,
            support=f"{box.support:.2f}",
            resistance=f"{box.resistance:.2f}",
            quality=f"{box.quality:.2f}",
        )
    ]


def _level_lines(reading: Reading, texts: Texts) -> list[str]:
    lines = [
        texts(
            "offline.level",
            kind=texts(f"wyckoff.level_kind_{level.kind.value}"),
            price=f"{level.price:.2f}",
            reason=texts(level.reason_key),
        )
        for level in reading.levels
    ]
    if reading.stop is not None:
        lines.append(texts("offline.stop", price=f"{reading.stop.price:.2f}", reason=texts(reading.stop.reason_key)))
    if reading.phase.invalidation_price is not None:
        structure = reading.phase.structure
        side = "below" if structure is not None and structure.is_accumulation else "above"
        lines.append(texts(f"offline.invalidation_{side}", price=f"{reading.phase.invalidation_price:.2f}"))
    return lines


def _event_table(reading: Reading, texts: Texts) -> Table:
    """Every event; those that a later bar took back are struck through."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(show_edge=False, pad_edge=False)
    for column in ("event", "date", "confirmed", "price", "volume"):
        table.add_column(texts(f"cli.column_{column}"), justify="right" if column in ("price", "volume") else "left")
    for event in reading.events:
        taken_back = event.invalidated_at is not None
        name = texts(f"wyckoff.event_{event.kind.value}")
        table.add_row(
            escape(texts("cli.event_taken_back", name=name) if taken_back else name),
            event.date.isoformat(),
            event.confirm_date.isoformat(),
            f"{event.price:.2f}",
            "--" if event.volume_ratio is None else f"{event.volume_ratio:.2f}",
            style="dim strike" if taken_back else "",
        )
    return table
