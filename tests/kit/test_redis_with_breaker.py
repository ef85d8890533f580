"""A Redis that refuses is said so, again and again while it does, but not with every call; one that does not answer
is left alone, and one that we were too busy to hear is not."""

import asyncio
import socket
import time

import pytest
from redis.asyncio import Redis
from redis.exceptions import ResponseError
from structlog.testing import capture_logs

from app.core.errors import Unavailable
from app.kit.circuit_breaker import CircuitBreaker
from app.kit.shared_redis import REFUSALS_SAID_EVERY_SECONDS, RedisWithBreaker


async def full(_: Redis) -> None:
    raise ResponseError("OOM command not allowed when used memory > 'maxmemory'.")


async def test_a_full_redis_is_logged_once_a_minute() -> None:
    clock = [0.0]
    redis = RedisWithBreaker(Redis(), CircuitBreaker("redis"), now=lambda: clock[0])
    with capture_logs() as logs:
        for seconds in (0.0, 1.0, REFUSALS_SAID_EVERY_SECONDS - 1, REFUSALS_SAID_EVERY_SECONDS, 7200.0, 7201.0):
            clock[0] = seconds
            with pytest.raises(Unavailable):
                await redis.call(full)
    assert [entry["event"] for entry in logs] == ["redis.refused"] * 3
    await redis.close()


def keep_the_loop_busy() -> None:
    time.sleep(0.05)


async def never(_: Redis) -> None:
    await asyncio.Event().wait()


async def test_a_redis_that_does_not_answer_is_left_alone() -> None:
    circuit = CircuitBreaker("redis", failures_to_open=1)
    redis = RedisWithBreaker(Redis(), circuit, call_seconds=0.02)
    with pytest.raises(Unavailable):
        await redis.call(never)
    assert circuit.is_open
    await redis.close()


async def test_an_answer_that_our_own_loop_was_late_for_is_no_failure_of_redis() -> None:
    circuit = CircuitBreaker("redis", failures_to_open=1)
    redis = RedisWithBreaker(Redis(), circuit, call_seconds=0.02)
    ours, theirs = socket.socketpair()
    ours.setblocking(False)

    async def answered_meanwhile(_: Redis) -> bytes:
        answer = asyncio.ensure_future(asyncio.get_running_loop().sock_recv(ours, 1))
        await asyncio.sleep(0)
        theirs.send(b"!")
        keep_the_loop_busy()
        return await answer

    with ours, theirs:
        assert await redis.call(answered_meanwhile) == b"!"
    assert not circuit.is_open
    await redis.close()
