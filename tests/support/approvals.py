"""Requests as the runtime makes them, and a person's change of them without a runtime."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from runtime.approvals.broker import Edit
from runtime.core.approvals import (
    ApprovalRequest,
    Fees,
    PortfolioPreview,
    PositionChange,
    PositionState,
    Risk,
)
from runtime.core.json import JsonObject
from runtime.errors import ModelFacingError

PRICE = Decimal("7.70")


def preview_of(shares: int, *, version: int = 1) -> PortfolioPreview:
    """A purchase of so many shares of a stock that is not held."""
    value = PRICE * shares
    after = PositionState(shares=shares, cost=PRICE, stop_loss=None, value=value, weight=float(value / 100_000))
    return PortfolioPreview(
        headline=f"买入 云溪股份 {shares} 股",
        positions=(PositionChange(symbol="608101.SIM", name="云溪股份", before=None, after=after),),
        cash_before=Decimal(100_000),
        cash_after=Decimal(100_000) - value,
        fees=Fees(commission=Decimal(5), stamp_duty=Decimal(0), transfer_fee=Decimal("0.08")),
        price_as_of=None,
        price_source="",
        order_value=value,
        equity_before=Decimal(100_000),
        notices=(),
        version=version,
    )


def request_of(
    number: str = "r1", *, shares: int = 300, version: int = 1, always: bool = True, risk: Risk = "medium"
) -> ApprovalRequest:
    """A request to record a purchase."""
    args: JsonObject = {"side": "buy", "symbol": "608101.SIM", "shares": shares, "price": 7.7}
    return ApprovalRequest(
        id=number,
        call_id=f"call-{number}",
        tool="record_trade_fill",
        display_name="登记成交",
        args=args,
        preview=preview_of(shares, version=version),
        risk=risk,
        risk_reason="金额不超过总资产的 5%",
        pattern={"side": "buy"},
        always_offered=always,
        always_text="买入，单笔不超过总资产的 5%",
    )


def lots_only(request: ApprovalRequest) -> Edit:
    """Judges changed arguments as the tool would: whole lots of a hundred; a large order is a high risk."""

    async def edit(args: JsonObject) -> ApprovalRequest:
        shares = args.get("shares")
        if not isinstance(shares, int) or shares % 100:
            raise ModelFacingError("tools.not_possible", code="not_possible", detail=f"{shares} 股不是整手")
        risk: Risk = "high" if shares > 1000 else "medium"
        return replace(request, args=args, preview=preview_of(shares), risk=risk, always_offered=False)

    return edit
