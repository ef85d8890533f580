"""Redis for what no visitor waits for: events of turns, and what processes tell each other about them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from app.core.errors import Unavailable
from app.kit.circuit_breaker import CircuitBreaker, CircuitOpen
from app.kit.patient_timeout import patient_timeout
from app.kit.redis.redis_connection import redis_client

LONGEST_WAIT_SECONDS: Final = 5.0  # of one call of `waiting`
_CALL_SECONDS: Final = 1.0  # many events at once, on a busy machine
_LATENESS_SECONDS: Final = 10.0  # of our own, which the library's bounds count and `asking` does not
_CALLS: Final = 8
_WAITING_CALLS: Final = 256

_AWAY = (RedisConnectionError, RedisTimeoutError, OSError, TimeoutError)


class BlockingRedis:
    """`client` is for calls that are answered at once. Each call of `waiting` may take `LONGEST_WAIT_SECONDS`, and
    has its own connections, so that none of the others waits for it."""

    def __init__(self, url: str, circuit: CircuitBreaker, *, call_seconds: float = _CALL_SECONDS) -> None:
        longest = LONGEST_WAIT_SECONDS + call_seconds
        self.client: Redis = redis_client(url, seconds=call_seconds + _LATENESS_SECONDS, connections=_CALLS)
        self.waiting: Redis = redis_client(url, seconds=longest + _LATENESS_SECONDS, connections=_WAITING_CALLS)
        self._call_seconds = call_seconds
        self._circuit = circuit

    @asynccontextmanager
    async def asking(self, wait_seconds: float = 0.0) -> AsyncIterator[None]:
        """Around one call, for which Redis is told to wait `wait_seconds` where there is nothing. Raises Unavailable; a
        refusal, such as of a full memory, leaves the circuit closed, and so does what this process is late itself."""
        try:
            with self._circuit.call(_AWAY):
                async with patient_timeout(wait_seconds + self._call_seconds):
                    yield
                    task = asyncio.current_task()
                    if task and task.cancelling():  # before Python 3.12 the library may lose a cancel while it sends
                        raise asyncio.CancelledError
        except CircuitOpen as error:
            raise Unavailable(f"Redis is not asked: {error}.") from error
        except (*_AWAY, RedisError) as error:
            raise Unavailable(f"Redis does not keep the turns: {type(error).__name__}: {error}") from error

    async def close(self) -> None:
        await self.client.aclose()
        await self.waiting.aclose()
