"""Writes in a chat that nobody sits at: the agent asks, and only what a person then typed lets it write, once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.terminal import BUY, Ended, Terminal, kinds, the_one_terminal

PREPARED = 2  # entries of the prepared ledger
BOUGHT = [("bought", "608101.SIM", 1000, "7.7000")]
SALE, REMOVAL = "卖出 100 股 云溪股份 价格 7.7 元", "从持仓里删除 云溪股份"
LARGE = "买入 2000 股 云溪股份 价格 7.7 元"  # 7 % of equity
ALWAYS = ("--approve", "always")


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """One call of `wyckoff ask`."""

    text: str
    conversation: str = "c"
    options: tuple[str, ...] = ()
    stdin: str | None = None


STORIES: Mapping[str, tuple[Say, ...]] = {
    "asked": (Say(text=BUY),),
    "consent": (Say(text=BUY), Say(text="可以")),
    "consent twice": (Say(text=BUY), Say(text="可以"), Say(text="可以")),
    "refusal": (Say(text=BUY), Say(text="不要")),
    "consent elsewhere": (Say(text=BUY), Say(text="可以", conversation="other")),
    "line": (Say(text=BUY, stdin="可以\n"),),
    "refusing line": (Say(text=BUY, stdin="不要\n"),),
    "never": (Say(text=BUY, options=("--approve", "never"), stdin="可以\n"),),
    "always": (Say(text=BUY, options=ALWAYS),),
    "always, sale": (Say(text=SALE, options=ALWAYS),),
    "always, removal": (Say(text=REMOVAL, options=ALWAYS),),
    "always, large": (Say(text=LARGE, options=ALWAYS),),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A story on a home of its own, as it ended."""

    terminal: Terminal
    last: Ended

    @property
    def written(self) -> list[tuple[object, ...]]:
        """What was written beyond the prepared entries."""
        rows = self.terminal.ledger()[PREPARED:]
        return [(row["kind"], row["symbol"], row["shares"], row["price"]) for row in rows]

    @property
    def decisions(self) -> list[tuple[object, object]]:
        """Every logged decision: choice, and who made it."""
        rows = self.terminal.rows("SELECT choice, decided_by FROM approval_log ORDER BY id")
        return [(row["choice"], row["decided_by"]) for row in rows]


def tell(prepared: Path, folder: Path, story: tuple[Say, ...]) -> Told:
    shutil.copytree(prepared, folder / "home")
    terminal = Terminal(home=folder / "home", folder=folder)
    ended = [
        terminal.run("ask", say.text, "--conversation", say.conversation, "--json", *say.options, stdin=say.stdin)
        for say in story
    ]
    return Told(terminal=terminal, last=ended[-1])


@pytest.fixture(scope="module")
def told(prepared_home: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    """All stories, told side by side."""
    folders = [tmp_path_factory.mktemp("story") for _ in STORIES]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        ends = pool.map(lambda folder, story: tell(prepared_home, folder, story), folders, STORIES.values())
        return dict(zip(STORIES, ends, strict=True))


def test_a_buy_asks_with_all_its_figures_and_writes_nothing(told: dict[str, Told]) -> None:
    story = told["asked"]
    [question] = [event for event in story.last.events if event["kind"] == "question_asked"]
    for figure in ("云溪股份", "608101.SIM", "1000 股", "7.70 元", "200,000.00 → 192,294.92", "5.08"):
        assert figure in str(question["question"])
    assert the_one_terminal(story.last.events)["kind"] == "done"
    assert story.written == []


def test_the_next_message_consents_and_exactly_that_is_written(told: dict[str, Told]) -> None:
    story = told["consent"]
    assert "已登记" in str(the_one_terminal(story.last.events)["text"])
    assert story.written == BOUGHT
    assert story.decisions[-1] == ("allow", "consent")


def test_a_consent_is_used_once(told: dict[str, Told]) -> None:
    assert told["consent twice"].written == BOUGHT


def test_a_refusal_writes_nothing(told: dict[str, Told]) -> None:
    story = told["refusal"]
    assert (story.last.code, story.written) == (0, [])
    assert "没有" in str(the_one_terminal(story.last.events)["text"])


def test_a_consent_in_another_conversation_counts_for_nothing(told: dict[str, Told]) -> None:
    assert told["consent elsewhere"].written == []


def test_a_line_on_standard_input_answers_in_the_same_turn(told: dict[str, Told]) -> None:
    story = told["line"]
    assert [event["answer"] for event in story.last.events if event["kind"] == "question_answered"] == ["可以"]
    assert story.written == BOUGHT


def test_a_refusing_line_on_standard_input_writes_nothing(told: dict[str, Told]) -> None:
    assert told["refusing line"].written == []


def test_never_refuses_without_asking(told: dict[str, Told]) -> None:
    story = told["never"]
    assert "question_asked" not in kinds(story.last.events)
    [refusal] = [event["message"] for event in story.last.events if event["kind"] == "tool_error"]
    assert "不允许写入" in str(refusal)
    assert story.written == []
    assert story.decisions == [("deny", "run:never")]


def test_always_writes_a_small_order_and_logs_that_it_was_the_run(told: dict[str, Told]) -> None:
    story = told["always"]
    assert "question_asked" not in kinds(story.last.events)
    assert story.written == BOUGHT
    assert story.decisions == [("allow", "run:always")]


@pytest.mark.parametrize("name", ["always, sale", "always, removal", "always, large"])
def test_what_always_does_not_cover_is_asked(told: dict[str, Told], name: str) -> None:
    assert "question_asked" in kinds(told[name].last.events)
    assert told[name].written == []


def test_always_does_not_cover_an_order_while_the_equity_is_unknown(terminal: Terminal) -> None:
    ended = terminal.run("ask", BUY, "--json", *ALWAYS)
    assert "question_asked" in kinds(ended.events)
    assert terminal.ledger() == []
