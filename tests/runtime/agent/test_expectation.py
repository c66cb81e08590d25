"""Questions about one's own holdings are answered from the portfolio, or not without a warning."""

from __future__ import annotations

from typing import cast

import pytest

from runtime.agent.guards.expectation import expectation_of
from runtime.core.events import Done, Guard, StreamReset
from runtime.core.json import JsonObject
from runtime.core.messages import AssistantMessage, Message, TextPart, UserMessage
from runtime.core.symbols import Instrument, Resolution
from runtime.paths import Home
from tests.support.cases import Case, cases_of, needs_cases
from tests.support.desks import open_desk, run_turn
from tests.support.scripted import ScriptedProvider, call, calls, say
from tests.support.turns import of, terminal

SEED = (
    "H1-063",
    "H1-069",
    "H1-071",
    "H1-080",
    "H1-085",
    "H1-090",
)  # the rules follow the seed; later programs broadened them


def messages_of(case: Case) -> list[Message]:
    said = cast("list[dict[str, str]]", case.input["messages"])
    return [
        UserMessage(text=item["content"])
        if item["role"] == "user"
        else AssistantMessage(parts=(TextPart(text=item["content"]),))
        for item in said
    ]


@needs_cases
@pytest.mark.parametrize(
    "case", [case for case in cases_of("loop_guard.expectation") if case.id in SEED], ids=lambda case: case.id
)
def test_observed_cases(case: Case) -> None:
    *history, asked = messages_of(case)
    found = expectation_of(cast("UserMessage", asked).text, history, Resolution())
    if case.expected is None:
        assert found is None
    else:
        wanted = cast("JsonObject", case.expected)
        assert found is not None
        assert (found.tool, {"mode": found.mode}) == (wanted["required_tool"], wanted["required_args"])


HOLDINGS: list[Message] = [
    UserMessage(text="我有什么持仓"),
    AssistantMessage(parts=(TextPart(text="代码 | 名称 | 持股，要不要做个体检？"),)),
]
STOCK = Resolution(instruments=(Instrument(symbol="600519.SH", name="贵州茅台"),))


@pytest.mark.parametrize(
    ("text", "resolution", "mode"),
    [
        ("体检一下", Resolution(), "diagnose"),
        ("分析这些股票的走势", Resolution(), "diagnose"),
        ("好的", Resolution(), "diagnose"),
        ("什么是持仓体检", Resolution(), None),
        ("为什么要看持仓情况", Resolution(), None),
        ("体检一下茅台", STOCK, None),
        ("分析上面茅台的走势", STOCK, None),
        ("天气好的时候", Resolution(), None),
        (
            "<relevant-memories>我有什么持仓</relevant-memories><current-user-message>你好</current-user-message>",
            Resolution(),
            None,
        ),
        (
            "<relevant-memories>x</relevant-memories><current-user-message>持仓列表</current-user-message>",
            Resolution(),
            "view",
        ),
    ],
)
def test_what_is_expected_after_the_holdings_were_spoken_of(
    text: str, resolution: Resolution, mode: str | None
) -> None:
    found = expectation_of(text, HOLDINGS, resolution)
    assert (None if found is None else found.mode) == mode


async def test_an_answer_without_a_look_is_taken_back_and_asked_for_again(home: Home) -> None:
    provider = ScriptedProvider(say("你有茅台"), calls(call("portfolio", {"mode": "view"})), say("没有持仓"))
    async with open_desk(home, provider) as desk:
        events = await run_turn(desk, "我有什么持仓")
        shown = await desk.stores.conversations.path("c1")
    done = terminal(events)
    assert isinstance(done, Done)
    assert (done.text, done.warnings) == ("没有持仓", ())
    assert [guard.action for guard in of(events, Guard)] == ["nudged"]
    assert len(of(events, StreamReset)) == 1
    assert [item.status for item in shown] == ["complete", "withdrawn", "complete", "complete", "complete"]
    assert "不是用户说的话" in cast("UserMessage", provider.requests[1].messages[-1]).text
    provider.assert_used_up()


async def test_the_nudge_is_gone_in_the_next_turn(home: Home) -> None:
    provider = ScriptedProvider(say("你有茅台"), calls(call("portfolio", {"mode": "view"})), say("没有持仓"), say("好"))
    async with open_desk(home, provider) as desk:
        await run_turn(desk, "我有什么持仓")
        await run_turn(desk, "谢谢")
    later = [message.text for message in provider.requests[-1].messages if isinstance(message, UserMessage)]
    assert later == ["我有什么持仓", "谢谢"]
    assert all(
        message.text != "你有茅台"
        for message in provider.requests[-1].messages
        if isinstance(message, AssistantMessage)
    )


async def test_after_two_nudges_a_warning_stands_beside_the_answer(home: Home) -> None:
    provider = ScriptedProvider(say("你有茅台"), say("你有茅台"), say("你有茅台"))
    async with open_desk(home, provider) as desk:
        done = terminal(await run_turn(desk, "我有什么持仓"))
    assert isinstance(done, Done)
    assert done.text == "你有茅台"
    assert len(done.warnings) == 1
    assert "portfolio" in done.warnings[0]
    provider.assert_used_up()


async def test_a_conclusion_without_a_verdict_is_nudged_once(home: Home) -> None:
    reading = calls(call("analyze_stock", {"symbol": "608101.SIM"}))
    provider = ScriptedProvider(reading, say("建议观望"), say("仍然建议观望"))
    async with open_desk(home, provider) as desk:
        events = await run_turn(desk, "云溪股份怎么看")
    done = terminal(events)
    assert isinstance(done, Done)
    assert done.text == "仍然建议观望"
    assert [guard.name for guard in of(events, Guard)] == ["missing_verdict"]
    provider.assert_used_up()
