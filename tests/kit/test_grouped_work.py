"""Work that is done on all that wait at once."""

import asyncio
from collections.abc import Sequence

import pytest

from app.kit.tasks import GroupedWork


class Doubling:
    """Twice each number, when it is let; it cannot double those that it `refuses`, nor any that is with them."""

    def __init__(self, *refuses: int) -> None:
        self.refuses = set(refuses)
        self.groups: list[list[int]] = []
        self.may_go = asyncio.Event()
        self._has_begun = asyncio.Condition()

    async def __call__(self, numbers: Sequence[int]) -> list[int]:
        self.groups.append(list(numbers))
        async with self._has_begun:
            self._has_begun.notify_all()
        await self.may_go.wait()
        if self.refuses & set(numbers):
            raise ValueError(f"{numbers} cannot be doubled")
        return [2 * number for number in numbers]

    async def has_begun(self, groups: int) -> None:
        async with self._has_begun:
            await self._has_begun.wait_for(lambda: len(self.groups) >= groups)


async def asked(doubling: Doubling, *numbers: int) -> list[asyncio.Task[int]]:
    """The first is under way, the others wait."""
    work, tasks = GroupedWork[int, int](doubling, most=3), []
    for number in numbers:
        tasks.append(asyncio.create_task(work.run(number)))
        await doubling.has_begun(1)
    return tasks


async def ended(*tasks: asyncio.Task[int]) -> list[int | BaseException]:
    return await asyncio.gather(*tasks, return_exceptions=True)


async def test_one_that_comes_while_nothing_is_done_goes_at_once() -> None:
    doubling = Doubling()
    doubling.may_go.set()
    assert await GroupedWork(doubling, most=3).run(1) == 2


async def test_those_that_wait_meanwhile_go_together_first_come_first_served() -> None:
    doubling = Doubling()
    tasks = await asked(doubling, 1, 2, 3, 4, 5)
    doubling.may_go.set()
    assert await ended(*tasks) == [2, 4, 6, 8, 10]
    assert doubling.groups == [[1], [2, 3, 4], [5]]


async def test_one_that_fails_takes_nobody_along() -> None:
    doubling = Doubling(3)
    tasks = await asked(doubling, 1, 2, 3, 4)
    doubling.may_go.set()
    two, failed, four = (await ended(*tasks))[1:]
    assert (two, four) == (4, 8)
    assert isinstance(failed, ValueError)
    assert doubling.groups == [[1], [2, 3, 4], [2], [3], [4]]


async def test_whoever_leaves_while_they_wait_is_not_worked_for() -> None:
    doubling = Doubling()
    first, leaving, last = await asked(doubling, 1, 2, 3)
    await asyncio.sleep(0)
    leaving.cancel()
    doubling.may_go.set()
    assert (await ended(first, last)) == [2, 6]
    assert doubling.groups == [[1], [3]]


async def test_those_whose_work_was_ended_by_one_who_left_begin_anew() -> None:
    doubling = Doubling()
    first, leaving, last = await asked(doubling, 1, 2, 3)
    released, doubling.may_go = doubling.may_go, asyncio.Event()
    released.set()
    await first
    await doubling.has_begun(2)
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    doubling.may_go.set()
    assert await last == 6
    assert doubling.groups == [[1], [2, 3], [3]]
