"""Writes through the whole runtime: what each decision does to the ledger, and what the model is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from runtime.agent.turn import Surface
from runtime.approvals.broker import Approver, Edit
from runtime.core.approvals import ApprovalDecision, ApprovalRequest
from runtime.core.events import ApprovalRequested, ApprovalResolved
from runtime.core.json import JsonObject
from runtime.paths import Home
from runtime.portfolio.operations import SetCash
from runtime.storage.schema import approval_log
from runtime.workspace import Workspace
from tests.support.desks import SAMPLE_STOCK, ScriptedApprover, done, open_desk, run_turn
from tests.support.money import buy, held, last_price, once, rows, told, with_cash
from tests.support.scripted import call, calls
from tests.support.turns import envelopes, error_code, of


async def test_allow_writes_what_was_previewed_and_logs_who_decided(home: Home) -> None:
    provider, person = once(buy(100)), ScriptedApprover("allow")
    async with open_desk(home, provider) as desk:
        await with_cash(desk)
        price = await last_price(desk)
        provider._replies[0] = calls(call("record_trade_fill", buy(100, price)))
        envelope = await told(provider, desk, Surface(approver=person))
        log = await rows(desk, approval_log)
        assert await held(desk) == 100
    assert envelope["ok"] is True
    assert envelope["approval"] == {"choice": "allow", "decided_by": "person"}
    assert [(row.choice, row.decided_by) for row in log] == [("allow", "person")]  # type: ignore[attr-defined]
    preview = person.asked[0].preview
    assert preview is not None
    assert preview.order_value == price * 100


async def test_deny_leaves_the_ledger_and_gives_the_reason_to_the_model(home: Home) -> None:
    provider = once(buy(100))
    async with open_desk(home, provider) as desk:
        await with_cash(desk)
        before = (await desk.portfolio.book()).version
        surface = Surface(approver=ScriptedApprover("deny", reason="今天不买"))
        envelope = await told(provider, desk, surface)
        assert (await desk.portfolio.book()).version == before
    assert error_code(envelope) == "denied"
    assert "今天不买" in str(envelope["error"])


async def test_unanswered_is_neither_denied_nor_written(home: Home) -> None:
    provider = once(buy(100))
    async with open_desk(home, provider) as desk:
        await with_cash(desk)
        envelope = await told(provider, desk, Surface(approver=ScriptedApprover("unanswered")))
        assert await held(desk) == 0
    assert error_code(envelope) == "unanswered"


async def test_modify_shows_a_new_preview_runs_the_changed_arguments_and_tells_the_model(home: Home) -> None:
    provider, person = once(buy(100)), ScriptedApprover("modify", args=buy(300))
    async with open_desk(home, provider) as desk:
        await with_cash(desk)
        envelope = await told(provider, desk, Surface(approver=person))
        price = await last_price(desk)
        assert await held(desk) == 300
    values = [request.preview.order_value for request in person.asked if request.preview is not None]
    assert values == [price * 100, price * 300]
    approval = envelope["approval"]
    assert isinstance(approval, dict)
    assert (approval["choice"], approval["args"]) == ("modify", buy(300))


async def test_a_change_that_does_not_hold_is_refused_to_the_person_and_nothing_is_written(home: Home) -> None:
    provider = once(buy(100))
    async with open_desk(home, provider) as desk:
        await with_cash(desk)
        done(await run_turn(desk, "记", surface=Surface(approver=ScriptedApprover("modify", args=buy(150)))))
        stored = await desk.stores.conversations.path("c1")
        assert await held(desk) == 0
    assert error_code(envelopes(stored)[0]) == "not_possible"


@dataclass(slots=True)
class Moving(Approver):
    """A person whose other window writes while they decide."""

    desk: Workspace
    choice: str = "allow"
    args: JsonObject | None = None
    moves: list[Decimal] = field(default_factory=list)
    asked: list[ApprovalRequest] = field(default_factory=list)

    async def decide(self, request: ApprovalRequest, edit: Edit) -> ApprovalDecision:
        self.asked.append(request)
        if self.choice == "modify" and self.args is not None and request.args != self.args:
            self.asked.append(await edit(self.args))
        if self.moves:
            await with_cash(self.desk, self.moves.pop(0))
        changed = self.choice == "modify" and request.args != self.args
        return ApprovalDecision(
            request_id=request.id,
            choice="modify" if changed else "allow",
            args=self.args if changed else None,
        )


async def test_a_portfolio_that_moved_under_the_preview_is_previewed_again(home: Home) -> None:
    provider = once(buy(100))
    async with open_desk(home, provider) as desk, open_desk(home) as other:
        await with_cash(desk)
        person = Moving(other, moves=[Decimal(500_000)])
        events = await run_turn(desk, "记", surface=Surface(approver=person))
        book = await desk.portfolio.book()
    assert [request.preview.cash_before for request in person.asked if request.preview] == [1_000_000, 500_000]
    assert len(of(events, ApprovalRequested)) == len(of(events, ApprovalResolved)) == 2
    assert book.cash is not None
    assert book.cash < 500_000


async def test_a_changed_write_is_previewed_again_too_when_the_portfolio_moved(home: Home) -> None:
    provider = once(buy(100))
    async with open_desk(home, provider) as desk, open_desk(home) as other:
        await with_cash(desk)
        person = Moving(other, choice="modify", args=buy(300), moves=[Decimal(500_000)])
        await run_turn(desk, "记", surface=Surface(approver=person))
        assert await held(desk) == 300
    assert [request.args["shares"] for request in person.asked] == [100, 300, 300]
    cash = [request.preview.cash_before for request in person.asked if request.preview is not None]
    assert cash == [1_000_000, 1_000_000, 500_000]


async def test_changed_arguments_without_a_preview_are_shown_before_they_are_written(home: Home) -> None:
    @dataclass(slots=True)
    class Blind(Approver):
        asked: list[ApprovalRequest] = field(default_factory=list)

        async def decide(self, request: ApprovalRequest, edit: Edit) -> ApprovalDecision:
            self.asked.append(request)
            choice = "modify" if len(self.asked) == 1 else "deny"
            return ApprovalDecision(request_id=request.id, choice=choice, args=buy(300))  # type: ignore[arg-type]

    provider, person = once(buy(100)), Blind()
    async with open_desk(home, provider) as desk:
        await with_cash(desk)
        await run_turn(desk, "记", surface=Surface(approver=person))
        assert await held(desk) == 0
    assert [request.args["shares"] for request in person.asked] == [100, 300]


async def test_a_portfolio_that_never_rests_is_given_up_with_a_reason(home: Home) -> None:
    provider = once(buy(100))
    async with open_desk(home, provider) as desk, open_desk(home) as other:
        await with_cash(desk)
        person = Moving(other, moves=[Decimal(amount) for amount in (900_000, 800_000, 700_000, 600_000)])
        envelope = await told(provider, desk, Surface(approver=person))
        assert await held(desk) == 0
    assert error_code(envelope) == "version_changed"


async def test_an_impossible_write_never_reaches_the_person(home: Home) -> None:
    provider, person = once({"side": "sell", "symbol": SAMPLE_STOCK, "shares": 100}), ScriptedApprover("allow")
    async with open_desk(home, provider) as desk:
        await desk.portfolio.apply(await desk.portfolio.plan([SetCash(cash=Decimal(5))]), "terminal")
        envelope = await told(provider, desk, Surface(approver=person))
    assert error_code(envelope) == "not_possible"
    assert not person.asked
