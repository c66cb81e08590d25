"""The tasks: every turn in any conversation with its stage, to stop and to open; at their end they can be cleared."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QPushButton

from desktop.desk import Desk
from desktop.panels.tasks_panel import TasksPanel
from runtime.paths import Home
from runtime.providers.base import TextChunk
from tests.desktop.conftest import Run
from tests.support.scripted import Hang, ScriptedProvider, call, calls
from tests.support.scripted import say as answer
from tests.support.windows import child, click, ended, open_window, say, until


def panel(desk: Desk) -> TasksPanel:
    """The panel, opened from the status line."""
    found = child(desk.window, TasksPanel, "tasksPanel")
    if not found.isVisible():
        click(child(desk.window, QPushButton, "statusTasks"))
    return found


def states(desk: Desk) -> list[tuple[str, str]]:
    return [(task.title, task.state) for task in desk.tasks.tasks]


def test_a_turn_in_another_conversation_is_stopped_from_the_tasks(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        hang = Hang()
        provider = ScriptedProvider((TextChunk(text="先看大盘。"), hang), answer("好。"))
        async with open_window(home, provider) as desk:
            say(desk, "第一个")
            await hang.reached.wait()
            click(child(desk.window, QPushButton, "newConversationButton"))
            say(desk, "第二个")
            await ended(desk)
            assert states(desk) == [("第二个", "done"), ("第一个", "running")]
            tasks = panel(desk)
            click(child(tasks, QPushButton, "taskStop"))
            await until(lambda: desk.chat.run_count == 0)
            assert states(desk) == [("第二个", "done"), ("第一个", "stopped")]
            assert not [stop for stop in tasks.findChildren(QPushButton, "taskStop") if stop.isVisible()]

    on_loop(scenario())


def test_a_task_opens_its_conversation_and_ended_ones_are_cleared(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        async with open_window(home, ScriptedProvider(answer("一"), answer("二"))) as desk:
            for text in ("第一个", "第二个"):
                click(child(desk.window, QPushButton, "newConversationButton"))
                say(desk, text)
                await ended(desk)
            tasks = panel(desk)
            first = desk.tasks.tasks[-1]
            click(child(child(tasks, QFrame, f"task-{first.id}"), QPushButton, "taskOpen"))
            await until(lambda: desk.chat.conversation_id == first.conversation)
            await until(lambda: [turn.text for turn in desk.transcript.turns] == ["第一个"])
            click(child(tasks, QPushButton, "tasksClear"))
            assert states(desk) == []

    on_loop(scenario())


def test_a_write_that_waits_for_the_person_says_so(on_loop: Run, home: Home) -> None:
    async def scenario() -> None:
        write = calls(call("update_portfolio", {"action": "set_cash", "free_cash": 1000}))
        async with open_window(home, ScriptedProvider(write)) as desk:
            say(desk, "现金一千")
            await until(lambda: states(desk) == [("现金一千", "waiting")])
            desk.chat.stop()
            await until(lambda: states(desk) == [("现金一千", "stopped")])

    on_loop(scenario())
