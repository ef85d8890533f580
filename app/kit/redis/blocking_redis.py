"""Redis for what no visitor waits for: events of turns, and what processes tell each other about them."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from app.core.errors import Unavailable
from app.kit.circuit_breaker import CircuitBreaker, CircuitOpen
from app.kit.redis.redis_connection import redis_client

LONGEST_WAIT_SECONDS = 5.0  # of one call of `waiting`
_CALL_SECONDS = 1.0  # many events at once, on a busy machine
_CALLS = 8
_WAITING_CALLS = 256

_AWAY = (RedisConnectionError, RedisTimeoutError, OSError, TimeoutError)


class BlockingRedis:
    """`client` is for calls that are answered at once. Each call of `waiting` may take `LONGEST_WAIT_SECONDS`, and
    has its own connections, so that none of the others waits for it."""

    def __init__(self, url: str, circuit: CircuitBreaker) -> None:
        self.client: Redis = redis_client(url, seconds=_CALL_SECONDS, connections=_CALLS)
        self.waiting: Redis = redis_client(url, seconds=LONGEST_WAIT_SECONDS + 1, connections=_WAITING_CALLS)
        self._circuit = circuit

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Around one call. Raises Unavailable; a refusal, such as of a full memory, leaves the circuit closed."""
        try:
            with self._circuit.call(_AWAY):
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
