"""Measurements of bars and symbols; printed, not asserted (`pytest -m benchmark -s`)."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

from runtime.clock import SHANGHAI
from runtime.market.importer import ImportOptions, import_file
from runtime.market.store import BarStore
from runtime.market.symbols import InstrumentDirectory
from runtime.storage.engine import Database

pytestmark = pytest.mark.benchmark
REAL_BARS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "core.parquet"
READS = 200
HELP_RUNS = 5


async def test_import_and_reading_of_real_bars(tmp_path: Path) -> None:
    if not REAL_BARS.is_file():
        pytest.skip(f"{REAL_BARS} is not here")
    database = Database(tmp_path / "market.db")
    store = BarStore(database)
    before = time.process_time()
    report = import_file(database, store, REAL_BARS, ImportOptions(), now=datetime.now(SHANGHAI), source="bench")
    print(
        f"\nimport of {report.rows:,} rows: {report.seconds:.2f} s, {time.process_time() - before:.2f} CPU-s (target 30 s)"
    )
    started = time.perf_counter()
    for _ in range(READS):
        await store.read("600519.SH", limit=500)
    print(f"one stock's last 500 bars: {(time.perf_counter() - started) / READS * 1000:.2f} ms (target 2 ms)")
    database.close()


def test_resolution_of_a_message() -> None:
    before = time.process_time()
    directory = InstrumentDirectory()
    print(f"\nloading the table: {(time.process_time() - before) * 1000:.0f} CPU-ms")
    text = "帮我看看贵州茅台和 000858，我有300000元，打算买入 1000 股，另外 gzmt 和 MACD 怎么看" * 3
    started = time.process_time()
    for _ in range(READS):
        directory.resolve(text)
    milliseconds = (time.process_time() - started) / READS * 1000
    print(f"resolving {len(text)} characters: {milliseconds:.2f} CPU-ms (target 1 ms a message)")


def test_start_of_the_command() -> None:
    code = "import resource, sys; from runtime.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    code += "use = resource.getrusage(resource.RUSAGE_SELF); sys.stderr.write(str(use.ru_utime + use.ru_stime))"
    runs = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr)
        for _ in range(HELP_RUNS)
    ]
    print(f"\n`wyckoff --help`: {min(runs):.2f} to {max(runs):.2f} CPU-s (target 0.25)")
