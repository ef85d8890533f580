"""A Redis that refuses is said so, again and again while it does, but not with every call."""

import pytest
from redis.asyncio import Redis
from redis.exceptions import ResponseError
from structlog.testing import capture_logs

from app.core.errors import Unavailable
from app.kit.circuit_breaker import CircuitBreaker
from app.kit.redis.redis_with_breaker import REFUSALS_SAID_EVERY_SECONDS, RedisWithBreaker


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
