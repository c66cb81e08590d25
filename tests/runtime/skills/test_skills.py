"""Skills: files that can be read, in part read or refused, and what the model sees of them."""

from __future__ import annotations

from typing import cast

import pytest

from runtime.core.json import JsonObject, loads_object
from runtime.core.messages import ToolMessage, UserMessage
from runtime.errors import UserError
from runtime.paths import Home
from runtime.skills.library import SkillLibrary
from runtime.skills.skill import parse_skill
from tests.support.cases import Case, cases_of, needs_cases
from tests.support.desks import done, open_desk, run_turn
from tests.support.scripted import ScriptedProvider, call, calls, say

DCF = "---\nname: dcf\ndescription: DCF 估值分析\n---\n请对 {user_input} 进行 DCF 估值分析。"


@needs_cases
@pytest.mark.parametrize("case", cases_of("skills.parse"), ids=lambda case: case.id)
def test_observed_cases(case: Case) -> None:
    file, text = str(case.input["file"]), str(case.input["text"])
    skill, _ = parse_skill(file.removesuffix(".md"), text)
    expected = cast("JsonObject", case.expected)
    assert (skill.name, skill.description, skill.body) == (
        expected["name"],
        expected["description"],
        expected["prompt"],
    )


def test_what_the_person_adds_takes_its_place() -> None:
    skill, problems = parse_skill("x", DCF)
    assert problems == ()
    assert skill.instructions("茅台") == "请对 茅台 进行 DCF 估值分析。"
    plain, _ = parse_skill("plain", "先看大盘。")
    assert plain.instructions("再看茅台") == "先看大盘。\n\n再看茅台"
    assert plain.name == "plain"


@pytest.mark.parametrize("text", ["", "---\nname: a\n---\n", "---\nname: 有 空格\n---\n正文", "x" * 20_001])
def test_what_cannot_be_used_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        parse_skill("a", text)


def a_library(home: Home, *tools: str) -> SkillLibrary:
    return SkillLibrary(home, "zh_CN", lambda name: name in tools)


def test_a_skill_waits_for_its_tools(home: Home) -> None:
    assert a_library(home).load().skills == ()
    assert [
        skill.name for skill in a_library(home, "portfolio", "analyze_stock", "get_market_overview").load().skills
    ] == ["checkup"]


def test_ones_own_skills_come_first_and_a_bad_file_costs_only_itself(home: Home) -> None:
    home.skills.mkdir(parents=True)
    (home.skills / "dcf.md").write_text(DCF, "utf-8")
    (home.skills / "broken.md").write_bytes(b"\xff\xfe\x00")
    (home.skills / "empty.md").write_text("", "utf-8")
    (home.skills / "checkup.md").write_text("我自己的体检", "utf-8")
    loaded = a_library(home, "portfolio", "analyze_stock", "get_market_overview").load()
    assert {skill.name: skill.built_in for skill in loaded.skills} == {"checkup": False, "dcf": False}
    assert len(loaded.problems) == 2


def test_an_edit_counts_at_once_and_a_bad_one_changes_nothing(home: Home) -> None:
    library = a_library(home)
    library.save("mine", "第一版")
    assert library.get("/mine").body == "第一版"
    with pytest.raises(UserError):
        library.save("mine", "")
    assert library.get("mine").body == "第一版"
    with pytest.raises(UserError) as caught:
        library.get("other")
    assert "/mine" in str(caught.value.fields["known"])


@pytest.mark.parametrize("name", ["../x", "a/b", ""])
def test_a_name_is_no_path(home: Home, name: str) -> None:
    with pytest.raises(UserError):
        a_library(home).save(name, "---\nname: ../../x\n---\n正文")
    assert not home.skills.exists()


async def test_the_model_knows_names_and_reads_the_body_when_it_needs_it(home: Home) -> None:
    provider = ScriptedProvider(
        calls(call("execute_skill", {"name": "checkup", "user_input": "只看白酒"})), say("好"), say("好")
    )
    async with open_desk(home, provider) as desk:
        done(await run_turn(desk, "体检是做什么的，解释一下"))
    system = provider.requests[0].system
    assert "<system-reminder>" in system
    assert "checkup" in system
    assert "portfolio（mode=diagnose）" not in system
    result = next(message for message in provider.requests[1].messages if isinstance(message, ToolMessage))
    data = loads_object(result.content)["data"]
    assert isinstance(data, dict)
    assert "只看白酒" in str(data["instructions"])


async def test_a_typed_skill_is_spelt_out_for_the_model_only(home: Home) -> None:
    provider = ScriptedProvider(say("好"))
    async with open_desk(home, provider) as desk:
        await run_turn(desk, "/checkup 只看白酒")
        stored = (await desk.stores.conversations.path("c1"))[0].message
    assert isinstance(stored, UserMessage)
    assert stored.text == "/checkup 只看白酒"
    sent = provider.requests[0].messages[0]
    assert isinstance(sent, UserMessage)
    assert "只看白酒" in sent.context
    assert "逐只" in sent.context or "每只持仓" in sent.context


async def test_a_slash_that_names_no_skill_is_just_text(home: Home) -> None:
    provider = ScriptedProvider(say("好"))
    async with open_desk(home, provider) as desk:
        await run_turn(desk, "/nothing like this")
    sent = provider.requests[0].messages[0]
    assert isinstance(sent, UserMessage)
    assert "/nothing" not in sent.context
