"""A bound in which our own lateness is not counted."""

import asyncio
import socket
import time

import pytest

from app.kit.timeouts import patient_timeout

SECONDS = 0.04


def keep_the_loop_busy() -> None:
    time.sleep(2 * SECONDS)


async def test_who_does_not_answer_is_waited_for_no_longer() -> None:
    began = asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError):
        async with patient_timeout(SECONDS):
            await asyncio.Event().wait()
    assert asyncio.get_running_loop().time() - began >= SECONDS


async def test_an_answer_that_is_there_is_taken_however_late_we_look() -> None:
    loop = asyncio.get_running_loop()
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with ours, theirs:
        async with patient_timeout(SECONDS):
            for _ in range(3):  # each answer is followed by a question
                asked = asyncio.ensure_future(loop.sock_recv(ours, 1))
                await asyncio.sleep(0)
                theirs.send(b"!")
                keep_the_loop_busy()
                assert await asked == b"!"


async def test_a_cancellation_from_outside_stays_one() -> None:
    async def waits() -> None:
        async with patient_timeout(60):
            await asyncio.Event().wait()

    waiting = asyncio.create_task(waits())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
