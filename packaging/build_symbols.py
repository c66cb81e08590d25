"""Build `resources/symbols/a_shares.csv`: code, name, listing day, short form and pinyin of every A-share.

Input is the table that the package `adata` (Apache-2.0) ships; pinyin comes from `pypinyin` (MIT), and `jieba` (MIT) tells which short
forms are ordinary words. Run it in an environment that has them:

    python -m pip install pypinyin==0.55.0 jieba==0.42.1
    python -m pip download --no-deps --dest DIR adata==2.9.5
    python packaging/build_symbols.py DIR/adata-2.9.5-py3-none-any.whl
"""

from __future__ import annotations

import csv
import io
import sys
import unicodedata
import zipfile
from collections import Counter
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "resources" / "symbols" / "a_shares.csv"
MEMBER = "adata/stock/cache/code.csv"
EXCHANGES = {"60": "SH", "68": "SH", "00": "SZ", "30": "SZ", "43": "BJ", "83": "BJ", "87": "BJ", "92": "BJ"}
# Leading place names and trailing generic words that people leave out: 贵州茅台 → 茅台, 平安银行 → 平安.
PLACES = (
    "中国 北京 上海 天津 重庆 河北 河南 云南 辽宁 黑龙江 湖南 安徽 山东 新疆 江苏 浙江 江西 湖北 广西 甘肃 山西 内蒙 陕西 吉林 福建 贵州 "
    "广东 青海 西藏 四川 宁夏 海南 深圳 广州 杭州 南京 苏州 宁波 厦门 青岛 大连 泸州 洋河 海天"
).split()
GENERIC = (
    "股份 科技 集团 银行 证券 电子 能源 保险 药业 绿能 时代 控股 医疗 医药 材料 技术 信息 实业 发展 工业 光能".split()
)


def main(wheel: Path) -> None:
    """Write the table."""
    import jieba

    jieba.setLogLevel(60)
    jieba.initialize()
    with zipfile.ZipFile(wheel) as archive:
        rows = list(csv.DictReader(io.StringIO(archive.read(MEMBER).decode("utf-8"))))
    stocks = [(row["stock_code"], tidy(row["short_name"]), row["list_date2"]) for row in rows]
    stocks = [stock for stock in stocks if stock[0][:2] in EXCHANGES]
    taken = Counter(name for _, name, _ in stocks)
    shorts = {code: [short for short in short_forms(name) if short not in taken] for code, name, _ in stocks}
    ordinary = {short for found in shorts.values() for short in found if is_word(short, jieba.dt.FREQ)}
    with TARGET.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("symbol", "name", "listed", "shorts", "initials", "pinyin"))
        for code, name, listed in sorted(stocks):
            kept = [short for short in shorts[code] if short not in ordinary]
            writer.writerow((f"{code}.{EXCHANGES[code[:2]]}", name, listed, "|".join(kept), initials(name), full(name)))
    print(f"{len(stocks)} stocks written to {TARGET}")


def tidy(name: str) -> str:
    """A name without full-width letters and inner spaces."""
    return "".join(unicodedata.normalize("NFKC", name).split())


def short_forms(name: str) -> list[str]:
    """What people may call a stock: the name without its leading place or without its trailing generic word."""
    forms = [name.removeprefix(place) for place in PLACES if name.startswith(place)]
    forms += [name.removesuffix(word) for word in GENERIC if name.endswith(word)]
    return sorted({form for form in forms if len(form) >= 2 and form.isalnum() and not form.isascii()})


# Names of companies that are frequent in ordinary text and still mean the company.
WELL_KNOWN = frozenset("茅台 汾酒 老窖 中信 招商 海通 格力 兴业".split())


def is_word(short: str, frequencies: dict[str, int]) -> bool:
    """Whether a short form is an ordinary word, by its count in jieba's corpus; names of companies mostly stay below."""
    if short in WELL_KNOWN:
        return False
    return frequencies.get(short, 0) > 60 or short in PLACES or short in GENERIC


def initials(name: str) -> str:
    """First letters of the pinyin: 贵州茅台 → gzmt."""
    from pypinyin import Style, lazy_pinyin

    return "".join(lazy_pinyin(name, style=Style.FIRST_LETTER)).lower().strip("*")


def full(name: str) -> str:
    """The whole pinyin without tones: 贵州茅台 → guizhoumaotai."""
    from pypinyin import lazy_pinyin

    return "".join(lazy_pinyin(name)).lower().strip("*")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
