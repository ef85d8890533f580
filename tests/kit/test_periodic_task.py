"""Work that is done again and again."""

import asyncio

from app.kit.tasks import PeriodicTask


async def test_after_a_round_that_did_something_the_next_follows_at_once() -> None:
    left, rounds, idle = 3, 0, asyncio.Event()

    async def work() -> int:
        nonlocal left, rounds
        rounds += 1
        if not left:
            idle.set()
            return 0
        left -= 1
        return 1

    async with PeriodicTask("counting", work, pause_seconds=3600):
        async with asyncio.timeout(5):
            await idle.wait()
    assert rounds == 4


async def test_a_round_that_fails_is_not_the_last() -> None:
    failures, done = 2, asyncio.Event()

    async def work() -> int:
        nonlocal failures
        if failures:
            failures -= 1
            raise OSError("the database does not answer")
        done.set()
        return 0

    async with PeriodicTask("failing", work, pause_seconds=0), asyncio.timeout(5):
        await done.wait()


async def test_nothing_goes_on_behind_the_block() -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def work() -> int:
        begun.set()
        try:
            return await asyncio.Future()
        finally:
            cancelled.set()

    async with PeriodicTask("waiting", work, pause_seconds=0):
        await begun.wait()
    assert cancelled.is_set()
