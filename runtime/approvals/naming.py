"""Whether a question named an action: what is done, to which stock, with which numbers, each in its place.

Strict on purpose: what a question left open, the person has not agreed to. A refusal costs one more question.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from runtime.core.approvals import ApprovalRequest
from runtime.core.json import JsonValue

_NUMBER: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(股|手|shares?\b)?", re.IGNORECASE)
_SHARES_BEFORE: Final = re.compile(r"(?:股数|数量|shares)\s*(?:[:=]|为|是)?\s*(\d+)", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"[。;\n]|\.\s")
_SHARES_A_LOT: Final = 100
_NO_FIGURES: Final = frozenset({"symbol", "code", "name", "date", "buy_dt"})  # checked as a stock, or no figure

_BUY: Final = re.compile(r"买|加仓|建仓|补仓|\bbuy", re.IGNORECASE)
_SELL: Final = re.compile(r"卖|减仓|清仓|\bsell", re.IGNORECASE)
_CASH: Final = re.compile(r"现金|资金|余额|\bcash", re.IGNORECASE)
_STOP: Final = re.compile(r"止损|\bstop", re.IGNORECASE)
_TAKE_AWAY: Final = re.compile(r"取消|清除|撤|去掉|删|移除|\b(?:clear|cancel|remove|delete)", re.IGNORECASE)
_ADD: Final = re.compile(r"录入|登记|记录|添加|加入|\b(?:add|record)", re.IGNORECASE)
_UPDATE: Final = re.compile(r"更正|修改|更新|改|调整|\b(?:update|correct|change)", re.IGNORECASE)


def names(question: str, request: ApprovalRequest) -> bool:
    """Whether a question names the action, the stocks (code or name) and every number of a request."""
    text = unicodedata.normalize("NFKC", question).replace(",", "")
    positions = request.preview.positions if request.preview is not None else ()
    stocks = all(change.symbol.partition(".")[0] in text or change.name in text for change in positions)
    return stocks and _names_action(text, request) and _names_numbers(text, request)


def _names_action(text: str, request: ApprovalRequest) -> bool:
    args = request.args
    match request.tool, args.get("side") or args.get("action"):
        case "record_trade_fill", side:
            own, other = (_BUY, _SELL) if side == "buy" else (_SELL, _BUY)
            about = " ".join(part for part in _SENTENCE_END.split(text) if _shares(part) & _wanted_shares(args))
            return own.search(about) is not None and other.search(about) is None
        case "update_portfolio", "set_cash":
            wanted = [_CASH]
        case "update_portfolio", "remove":
            wanted = [_TAKE_AWAY]
        case "update_portfolio", action:
            wanted = [_ADD if action == "add" else _UPDATE]
        case "set_stop_loss", _:
            wanted = [_STOP]
        case _:  # a tool that nobody taught us: its own name has to be there
            return request.tool in text or request.display_name in text
    if _clears_stop(args):
        wanted += [_STOP, _TAKE_AWAY]
    return all(word.search(text) for word in wanted)


def _names_numbers(text: str, request: ApprovalRequest) -> bool:
    """Share counts among the numbers with that unit, all others among the rest; the price of an estimated trade too."""
    shares, others = _shares(text), _others(text)
    wanted = set(_numbers(request.args))
    preview = request.preview
    counts = _wanted_shares(request.args)
    if preview is not None and preview.order_value is not None and "price" not in request.args and counts:
        wanted.add(round(float(preview.order_value) / sum(counts), 4))
    return counts <= shares and wanted <= others


def _shares(text: str) -> set[float]:
    counts = {float(number) * (_SHARES_A_LOT if unit == "手" else 1) for number, unit in _NUMBER.findall(text) if unit}
    return counts | {float(number) for number in _SHARES_BEFORE.findall(text)}


def _others(text: str) -> set[float]:
    return {float(number) for number, unit in _NUMBER.findall(text) if not unit}


def _wanted_shares(value: JsonValue) -> set[float]:
    """Every `shares` in the arguments, at any depth."""
    match value:
        case dict():
            own = {float(value["shares"])} if isinstance(value.get("shares"), int) else set()  # type: ignore[arg-type]
            return own.union(*(_wanted_shares(item) for item in value.values()))
        case list():
            return set[float]().union(*(_wanted_shares(item) for item in value))
        case _:
            return set()


def _clears_stop(value: JsonValue) -> bool:
    """Whether a stop is taken away anywhere in the arguments."""
    match value:
        case dict():
            cleared = "stop_loss" in value and value["stop_loss"] is None
            return cleared or any(_clears_stop(item) for item in value.values())
        case list():
            return any(_clears_stop(item) for item in value)
        case _:
            return False


def _figure(text: str) -> list[float]:
    try:
        return [float(text)]
    except ValueError:
        return []


def _numbers(value: JsonValue) -> list[float]:
    """Every other number in the arguments, at any depth. Exact decimals come as texts; texts that are no figures are left out."""
    match value:
        case bool() | None:
            return []
        case int() | float():
            return [float(value)]
        case str():
            return _figure(value)
        case list():
            return [number for item in value for number in _numbers(item)]
        case dict():
            named = (item for name, item in value.items() if name not in _NO_FIGURES and name != "shares")
            return [number for item in named for number in _numbers(item)]
