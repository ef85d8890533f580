"""The queue in front of the local models."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from functools import partial

import anyio
import pytest

from app.providers.onnx_threads import OnnxThreads, ThreadsBusy, Urgency


@pytest.fixture
async def threads() -> AsyncIterator[OnnxThreads]:
    threads = OnnxThreads(max_waiting=3)
    yield threads
    await threads.close()


class _Gate:
    """Work that holds the only thread until it is let go."""

    def __init__(self) -> None:
        self._has_begun = threading.Event()
        self._may_end = threading.Event()

    def work(self) -> str:
        self._has_begun.set()
        assert self._may_end.wait(10)
        return "gate"

    async def wait_begun(self) -> None:
        await asyncio.to_thread(self._has_begun.wait, 10)

    def let_go(self) -> None:
        self._may_end.set()


async def test_work_runs_off_the_event_loop(threads: OnnxThreads) -> None:
    assert await threads.run(threading.get_ident, Urgency.QUESTION) != threading.get_ident()


async def test_what_work_raises_is_raised_here(threads: OnnxThreads) -> None:
    with pytest.raises(ZeroDivisionError):
        await threads.run(lambda: 1 // 0, Urgency.QUESTION)


async def test_the_urgent_goes_first_and_equals_in_order(threads: OnnxThreads) -> None:
    gate, done = _Gate(), []

    async with anyio.create_task_group() as group:
        group.start_soon(threads.run, gate.work, Urgency.INGEST)
        await gate.wait_begun()
        for name, urgency in (("ingest", Urgency.INGEST), ("ranking", Urgency.RANKING), ("q", Urgency.QUESTION)):
            group.start_soon(threads.run, lambda name=name: done.append(name), urgency)
            await anyio.wait_all_tasks_blocked()
        gate.let_go()

    assert done == ["q", "ranking", "ingest"]


async def test_past_the_limit_work_is_refused_at_once(threads: OnnxThreads) -> None:
    gate = _Gate()

    async with anyio.create_task_group() as group:
        group.start_soon(threads.run, gate.work, Urgency.INGEST)
        await gate.wait_begun()
        for _ in range(3):
            group.start_soon(threads.run, int, Urgency.INGEST)
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(ThreadsBusy):
            await threads.run(int, Urgency.QUESTION)
        gate.let_go()


async def test_cancelled_work_gives_its_place_back_and_never_begins(threads: OnnxThreads) -> None:
    gate, done = _Gate(), []

    async with anyio.create_task_group() as group:
        group.start_soon(threads.run, gate.work, Urgency.INGEST)
        await gate.wait_begun()
        async with anyio.create_task_group() as abandoned:
            for _ in range(3):
                abandoned.start_soon(threads.run, lambda: done.append("abandoned"), Urgency.INGEST)
            await anyio.wait_all_tasks_blocked()
            abandoned.cancel_scope.cancel()
        group.start_soon(threads.run, lambda: done.append("wanted"), Urgency.INGEST)
        await anyio.wait_all_tasks_blocked()
        gate.let_go()

    assert done == ["wanted"]


async def test_work_that_misses_its_deadline_is_given_up(threads: OnnxThreads) -> None:
    gate, done = _Gate(), []

    async with anyio.create_task_group() as group:
        group.start_soon(threads.run, gate.work, Urgency.INGEST)
        await gate.wait_begun()
        with pytest.raises(TimeoutError):
            await threads.run(lambda: done.append("late"), Urgency.RANKING, deadline=time.monotonic() + 0.01)
        gate.let_go()
    await threads.run(int, Urgency.INGEST)

    assert done == []


async def test_several_works_run_on_all_threads_and_return_in_order() -> None:
    threads, both = OnnxThreads(threads=2), threading.Barrier(2)

    def work(number: int) -> int:
        both.wait(10)  # two are in here at the same time, or this breaks
        return number

    assert await threads.run_each([partial(work, number) for number in range(4)], Urgency.RANKING) == [0, 1, 2, 3]
    await threads.close()


async def test_what_is_urgent_goes_between_several_works(threads: OnnxThreads) -> None:
    gate, done = _Gate(), []
    works = [gate.work, lambda: done.append("second")]

    async with anyio.create_task_group() as group:
        group.start_soon(threads.run_each, works, Urgency.RANKING)
        await gate.wait_begun()
        group.start_soon(threads.run, lambda: done.append("q"), Urgency.QUESTION)
        await anyio.wait_all_tasks_blocked()
        gate.let_go()

    assert done == ["q", "second"]


async def test_once_one_of_several_works_failed_no_other_begins(threads: OnnxThreads) -> None:
    done: list[str] = []

    with pytest.raises(ZeroDivisionError):
        await threads.run_each([lambda: 1 // 0, lambda: done.append("second")], Urgency.RANKING)
    await threads.run(int, Urgency.INGEST)

    assert done == []


async def test_closed_threads_take_no_work() -> None:
    threads = OnnxThreads()
    await threads.run(int, Urgency.INGEST)
    await threads.close()

    with pytest.raises(ThreadsBusy):
        await threads.run(int, Urgency.INGEST)
