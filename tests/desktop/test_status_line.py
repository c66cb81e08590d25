"""The status line: who answers, how full that model's window is, and what the turn has used so far."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QLabel, QWidget

from desktop.desk import Desk
from runtime.core.events import Done, Fallback, ModelStart, RuntimeEvent, TurnStart, UsageReport
from runtime.core.messages import Usage
from runtime.paths import Home
from tests.desktop.conftest import Run
from tests.support.scripted import ScriptedProvider
from tests.support.settings_dialogs import a_model
from tests.support.windows import child, open_window

CONVERSATION = "c1"
FIRST = replace(a_model("first"), context_window=100_000)
SECOND = replace(a_model("second"), context_window=20_000)
HOME = a_model("home", "http://127.0.0.1:11434/v1")


async def configured(desk: Desk) -> None:
    """Three models, the first one chosen; a conversation is shown."""
    for config in (FIRST, SECOND, HOME):
        await desk.workspace.models.add(config)
    desk._show_models()
    desk.chat.conversation_id = CONVERSATION


def see(desk: Desk, *events: RuntimeEvent, conversation: str = CONVERSATION) -> None:
    """Events of a turn."""
    for event in events:
        desk.chat.event_seen.emit(event, conversation)


def report(**counts: float) -> UsageReport:
    known: dict[str, float | None] = {"input": 0, "output": 0, "cache_read": 0, "cache_write": 0, "cost": None} | counts
    return UsageReport(**known)  # type: ignore[arg-type]


def usage_of(desk: Desk) -> str:
    return child(desk.window, QLabel, "statusUsage").text()


def context_of(desk: Desk) -> str:
    holder = child(desk.window, QWidget, "statusContext")
    return " ".join(label.text() for label in holder.findChildren(QLabel)) if holder.isVisible() else ""


def model_of(desk: Desk) -> str:
    return child(desk.window, QLabel, "statusModel").toolTip()


def test_the_model_that_took_over_is_shown_with_its_own_window(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            await configured(desk)
            assert model_of(desk) == "first"
            see(desk, TurnStart(conversation_id=CONVERSATION, text="看"), ModelStart(model="first"))
            see(desk, report(input=9_000, cache_read=1_000))
            assert "10k / 100k" in context_of(desk)
            see(desk, Fallback(from_model="first", to_model="second", reason="server"))
            assert model_of(desk) == "second"
            assert "10k / 20k" in context_of(desk)
            see(desk, ModelStart(model="first"), conversation="another")
            assert model_of(desk) == "second"
            desk._choose_model("home")
            assert model_of(desk) == "home"

    on_loop(scenario())


def test_failed_tries_count_while_the_turn_runs(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            await configured(desk)
            see(desk, TurnStart(conversation_id=CONVERSATION, text="看"), ModelStart(model="first"))
            see(desk, report(input=1_000, output=10, cost=0.25))
            see(desk, ModelStart(model="first"), report(input=1_000, output=90, cache_read=400, cost=0.5))
            assert usage_of(desk) == "本轮 新 2,000 · 缓存 400 · 输出 100 · 0.750"
            see(desk, report(cache_write=2_500, cost=0.0))
            assert "写缓存 2,500" in usage_of(desk)
            whole = Usage(input=2_000, output=100, cache_read=400, cache_write=2_500, cost=0.75)
            before = usage_of(desk)
            see(desk, Done(text="好", streamed=True, usage=whole, elapsed=1.0, rounds=1))
            assert usage_of(desk) == before
            see(desk, TurnStart(conversation_id=CONVERSATION, text="再看"))
            assert usage_of(desk) == ""

    on_loop(scenario())


def test_estimates_are_marked_and_unknown_costs_are_no_zero(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            await configured(desk)
            see(desk, TurnStart(conversation_id=CONVERSATION, text="看"), ModelStart(model="first"))
            see(desk, report(input=1_000, output=10))
            assert usage_of(desk) == "本轮 新 1,000 · 缓存 0 · 输出 10"
            see(desk, report(input=1_000, output=10, cost=0.5))
            assert usage_of(desk).endswith("至少 0.500")
            see(desk, report(input=1, estimated=True))
            assert "新 ≈2,001" in usage_of(desk)

    on_loop(scenario())


def test_what_this_machine_answers_takes_nothing_from_a_known_cost(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            await configured(desk)
            see(desk, TurnStart(conversation_id=CONVERSATION, text="看"), ModelStart(model="first"))
            see(desk, report(input=1_000, output=10, cost=0.5))
            see(desk, Fallback(from_model="first", to_model="home", reason="server"), report(input=7, output=8))
            assert usage_of(desk).endswith(" · 0.500")

    on_loop(scenario())


def test_another_conversation_shows_the_chosen_model_again(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            await configured(desk)
            see(desk, TurnStart(conversation_id=CONVERSATION, text="看"), ModelStart(model="second"))
            assert model_of(desk) == "second"
            desk.chat.start_new()
            assert model_of(desk) == "first"

    on_loop(scenario())


def test_a_long_name_leaves_room_for_the_rest(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider()) as desk:
            long = "deepseek-ai/DeepSeek-V3.2-Exp-with-a-name-of-sixty-four-letters"
            await desk.workspace.models.add(a_model(long))
            desk._show_models()
            desk.window.resize(900, 600)
            assert model_of(desk) == long
            assert desk.window.width() == 900
            assert child(desk.window, QLabel, "statusModel").width() < 260

    on_loop(scenario())
