"""Waits that are bounded by one timer."""

import asyncio

import pytest

from app.kit.patience import Patience


def soon(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds


async def test_what_comes_in_time_is_had() -> None:
    patience = Patience()
    for number in range(3):
        assert await patience.until(soon(30), asyncio.sleep(0, number)) == number
    patience.close()


async def test_a_wait_that_is_too_long_ends_and_the_next_has_its_own_time() -> None:
    patience = Patience()
    for _ in range(2):
        with pytest.raises(TimeoutError):
            await patience.until(soon(0.01), asyncio.Event().wait())
        assert await patience.until(soon(30), asyncio.sleep(0.02, "had")) == "had"
    with pytest.raises(TimeoutError):  # sooner than the timer that is set
        await patience.until(soon(0.01), asyncio.Event().wait())
    patience.close()


async def test_time_between_two_waits_is_not_counted() -> None:
    patience = Patience()
    await patience.until(soon(0.01), asyncio.sleep(0))
    await asyncio.sleep(0.03)
    assert await patience.until(soon(30), asyncio.sleep(0, "had")) == "had"
    patience.close()


async def test_a_timeout_within_is_not_ours_and_neither_is_a_cancellation() -> None:
    patience = Patience()
    waiting = asyncio.create_task(patience.until(soon(30), asyncio.Event().wait()))
    await asyncio.sleep(0)
    assert patience.is_waiting
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert not patience.is_waiting
    patience.close()


async def test_who_was_cancelled_before_the_time_was_over_stays_cancelled() -> None:
    patience, stubborn = Patience(), asyncio.Event()

    async def heard_late() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await stubborn.wait()

    waiting = asyncio.create_task(patience.until(soon(0.01), heard_late()))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    patience.close()
