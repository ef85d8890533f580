"""Calls that a cancelled task does not tear apart."""

import asyncio

import anyio
import pytest

from app.store.system_of_record import unbroken


async def test_a_call_gives_its_result_or_its_error() -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    assert await unbroken(asyncio.sleep(0, "result")) == "result"
    with pytest.raises(ZeroDivisionError):
        await unbroken(fail())


@pytest.mark.parametrize("fails", [False, True])
async def test_a_cancelled_call_ends_before_the_cancellation_goes_on(fails: bool) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def call() -> None:
        begun.set()
        await asyncio.sleep(0.02)
        ended.set()
        if fails:
            raise ZeroDivisionError

    task = asyncio.create_task(unbroken(call()))
    await begun.wait()
    for _ in range(2):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


async def test_a_cancelled_scope_waits_for_the_call() -> None:
    ended = asyncio.Event()

    async def call() -> None:
        await asyncio.sleep(0.02)
        ended.set()

    with anyio.move_on_after(0.001):
        await unbroken(call())
    assert ended.is_set()
