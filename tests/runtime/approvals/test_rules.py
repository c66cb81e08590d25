"""Standing decisions: rules of a person and policies of a run, and what they never cover."""

from __future__ import annotations

import pytest

from runtime.agent.turn import Surface
from runtime.core.approvals import RuleScope
from runtime.core.json import JsonObject
from runtime.paths import Home
from runtime.storage.schema import approval_log, approval_rule
from tests.support.desks import SAMPLE_STOCK, ScriptedApprover, done, open_desk, run_turn
from tests.support.money import buy, held, last_price, once, rows, told, with_cash, with_holding
from tests.support.scripted import ScriptedProvider, call, calls, say
from tests.support.turns import envelopes, error_code


@pytest.mark.parametrize("scope", ["conversation", "forever"])
async def test_always_makes_a_rule_for_the_pattern_as_far_as_it_was_given(home: Home, scope: RuleScope) -> None:
    provider = ScriptedProvider(
        *[reply for shares in (100, 200, 300) for reply in (calls(call("record_trade_fill", buy(shares))), say("好"))]
    )
    person = ScriptedApprover("always", scope=scope)
    async with open_desk(home, provider) as desk:
        await with_cash(desk)
        await run_turn(desk, "一", surface=Surface(approver=person))
        await run_turn(desk, "二", surface=Surface(approver=person))
        await run_turn(desk, "三", conversation="c2", surface=Surface(approver=person))
        rules = await rows(desk, approval_rule)
        log = await rows(desk, approval_log)
        assert await held(desk) == 600
    everywhere = scope == "forever"
    assert [request.args["shares"] for request in person.asked] == ([100] if everywhere else [100, 300])
    assert rules[0].conversation_id == (None if everywhere else "c1")  # type: ignore[attr-defined]
    assert rules[0].pattern == {"side": "buy", "symbol": SAMPLE_STOCK}  # type: ignore[attr-defined]
    assert log[1].decided_by == f"rule:{rules[0].id}"  # type: ignore[attr-defined]


async def test_an_always_rule_covers_neither_another_side_nor_a_large_order(home: Home) -> None:
    async with open_desk(home) as desk:
        await with_cash(desk)
        price = await last_price(desk)
        await with_holding(desk, 200, price)
        await desk.stores.approvals.add_rule(
            tool="record_trade_fill",
            pattern={"side": "buy", "symbol": SAMPLE_STOCK},
            effect="allow",
            conversation_id=None,
        )
    large = int(60_000 / price / 100) * 100
    sell: JsonObject = {"side": "sell", "symbol": SAMPLE_STOCK, "shares": 100}
    provider = ScriptedProvider(
        calls(call("record_trade_fill", buy(large)), call("record_trade_fill", sell)), say("好")
    )
    person = ScriptedApprover("deny")
    async with open_desk(home, provider) as desk:
        done(await run_turn(desk, "记", surface=Surface(approver=person)))
        assert await held(desk) == 200
    assert [request.risk for request in person.asked] == ["high", "high"]
    assert not any(request.always_offered for request in person.asked)


async def test_always_where_it_is_not_offered_allows_once_and_makes_no_rule(home: Home) -> None:
    provider, person = once(buy(100)), ScriptedApprover("always", scope="forever")
    async with open_desk(home, provider) as desk:  # cash unknown: the share of equity cannot be judged
        done(await run_turn(desk, "记", surface=Surface(approver=person)))
        assert await held(desk) == 100
        assert await rows(desk, approval_rule) == []
    assert not person.asked[0].always_offered


async def test_a_deny_rule_beats_an_allow_rule_and_the_person(home: Home) -> None:
    provider, person = once(buy(100)), ScriptedApprover("allow")
    async with open_desk(home, provider) as desk:
        await with_cash(desk)
        for effect in ("allow", "deny"):
            await desk.stores.approvals.add_rule(
                tool="record_trade_fill",
                pattern={"symbol": SAMPLE_STOCK, "side": "buy"},
                effect=effect,
                conversation_id=None,
            )
        envelope = await told(provider, desk, Surface(approver=person))
        assert await held(desk) == 0
    assert error_code(envelope) == "denied"
    assert not person.asked


async def test_a_revoked_rule_decides_nothing_any_more(home: Home) -> None:
    provider, person = once(buy(100)), ScriptedApprover("deny")
    async with open_desk(home, provider) as desk:
        await with_cash(desk)
        rule = await desk.stores.approvals.add_rule(
            tool="record_trade_fill",
            pattern={"side": "buy", "symbol": SAMPLE_STOCK},
            effect="allow",
            conversation_id=None,
        )
        await desk.stores.approvals.revoke(rule)
        await told(provider, desk, Surface(approver=person))
    assert len(person.asked) == 1


async def test_the_policy_never_refuses_without_asking(home: Home) -> None:
    provider, person = once(buy(100)), ScriptedApprover("allow")
    async with open_desk(home, provider) as desk:
        await with_cash(desk)
        envelope = await told(provider, desk, Surface(approver=person, policy="never"))
        assert await held(desk) == 0
    assert error_code(envelope) == "denied"
    assert not person.asked


async def test_the_policy_always_writes_small_orders_and_nothing_that_takes_away(home: Home) -> None:
    async with open_desk(home) as desk:
        await with_cash(desk)
        price = await last_price(desk)
        await with_holding(desk, 200, price)
    large = int(60_000 / price / 100) * 100
    writes: list[tuple[str, JsonObject]] = [
        ("record_trade_fill", buy(100)),
        ("record_trade_fill", buy(large)),
        ("record_trade_fill", {"side": "sell", "symbol": SAMPLE_STOCK, "shares": 100}),
        ("update_portfolio", {"action": "remove", "symbol": SAMPLE_STOCK}),
        ("update_portfolio", {"action": "update", "symbol": SAMPLE_STOCK, "stop_loss": None}),
        ("set_stop_loss", {"symbol": SAMPLE_STOCK, "stop_loss": None}),
    ]
    provider = ScriptedProvider(calls(*[call(name, args) for name, args in writes]), say("好"))
    async with open_desk(home, provider) as desk:
        done(await run_turn(desk, "记", surface=Surface(policy="always")))
        stored = await desk.stores.conversations.path("c1")
        log = await rows(desk, approval_log)
        assert await held(desk) == 300
    assert [error_code(item) for item in envelopes(stored)] == [None, *["approval_required"] * 5]
    assert log[0].decided_by == "run:always"  # type: ignore[attr-defined]
