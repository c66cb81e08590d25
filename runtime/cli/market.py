"""`wyckoff market`: import bars, and what there is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runtime.cli.start import CANCELLED, FAILED, USAGE, fail, first_texts, print_json, run, succeed, workspace

if TYPE_CHECKING:
    from runtime.core.json import JsonObject
    from runtime.market.importer import ImportOptions, ImportReport
    from runtime.workspace import Workspace

SHOWN_SERIES = 10


def app() -> typer.Typer:
    """The sub-commands."""
    commands = typer.Typer(no_args_is_help=True)
    commands.command("import")(import_bars)
    commands.command("status")(status)
    return commands


def import_bars(
    context: typer.Context,
    file: Annotated[Path, typer.Argument()],
    adj: Annotated[str | None, typer.Option("--adj")] = None,
    skip_bad: Annotated[bool, typer.Option("--skip-bad")] = False,
    replace: Annotated[bool, typer.Option("--replace")] = False,
    json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Import a CSV or Parquet file of daily bars."""
    from runtime.market.checks import ADJUSTMENTS

    if adj is not None and adj.lower() not in ADJUSTMENTS:
        typer.echo(first_texts()("cli.bad_adj", value=adj), err=True)
        raise typer.Exit(USAGE)
    with workspace(context.obj, json=json) as opened:
        from runtime.market.importer import ImportCancelled, ImportOptions

        adjust = None if adj is None else ADJUSTMENTS[adj.lower()]
        options = ImportOptions(adjust=adjust, skip_bad=skip_bad, replace=replace)
        try:
            report = _import(opened, file, options, quiet=json)
        except ImportCancelled:
            typer.echo(opened.texts("cli.import_cancelled"), err=True)
            raise typer.Exit(CANCELLED) from None
        _tell(opened, file, report, json=json)


def _import(opened: Workspace, file: Path, options: ImportOptions, *, quiet: bool) -> ImportReport:
    """Run the import on a worker thread with a progress bar; Ctrl-C stops it and nothing is changed."""
    import signal
    import threading
    from concurrent.futures import ThreadPoolExecutor

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from runtime.market.importer import import_file

    cancel = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: cancel.set())
    percent = TextColumn("{task.percentage:>3.0f}%")
    columns = (TextColumn("{task.description}"), BarColumn(), percent, TimeElapsedColumn())
    try:
        console = Console(stderr=True)
        silent = quiet or not console.is_terminal  # a pipe would get a blank line
        with Progress(*columns, console=console, disable=silent, transient=True) as bar:
            task = bar.add_task("", total=1.0)

            def progress(stage: str, fraction: float) -> None:
                bar.update(task, description=opened.texts(f"cli.import_{stage}"), completed=fraction)

            with ThreadPoolExecutor(max_workers=1) as pool:
                return pool.submit(
                    import_file,
                    opened.stores.market_database,
                    opened.stores.bars,
                    file,
                    options,
                    now=opened.base.clock.now(),
                    source=opened.texts("market.import_source", file=file.name),
                    progress=progress,
                    cancel=cancel,
                ).result()
    finally:
        signal.signal(signal.SIGINT, before)


def _tell(opened: Workspace, file: Path, report: ImportReport, *, json: bool) -> None:
    texts = opened.texts
    if json:
        message = texts("cli.import_refused", file=file, count=len(report.bad) or len(report.conflicts))
        error: JsonObject | None = None if report.imported else {"code": "import_refused", "message": message}
        print_json({"ok": report.imported, "data": _report_json(opened, report), "error": error, "meta": {}})
        raise typer.Exit(0 if report.imported else FAILED)
    for line in _bad_lines(opened, report):
        typer.echo(line, err=True)
    if report.conflicts:
        shown = "、".join(report.conflicts[:SHOWN_SERIES])
        fail(texts("cli.import_conflicts", count=len(report.conflicts), shown=shown))
    if not report.imported:
        fail(texts("cli.import_refused", file=file, count=len(report.bad)))
    typer.echo(
        texts(
            "cli.imported",
            rows=f"{report.rows:,}",
            symbols=report.symbols,
            series=report.series,
            first=report.first,
            last=report.last,
            seconds=f"{report.seconds:.1f}",
            skipped=len(report.bad),
        )
    )


def _bad_lines(opened: Workspace, report: ImportReport) -> list[str]:
    from runtime.market.importer import SHOWN_BAD_ROWS

    texts = opened.texts
    lines = [
        texts("cli.bad_row", row=bad.row, symbol=bad.symbol, reason=texts(bad.reason_key), value=bad.value).rstrip()
        for bad in report.bad[:SHOWN_BAD_ROWS]
    ]
    if len(report.bad) > SHOWN_BAD_ROWS:
        lines.append(texts("cli.bad_rows_more", count=len(report.bad) - SHOWN_BAD_ROWS))
    return lines


def _report_json(opened: Workspace, report: ImportReport) -> JsonObject:
    from runtime.market.importer import SHOWN_BAD_ROWS

    return {
        "imported": report.imported,
        "rows": report.rows,
        "symbols": report.symbols,
        "series": report.series,
        "first": None if report.first is None else report.first.isoformat(),
        "last": None if report.last is None else report.last.isoformat(),
        "bad_rows": len(report.bad),
        "bad": [
            {"row": bad.row, "symbol": bad.symbol, "reason": opened.texts(bad.reason_key), "value": bad.value}
            for bad in report.bad[:SHOWN_BAD_ROWS]
        ],
        "conflicts": list(report.conflicts),
        "seconds": round(report.seconds, 2),
    }


def status(context: typer.Context, json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """What bars there are."""
    with workspace(context.obj, json=json) as opened:
        infos = run(opened.stores.bars.infos)
        size = opened.base.home.market_database.stat().st_size
        newest = max((info.last for info in infos), default=None)
        expected = opened.market.calendar.last_final(opened.base.clock.now())
        data: JsonObject = {
            "mode": opened.base.settings.market,
            "series": len(infos),
            "symbols": len({info.symbol for info in infos}),
            "bars": sum(info.rows for info in infos),
            "by_adjust": dict(run(opened.stores.bars.count)),
            "newest": None if newest is None else newest.isoformat(),
            "last_trading_day": expected.isoformat(),
            "calendar_known_until": opened.market.calendar.known_until.isoformat(),
            "stale": None if newest is None else newest < expected,
            "database_bytes": size,
            "sample": {
                "instruments": len(opened.market.sample.instruments()),
                "as_of": opened.market.sample.as_of.isoformat(),
            },
        }
        if json:
            succeed(data, {"source": opened.texts("market.local_source")})
            return
        _tell_status(opened, data)


def _tell_status(opened: Workspace, data: JsonObject) -> None:
    texts, sample = opened.texts, opened.market.sample
    figures = data | {"bars": f"{data['bars']:,}", "size": f"{float(str(data['database_bytes'])) / 1e6:.1f}"}
    key = "cli.market_status" if data["series"] else "cli.market_empty"
    sys.stdout.write(texts(key, expected=data["last_trading_day"], **figures) + "\n")
    sys.stdout.write(texts("cli.market_sample", count=len(sample.instruments()), as_of=sample.as_of) + "\n")
