"""Background tasks: their queue, their ends, and what a restart makes of them."""

from __future__ import annotations

import asyncio

import pytest

from runtime.errors import UserError
from runtime.paths import Home
from tests.support.tasks import HeldWork, a_manager, again_with, task_bench


async def test_a_task_is_queued_runs_and_ends_with_its_result(home: Home) -> None:
    async with task_bench(home) as bench:
        work = HeldWork()
        task = await bench.manager.submit(work.order())
        await work.started.wait()
        shown = await bench.manager.get(task.id)
        assert shown is not None
        assert (shown.state, shown.stage, shown.detail, shown.progress) == ("running", "读取", "work", 0.25)
        work.proceed.set()
        ended = await bench.manager.ended(task.id)
        assert (ended.state, ended.summary, ended.result) == ("done", "work done", {"name": "work"})
        assert bench.states(task.id) == ["queued", "running", "done"]
        assert bench.events[-1].result_ref == f"task://{task.id}"
        assert bench.manager.active == 0


async def test_at_most_two_run_and_the_others_follow_in_their_order(home: Home) -> None:
    async with task_bench(home) as bench:
        works = [HeldWork(name=str(number)) for number in range(4)]
        tasks = [await bench.manager.submit(work.order()) for work in works]
        await asyncio.gather(works[0].started.wait(), works[1].started.wait())
        assert not works[2].started.is_set()
        works[1].proceed.set()
        await works[2].started.wait()
        assert not works[3].started.is_set()
        for work in works:
            work.proceed.set()
        for task in tasks:
            assert (await bench.manager.ended(task.id)).state == "done"


@pytest.mark.parametrize("started", [True, False])
async def test_a_stopped_task_is_cancelled_and_has_undone_what_it_began(home: Home, started: bool) -> None:
    async with task_bench(home) as bench:
        others = [HeldWork(), HeldWork()]
        if not started:
            for other in others:
                await bench.manager.submit(other.order())
        work = HeldWork()
        task = await bench.manager.submit(work.order())
        if started:
            await work.started.wait()
        assert bench.manager.cancel(task.id)
        ended = await bench.manager.ended(task.id)
        assert ended.state == "cancelled"
        assert work.undone is started
        assert not bench.manager.cancel(task.id)


async def test_a_task_that_fails_says_why(home: Home) -> None:
    async with task_bench(home) as bench:
        work = HeldWork(error=UserError("market.empty_file", path="a.csv"))
        task = await bench.manager.submit(work.order())
        work.proceed.set()
        ended = await bench.manager.ended(task.id)
        assert ended.state == "failed"
        assert "a.csv" in ended.summary


async def test_a_bug_ends_its_task_and_no_other(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    async with task_bench(home) as bench:
        broken, sound = HeldWork(error=ZeroDivisionError()), HeldWork()
        first, second = await bench.manager.submit(broken.order()), await bench.manager.submit(sound.order())
        broken.proceed.set()
        sound.proceed.set()
        assert (await bench.manager.ended(first.id)).state == "failed"
        assert (await bench.manager.ended(second.id)).state == "done"
        assert "ZeroDivisionError" in caplog.text


async def test_leaving_the_program_interrupts_what_is_alive(home: Home) -> None:
    async with task_bench(home) as bench:
        works = [HeldWork() for _ in range(3)]
        tasks = [await bench.manager.submit(work.order()) for work in works]
        await works[0].started.wait()
        await bench.manager.aclose()
        assert works[0].undone
        states = [(await bench.manager.ended(task.id)).state for task in tasks]
        assert states == ["interrupted"] * 3


async def test_what_a_killed_process_left_is_interrupted_at_the_next_start(home: Home) -> None:
    async with task_bench(home) as bench:
        work = HeldWork()
        task = await bench.manager.submit(work.order())
        await work.started.wait()
        next_start = a_manager(bench.desk)
        await next_start.recover()  # the lock is held: that process lives
        assert (await bench.desk.stores.background.get(task.id)) is not None
        stored = await bench.desk.stores.background.get(task.id)
        assert stored is not None
        assert stored.state == "running"
        lock = bench.manager._lock
        assert lock is not None
        lock.release()  # as the system does when the process is killed
        await next_start.recover()
        stored = await bench.desk.stores.background.get(task.id)
        assert stored is not None
        assert stored.state == "interrupted"


async def test_a_task_is_done_once_more_by_its_kind_and_arguments(home: Home) -> None:
    again: list[HeldWork] = []
    async with task_bench(home, {"held": again_with(again)}) as bench:
        work = HeldWork(name="导入")
        task = await bench.manager.submit(work.order())
        await work.started.wait()
        bench.manager.cancel(task.id)
        await bench.manager.ended(task.id)
        second = await bench.manager.rerun(task.id)
        again[0].proceed.set()
        ended = await bench.manager.ended(second.id)
        assert (ended.state, ended.title, ended.summary) == ("done", "导入", "导入 done")
        assert [item.id for item in await bench.manager.recent()] == [second.id, task.id]


async def test_what_nobody_knows_cannot_be_run_again(home: Home) -> None:
    async with task_bench(home) as bench:
        with pytest.raises(UserError):
            await bench.manager.rerun("nothing")


async def test_dismissed_tasks_are_listed_no_more_but_still_told(home: Home) -> None:
    async with task_bench(home) as bench:
        await bench.desk.stores.conversations.open("c1", "问")
        work = HeldWork()
        task = await bench.manager.submit(work.order("c1"))
        work.proceed.set()
        await bench.manager.ended(task.id)
        store = bench.desk.stores.background
        await store.dismiss_ended()
        assert await bench.manager.recent() == ()
        assert [item.id for item in await store.to_tell("c1")] == [task.id]
        await store.mark_told([task.id])
        assert await store.to_tell("c1") == ()
