"""Build the sample market: `python packaging/build_sample_market.py [--out FOLDER] [--listed names.csv]`.

Sixty invented stocks and one index, 500 trading days ending 2026-06-30, written to `resources/sample_market`: `instruments.csv` and
`bars.npz`. Everything is seeded and nothing depends on the clock: a second run writes the same bytes. Trading days are weekdays
without the exchange holidays listed below. Prices stay within each board's daily limits on 0.01 ticks. Each structure is drawn from
the first seed whose reading by the engine is what its recipe asks for. `--listed` (columns `code`, `name`) refuses ids and names
that a listed company has.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from runtime.market.bars import Bars, days  # noqa: E402
from runtime.market.rules.boards import Board, board_of  # noqa: E402
from runtime.wyckoff.drawing import Path as Prices  # noqa: E402
from runtime.wyckoff.drawing import noise_path  # noqa: E402
from runtime.wyckoff.engine import analyze  # noqa: E402
from runtime.wyckoff.records import EventKind, Phase, Reading  # noqa: E402
from runtime.wyckoff.structures import Pattern, structure_path  # noqa: E402

Ints = NDArray[np.int64]

DAYS = 500
LAST_DAY = date(2026, 6, 30)
HOLIDAYS = (
    ("2024-06-10", 1), ("2024-09-16", 2), ("2024-10-01", 7), ("2025-01-01", 1), ("2025-01-28", 8), ("2025-04-04", 1),
    ("2025-05-01", 5), ("2025-06-02", 1), ("2025-10-01", 8), ("2026-01-01", 3), ("2026-02-15", 9), ("2026-04-06", 1),
    ("2026-05-01", 5), ("2026-06-19", 1),
)  # first day and number of calendar days  # fmt: skip
LIMIT_PERCENT = {Board.MAIN: 10, Board.CHINEXT: 20, Board.STAR: 20, Board.BSE: 30}
VOLATILITY = {Board.MAIN: 0.017, Board.CHINEXT: 0.022, Board.STAR: 0.024, Board.BSE: 0.028}
INDEX = ("999001.SIM", "样本综合指数")
INDEX_BASE = 3000.0
INDEX_WICK = 0.2
SEEDS = 400
STRIDE = 7  # neighbours in the list get unlike recipes; the first keeps the first
LOCKED_DAYS = range(300, 306)
SUSPENDED_DAYS = range(330, 362)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What a stock's chart shows at its end.

    Attributes:
        draw: the path of a seed at a daily volatility.
        fits: whether the reading is what was meant.
        locked: one-price bars at the upper limit on `LOCKED_DAYS`.
        suspended: no bars on `SUSPENDED_DAYS`.
    """

    draw: Callable[[int, float], Prices]
    fits: Callable[[Reading], bool]
    locked: bool = False
    suspended: bool = False


def structure(pattern: Pattern, until: EventKind | None, after: int, phase: Phase, *need: EventKind) -> Recipe:
    """A structure cut some bars after an event, read in a phase with the needed kinds of events still holding."""

    def draw(seed: int, volatility: float) -> Prices:
        return structure_path(pattern, seed, until=until, after=after, total=DAYS, volatility=volatility)

    def fits(reading: Reading) -> bool:
        held = {event.kind for event in reading.events if event.index > DAYS - 200 and event.invalidated_at is None}
        state = reading.phase
        right = state.structure is not None and state.structure.is_accumulation == (pattern == "accumulation")
        return right and state.phase is phase and held.issuperset(need)

    return Recipe(draw=draw, fits=fits)


def failing(pattern: Pattern) -> Recipe:
    """A structure that breaks the wrong way after its tests."""

    def draw(seed: int, volatility: float) -> Prices:
        drift = -0.7 * volatility if pattern == "accumulation" else 0.7 * volatility
        tail = noise_path(seed + 7, 22, drift=drift, volatility=0.7 * volatility)
        base = structure_path(pattern, seed, until=EventKind.ST, after=1, total=DAYS - len(tail), volatility=volatility)
        return base.then(tail)

    return Recipe(draw=draw, fits=lambda reading: reading.phase.phase is Phase.FAILED)


def walk(drift: float, *, locked: bool = False, suspended: bool = False) -> Recipe:
    """A random walk with a daily drift in volatilities, without a range at its end."""

    def draw(seed: int, volatility: float) -> Prices:
        return noise_path(seed, DAYS, drift=drift * volatility, volatility=volatility)

    def fits(reading: Reading) -> bool:
        trend = {True: "up", False: "down"}[drift > 0] if drift else "sideways"
        return reading.range is None and reading.phase.phase is Phase.NONE and reading.trend == trend

    return Recipe(draw=draw, fits=fits, locked=locked, suspended=suspended)


K = EventKind
ACCUMULATION: tuple[Recipe, ...] = (
    structure("accumulation", K.SC, 9, Phase.A, K.SC),
    structure("accumulation", K.AR, 7, Phase.A, K.SC, K.AR),
    structure("accumulation", K.ST, 5, Phase.B, K.SC, K.AR, K.ST),
    structure("accumulation", K.ST, 16, Phase.B, K.ST),
    structure("accumulation", K.SPRING, 1, Phase.C, K.SPRING),
    structure("accumulation", K.SPRING, 3, Phase.C, K.SPRING),
    structure("accumulation", K.TEST, 2, Phase.C, K.SPRING, K.TEST),
    structure("accumulation", K.SOS, 0, Phase.D, K.SPRING, K.SOS),
    structure("accumulation", K.SOS, 2, Phase.D, K.SOS),
    structure("accumulation", K.LPS, 3, Phase.D, K.SPRING, K.SOS, K.LPS),
    structure("accumulation", K.LPS, 14, Phase.E, K.SOS, K.LPS),
    structure("accumulation", K.LPS, 18, Phase.E, K.SOS),
    failing("accumulation"),
    failing("accumulation"),
)
DISTRIBUTION: tuple[Recipe, ...] = (
    structure("distribution", K.SC, 9, Phase.A, K.BC),
    structure("distribution", K.AR, 7, Phase.A, K.BC, K.AR),
    structure("distribution", K.ST, 5, Phase.B, K.BC, K.AR, K.ST),
    structure("distribution", K.SPRING, 1, Phase.C, K.UTAD),
    structure("distribution", K.SPRING, 4, Phase.C, K.UTAD),
    structure("distribution", K.SOS, 1, Phase.D, K.UTAD, K.SOW),
    structure("distribution", K.LPS, 3, Phase.D, K.UTAD, K.SOW, K.LPSY),
    structure("distribution", K.LPS, 14, Phase.E, K.SOW, K.LPSY),
    structure("distribution", K.LPS, 16, Phase.E, K.SOW),
    failing("distribution"),
)
TEXTBOOK = structure("accumulation", K.LPS, 2, Phase.D, K.SC, K.AR, K.ST, K.SPRING, K.TEST, K.SOS)
RECIPES: tuple[Recipe, ...] = (
    TEXTBOOK,
    *ACCUMULATION,
    *DISTRIBUTION,
    *(walk(0.09) for _ in range(8)),
    *(walk(-0.07) for _ in range(7)),
    walk(0.0, locked=True),
    walk(0.0, suspended=True),
    *(walk(0.0) for _ in range(18)),
)
STOCKS = {
    "机械": ("云溪股份", "栖岚重工", "凌霄装备", "衡皋机械", "清渠仪器", "知微检测", "伏波船舶", "惊蛰机器"),
    "软件": ("澜石科技", "墨原软件", "玄圃软件", "观澜数据"),
    "电子": ("松岭电子", "星渚光电", "燧明照明", "瀛洲芯片", "溯光激光"),
    "食品饮料": ("青禾食品", "沐原乳品", "听泉酒业", "立夏冷饮"),
    "新材料": ("远岫材料", "梧野建材", "镜湖玻璃", "南浦陶瓷"),
    "医药": ("鹿鸣医药", "素问生物", "空桑药业"),
    "新能源": ("霁川能源", "扶桑电力", "北辰储能"),
    "交通运输": ("沧屿航运", "归鸿物流", "岱屿港务", "九皋航空", "寒露冷链", "雨燕轨交"),
    "家居": ("竹屿家居", "霜序制冷"),
    "传媒教育": ("砚田教育", "云杪传媒", "锦瑟影视", "西岭旅游"),
    "有色金属": ("苍梧矿业", "青崖铜业"),
    "化工": ("丹崖化工", "汀兰日化", "芷江纸业"),
    "农业": ("拾穗农业", "谷雨种业", "东篱园艺"),
    "环保": ("澄怀环保", "枕流水务"),
    "通信": ("望舒通信",),
    "纺织服饰": ("朝槿服饰", "漱玉珠宝", "长汀纺织"),
    "房地产": ("璟河地产",),
    "汽车": ("鸣皋汽车",),
    "钢铁": ("白石钢业",),
}  # industry: names
NAMES = tuple(name for names in STOCKS.values() for name in names)
INDUSTRIES = tuple(industry for industry, names in STOCKS.items() for _ in names)
PREFIXES = ("608", "009", "309", "689", "608", "009", "309", "608", "889", "009")  # main twice as often


def main(argv: list[str] | None = None) -> int:
    """Write the files and say what is in them."""
    parser = argparse.ArgumentParser(description="Build the sample market.")
    parser.add_argument("--out", type=Path, default=ROOT / "resources" / "sample_market")
    parser.add_argument("--listed", type=Path, help="CSV of listed companies with columns code and name")
    options = parser.parse_args(argv)
    symbols = [f"{PREFIXES[at % len(PREFIXES)]}{101 + at}.SIM" for at in range(len(NAMES))]
    if options.listed:
        refuse_listed(options.listed, symbols)
    calendar = trading_days()
    stocks = [build(symbol, RECIPES[at * STRIDE % len(RECIPES)], calendar) for at, symbol in enumerate(symbols)]
    stocks.append(index_of(stocks))
    options.out.mkdir(parents=True, exist_ok=True)
    write_instruments(options.out / "instruments.csv", symbols)
    np.savez_compressed(
        options.out / "bars.npz",
        days=calendar.astype(np.int32),
        ticks=np.stack([stock.ticks for stock in stocks]).astype(np.int32),
        lots=np.stack([stock.lots for stock in stocks]).astype(np.int32),
        amount=np.stack([stock.amount for stock in stocks]),
    )
    sizes = [f"{file.name} {file.stat().st_size:,}" for file in sorted(options.out.glob("*.*"))]
    print(f"{len(stocks)} instruments, {DAYS} days to {LAST_DAY}: {', '.join(sizes)} bytes")
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Daily:
    """One instrument on the market's days: `ticks` (d, 4), hundredths of a yuan, 0 where absent; `lots` (d,); `amount` (d,) yuan."""

    ticks: Ints
    lots: Ints
    amount: Ints


def trading_days() -> NDArray[np.int64]:
    """The last 500 trading days as days since 1970."""
    closed = [date.fromisoformat(first) + timedelta(days=day) for first, count in HOLIDAYS for day in range(count)]
    last = np.datetime64(LAST_DAY, "D")
    open_days = np.busday_offset(last, np.arange(1 - DAYS, 1), holidays=days(closed))
    return open_days.astype("datetime64[D]").astype(np.int64)


def build(symbol: str, recipe: Recipe, calendar: Ints) -> Daily:
    """The first draw of a recipe that reads as meant."""
    board = board_of(symbol)
    start = zlib.crc32(symbol.encode()) % 100_000
    for seed in range(start, start + SEEDS):
        path = recipe.draw(seed, VOLATILITY[board])
        daily = traded(path, seed, recipe, LIMIT_PERCENT[board])
        if recipe.fits(analyze(as_bars(symbol, daily, calendar), limit_ratio=LIMIT_PERCENT[board] / 100)):
            return daily
    raise SystemExit(f"no draw for {symbol} fits its recipe")


def traded(path: Prices, seed: int, recipe: Recipe, percent: int) -> Daily:
    """A path as it would have traded: whole ticks inside the daily limits, whole lots."""
    rng = np.random.default_rng(seed + 1)
    price, usual = math.exp(float(rng.uniform(1.9, 3.9))), float(rng.uniform(0.8, 6.0)) * 1e5
    logs = np.stack([path.open, path.high, path.low, path.close], axis=1)
    if recipe.locked:
        lift_locked(logs, percent)
    if recipe.suspended:
        hold_suspended(logs)
    ticks = within_limits(np.exp(logs - logs[-1, 3]) * price * 100, percent)
    lots = np.maximum(np.round(path.volume * usual), 1).astype(np.int64)
    if recipe.locked:
        lots[LOCKED_DAYS.start : LOCKED_DAYS.stop] //= 20
    if recipe.suspended:
        ticks[SUSPENDED_DAYS.start : SUSPENDED_DAYS.stop] = 0
        lots[SUSPENDED_DAYS.start : SUSPENDED_DAYS.stop] = 0
    return Daily(ticks=ticks, lots=lots, amount=turnover(ticks, lots))


def lift_locked(logs: NDArray[np.float64], percent: int) -> None:
    """Put a run of one-price days at the upper limit into a path, in place; all that follows stands higher."""
    step = math.log(1 + percent / 100)
    for day in LOCKED_DAYS:
        logs[day] = logs[day - 1, 3] + step
    last = LOCKED_DAYS.stop
    shift = logs[last - 1, 3] - logs[last, 0]
    logs[last:] += shift


def hold_suspended(logs: NDArray[np.float64]) -> None:
    """Let a path stand still while its stock is suspended, in place; trade resumes from the last close."""
    first, stop = SUSPENDED_DAYS.start, SUSPENDED_DAYS.stop
    logs[stop:] += logs[first - 1, 3] - logs[stop - 1, 3]
    logs[first:stop] = logs[first - 1, 3]


def within_limits(wanted: NDArray[np.float64], percent: int) -> Ints:
    """Ticks (d, 4) that follow the wanted ones inside the limits of each day's previous close, rounded half up."""
    ticks = np.round(wanted).astype(np.int64)
    for day in range(1, len(ticks)):
        close = int(ticks[day - 1, 3])
        top, bottom = (close * (100 + percent) + 50) // 100, (close * (100 - percent) + 50) // 100
        ticks[day] = np.clip(ticks[day], bottom, top)
    ticks[:, 1], ticks[:, 2] = ticks.max(axis=1), ticks.min(axis=1)
    return ticks


def turnover(ticks: Ints, lots: Ints) -> Ints:
    """Amount in yuan at a typical price of the day: lots of 100 shares at hundredths of a yuan."""
    return np.asarray((ticks.sum(axis=1) * lots + 2) // 4, dtype=np.int64)


def as_bars(symbol: str, daily: Daily, calendar: Ints) -> Bars:
    """The days with a price as bars."""
    there = daily.ticks[:, 0] > 0
    prices = daily.ticks[there] / 100
    return Bars(
        symbol=symbol,
        dates=calendar[there].astype("datetime64[D]"),
        open=prices[:, 0],
        high=prices[:, 1],
        low=prices[:, 2],
        close=prices[:, 3],
        volume=daily.lots[there].astype(np.float64) * 100,
        amount=daily.amount[there].astype(np.float64),
        adjust="qfq",
        source="",
    )


def index_of(stocks: list[Daily]) -> Daily:
    """The index: every day the mean of its stocks' moves against their last close.

    Stocks do not reach their highs in the same minute, so its wicks are `INDEX_WICK` of the mean ones.
    """
    value, before = INDEX_BASE, np.stack([stock.ticks[0, 3] for stock in stocks]).astype(np.float64)
    ticks = np.empty((DAYS, 4), dtype=np.int64)
    for day in range(DAYS):
        today = np.stack([stock.ticks[day] for stock in stocks])
        there = today[:, 0] > 0
        first, high, low, last = value * (today[there] / before[there, None]).mean(axis=0)
        top, bottom = max(first, last), min(first, last)
        wicks = (top + INDEX_WICK * (high - top), bottom - INDEX_WICK * (bottom - low))
        ticks[day] = np.round(np.array([first, *wicks, last]) * 100)
        value, before[there] = float(last), today[there, 3]
    lots = np.sum([stock.lots for stock in stocks], axis=0)
    return Daily(ticks=ticks, lots=lots, amount=np.sum([stock.amount for stock in stocks], axis=0))


def write_instruments(file: Path, symbols: Iterable[str]) -> None:
    """`instruments.csv`: symbol, name, kind, industry, in the order of the arrays."""
    rows = [
        (symbol, name, "stock", industry) for symbol, name, industry in zip(symbols, NAMES, INDUSTRIES, strict=True)
    ]
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("symbol", "name", "kind", "industry"))
        writer.writerows([*rows, (*INDEX, "index", "")])


def refuse_listed(listed: Path, symbols: list[str]) -> None:
    """Stop when an id or a name belongs to a listed company."""
    with listed.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    taken = {row["code"] for row in rows} | {row["name"] for row in rows}
    ours = {symbol.partition(".")[0] for symbol in (*symbols, INDEX[0])} | {*NAMES, INDEX[1]}
    if taken & ours:
        raise SystemExit(f"listed already: {sorted(taken & ours)}")


if __name__ == "__main__":
    raise SystemExit(main())
