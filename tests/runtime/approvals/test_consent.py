"""What counts as a typed consent, and which action it covers."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from runtime.approvals.consent import ConsentBook, is_affirmative
from runtime.core.approvals import ApprovalRequest, PortfolioPreview, PositionChange
from runtime.core.json import JsonObject
from tests.support.cases import Case, cases_of, needs_cases

BUY: JsonObject = {"side": "buy", "symbol": "608101.SIM", "shares": 100, "price": "10.50"}
ASKED = "要买入 云溪股份（608101.SIM）100 股，价格 10.5 元吗？"


def a_request(args: JsonObject, tool: str = "record_trade_fill", order_value: str | None = None) -> ApprovalRequest:
    preview = PortfolioPreview(
        headline="",
        positions=(PositionChange(symbol="608101.SIM", name="云溪股份", before=None, after=None),),
        cash_before=None,
        cash_after=None,
        fees=None,
        price_as_of=None,
        price_source="",
        order_value=None if order_value is None else Decimal(order_value),
        equity_before=None,
        notices=(),
        version=0,
    )
    return ApprovalRequest(
        id="r",
        call_id="c",
        tool=tool,
        display_name="登记",
        args=args,
        preview=preview,
        risk="low",
        risk_reason="",
        pattern={},
        always_offered=True,
        always_text="",
    )


def covers(question: str, args: JsonObject, tool: str = "record_trade_fill", answer: str = "可以") -> bool:
    book = ConsentBook()
    book.record(question, answer)
    return book.use_for(a_request(args, tool))


@needs_cases
@pytest.mark.parametrize("case", cases_of("approval.affirmative"), ids=lambda case: case.id)
def test_observed_answers_are_judged_as_observed(case: Case) -> None:
    assert is_affirmative(str(case.input["answer"])) is case.expected


@pytest.mark.parametrize(
    "answer",
    [
        "可以", "好", "好的", "好吧", "行", "行。", "嗯", "嗯嗯", "是的", "对", "要", "确认", "同意", "执行吧", "继续", "没问题",
        "可以，买吧", "好，就这样", "行，按你说的办", "确认买入", "好买吧", "ＯＫ", "Ok!", "yes", "Yes, please", "y", "go ahead",
        "confirm it", "no problem",
    ],
)  # fmt: skip
def test_a_plain_yes_consents(answer: str) -> None:
    assert is_affirmative(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "", "  ", "不", "不行", "不可以", "不同意", "先不要", "先不要执行", "别买", "算了", "取消", "等等", "停", "否", "no", "No, thanks",
        "don't", "not yes", "cancel", "wait", "know", "不是的，不要",
    ],
)  # fmt: skip
def test_a_negation_wins_over_everything(answer: str) -> None:
    assert not is_affirmative(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "可以吗", "可以吗？", "可以？我想想", "确认什么",
        "是多少钱", "要多少", "行情如何", "行情", "好像太贵", "好贵", "要是跌了", "对了看大盘",
        "可以的话晚点",
        "如果跌到 9 元就可以", "可以，但只买一半", "好的，换一只", "先分析", "继续分析", "继续说", "确认一下价格", "yes, but later",
        "ok what is the price", "是云溪股份", "要跌", "why", "maybe yes",
    ],
)  # fmt: skip
def test_questions_conditions_and_other_talk_are_no_consent(answer: str) -> None:
    assert not is_affirmative(answer)


def test_the_named_action_is_covered_once() -> None:
    book = ConsentBook()
    assert book.record(ASKED, "可以")
    assert book.use_for(a_request(BUY))
    assert not book.use_for(a_request(BUY))


@pytest.mark.parametrize(
    "change",
    [{"shares": 1000}, {"price": "10.6"}, {"price": "1.05E+2"}, {"side": "sell"}, {"shares": 10, "price": "100"}],
    ids=str,
)
def test_another_quantity_price_or_side_is_not_covered(change: JsonObject) -> None:
    assert not covers(ASKED, BUY | change)


def test_another_stock_is_not_covered() -> None:
    book = ConsentBook()
    book.record(ASKED, "可以")
    request = a_request(BUY)
    assert request.preview is not None
    other = PositionChange(symbol="608102.SIM", name="别的股份", before=None, after=None)
    assert not book.use_for(replace(request, preview=replace(request.preview, positions=(other,))))
    assert book.use_for(request)


def test_numbers_do_not_change_places() -> None:
    asked = "买入云溪股份 100 股，价格 10 元？"
    assert covers(asked, BUY | {"price": "10"})
    assert not covers(asked, BUY | {"shares": 10, "price": "100"})


@pytest.mark.parametrize(
    "asked",
    ["买入云溪股份 1 手，10.5 元？", "买入云溪股份，数量：100，价格 10.5？", "Buy 云溪股份: 100 shares at 10.5?"],
)
def test_a_question_may_count_in_lots_or_in_english(asked: str) -> None:
    assert covers(asked, BUY)


def test_an_estimated_price_has_to_be_named_too() -> None:
    args: JsonObject = {"side": "buy", "symbol": "608101.SIM", "shares": 100}
    book = ConsentBook()
    book.record("买入云溪股份 100 股，10 元？", "可以")
    assert not book.use_for(a_request(args, order_value="1050.00"))
    book.record("买入云溪股份 100 股，按最近收盘价 10.5 元？", "可以")
    assert book.use_for(a_request(args, order_value="1050.00"))


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("update_portfolio", {"action": "remove", "symbol": "608101.SIM"}),
        ("set_stop_loss", {"symbol": "608101.SIM", "stop_loss": None}),
        ("update_portfolio", {"action": "update", "symbol": "608101.SIM", "stop_loss": None}),
        ("unheard_of", {"symbol": "608101.SIM"}),
    ],
)
def test_a_yes_to_an_innocent_question_about_the_stock_covers_no_action(tool: str, args: JsonObject) -> None:
    assert not covers("要我继续看云溪股份吗？", args, tool, answer="继续")


def test_actions_without_numbers_are_covered_when_they_are_named() -> None:
    remove: JsonObject = {"action": "remove", "symbol": "608101.SIM"}
    assert covers("删除持仓记录 云溪股份（608101.SIM）（不是卖出，不动现金）？", remove, "update_portfolio")
    clear: JsonObject = {"symbol": "608101.SIM", "stop_loss": None}
    assert covers("取消 云溪股份（608101.SIM）的止损？", clear, "set_stop_loss")
    assert not covers("云溪股份止损设为 9 元？", clear, "set_stop_loss")


def test_cash_is_covered_only_by_a_question_about_cash() -> None:
    args: JsonObject = {"action": "set_cash", "free_cash": "3"}
    assert covers("把云溪股份账户的可用现金设为 3 元？", args, "update_portfolio")
    assert not covers("要看云溪股份排第 3 的原因吗？", args, "update_portfolio")


def test_every_holding_of_a_batch_has_to_be_named() -> None:
    items: JsonObject = {"action": "add", "items": [{"symbol": "x", "shares": 100, "cost_price": "9"}, {"shares": 200}]}
    assert covers("录入云溪股份 100 股，成本 9 元，另 200 股？", items, "update_portfolio")
    assert not covers("录入云溪股份 100 股，成本 9 元？", items, "update_portfolio")


def test_an_answer_with_a_number_of_its_own_is_another_wish() -> None:
    assert covers(ASKED, BUY, answer="可以，100 股")
    assert not covers(ASKED, BUY, answer="可以，50 股")


def test_a_newer_answer_takes_the_place_of_an_older_one() -> None:
    book = ConsentBook()
    book.record(ASKED, "可以")
    book.record("要看大盘吗？", "不用")
    assert not book.use_for(a_request(BUY))


def test_without_an_answer_nothing_is_covered() -> None:
    assert not ConsentBook().use_for(a_request(BUY))
