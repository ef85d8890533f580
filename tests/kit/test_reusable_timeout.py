"""Waits that are bounded by one timer."""

import asyncio

import pytest

from app.kit.timeouts import ReusableTimeout


def soon(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds


async def test_what_comes_in_time_is_had() -> None:
    timeout = ReusableTimeout()
    for number in range(3):
        assert await timeout.until(soon(30), asyncio.sleep(0, number)) == number
    timeout.close()


async def test_a_wait_that_is_too_long_ends_and_the_next_has_its_own_time() -> None:
    timeout = ReusableTimeout()
    for _ in range(2):
        with pytest.raises(TimeoutError):
            await timeout.until(soon(0.01), asyncio.Event().wait())
        assert await timeout.until(soon(30), asyncio.sleep(0.02, "had")) == "had"
    with pytest.raises(TimeoutError):  # sooner than the timer that is set
        await timeout.until(soon(0.01), asyncio.Event().wait())
    timeout.close()


async def test_time_between_two_waits_is_not_counted() -> None:
    timeout = ReusableTimeout()
    await timeout.until(soon(0.01), asyncio.sleep(0))
    await asyncio.sleep(0.03)
    assert await timeout.until(soon(30), asyncio.sleep(0, "had")) == "had"
    timeout.close()


async def test_a_timeout_within_is_not_ours_and_neither_is_a_cancellation() -> None:
    timeout = ReusableTimeout()
    waiting = asyncio.create_task(timeout.until(soon(30), asyncio.Event().wait()))
    await asyncio.sleep(0)
    assert timeout.is_waiting
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert not timeout.is_waiting
    timeout.close()


async def test_who_was_cancelled_before_the_time_was_over_stays_cancelled() -> None:
    timeout, stubborn = ReusableTimeout(), asyncio.Event()

    async def heard_late() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await stubborn.wait()

    waiting = asyncio.create_task(timeout.until(soon(0.01), heard_late()))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    timeout.close()
