"""What a person is asked before a write, and what they answered.

A request carries everything that a surface shows: the action in words, the risk and why, the preview. The decision says who decided.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal, TypeAlias

from runtime.core.json import JsonObject

Risk: TypeAlias = Literal["low", "medium", "high"]
Choice: TypeAlias = Literal["allow", "always", "modify", "deny", "unanswered"]
RuleScope: TypeAlias = Literal["conversation", "forever"]
Severity: TypeAlias = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something the person should know before deciding. `error` notices make the action impossible as it stands."""

    code: str
    text: str
    severity: Severity = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionState:
    """One side of a position's row: None = not held, or unknown.

    Attributes:
        shares: held shares.
        cost: average cost, yuan a share.
        stop_loss: yuan a share; None = no stop.
        value: market value, yuan.
        weight: share of equity, 0..1; None while cash is unknown.
    """

    shares: int
    cost: Decimal | None
    stop_loss: Decimal | None
    value: Decimal | None
    weight: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionChange:
    """A position before and after; None = not held."""

    symbol: str
    name: str
    before: PositionState | None
    after: PositionState | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fees:
    """Costs of a trade in yuan."""

    commission: Decimal
    stamp_duty: Decimal
    transfer_fee: Decimal

    @property
    def total(self) -> Decimal:
        """All of them."""
        return self.commission + self.stamp_duty + self.transfer_fee


@dataclass(frozen=True, slots=True, kw_only=True)
class PortfolioPreview:
    """What a portfolio write would change.

    Attributes:
        headline: the action in one sentence.
        positions: every touched position.
        cash_before: yuan; None = never set, unknown.
        cash_after: yuan; None = unknown.
        fees: of a trade; None where the action is no trade.
        price_as_of: day of the prices used for values; None when no price was needed or known.
        price_source: where those prices came from.
        order_value: yuan that a trade moves, without fees.
        equity_before: cash plus market value; None while either is unknown.
        notices: warnings and errors.
        version: version of the portfolio that was read; applying needs the same.
    """

    kind: Literal["portfolio"] = "portfolio"
    headline: str
    positions: tuple[PositionChange, ...]
    cash_before: Decimal | None
    cash_after: Decimal | None
    fees: Fees | None
    price_as_of: date | None
    price_source: str
    order_value: Decimal | None
    equity_before: Decimal | None
    notices: tuple[Notice, ...]
    version: int

    @property
    def blocked(self) -> bool:
        """Whether the action cannot be applied as it stands."""
        return any(notice.severity == "error" for notice in self.notices)


ActionPreview: TypeAlias = PortfolioPreview


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """A write that waits for a decision.

    Attributes:
        id: id of the request.
        call_id: the tool call behind it.
        tool: name of the tool.
        display_name: its name for the person.
        args: the validated arguments.
        preview: what would change; None where the tool has no preview.
        risk: graded by code.
        risk_reason: why, in words.
        pattern: what a rule for this kind of action matches, for example the side and the stock of a trade.
        always_offered: whether the person may choose "always".
        always_text: the pattern in words, or why "always" is not offered.
    """

    id: str
    call_id: str
    tool: str
    display_name: str
    args: JsonObject
    preview: ActionPreview | None
    risk: Risk
    risk_reason: str
    pattern: JsonObject
    always_offered: bool
    always_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalDecision:
    """The answer to a request.

    Attributes:
        request_id: the request.
        choice: what was decided; `unanswered` is no denial.
        args: the arguments to run with, changed by `modify`; None when nothing runs.
        scope: how far an `always` reaches.
        reason: a person's reason for a denial.
        decided_by: `person`, `rule:<id>`, `run:always`, `run:never`, `consent`, `no-approver`.
    """

    request_id: str
    choice: Choice
    args: JsonObject | None = None
    scope: RuleScope | None = None
    reason: str = ""
    decided_by: str = "person"
