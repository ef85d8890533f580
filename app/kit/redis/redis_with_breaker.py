"""Clients of Redis that leave it alone while it is away: one for short calls, one for calls that wait for something."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, TypeVar

import structlog
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from app.core.errors import Unavailable
from app.kit.circuit_breaker import CircuitBreaker, CircuitOpen
from app.kit.patient_timeout import patient_timeout
from app.kit.redis.redis_connection import redis_client

_log = structlog.get_logger(__name__)

T = TypeVar("T")

# Three of them, which open the circuit, stay below a quarter of a second: what a visitor waits at most.
CALL_SECONDS: Final = 0.08

REFUSALS_SAID_EVERY_SECONDS: Final = 60.0

_AWAY: Final = (RedisConnectionError, RedisTimeoutError, OSError, TimeoutError)


class RedisWithBreaker:
    """All that one process asks of one Redis: `call_seconds` a call, and one circuit, so that what the cache has
    waited for, the limits do not wait for again. Only what Redis takes is counted, not what this process is late.

    `client` is there for what must wait longer than a call may.
    """

    def __init__(
        self,
        client: Redis,
        circuit: CircuitBreaker,
        *,
        call_seconds: float = CALL_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.client = client
        self._call_seconds = call_seconds
        self._circuit = circuit
        self._now = now
        self._says_refusals_from = -math.inf

    async def call(self, command: Callable[[Redis], Awaitable[T]]) -> T:
        """What `command` gives. Raises Unavailable.

        A refusal, such as of a write when the memory is full, comes at once and leaves the circuit closed.
        """
        try:
            with self._circuit.call(_AWAY):
                async with patient_timeout(self._call_seconds):
                    given = await command(self.client)
        except CircuitOpen as error:
            raise Unavailable(str(error)) from error
        except _AWAY as error:
            _log.warning("redis.away", reason=f"{type(error).__name__}: {error}")
            raise Unavailable(f"Redis does not answer: {type(error).__name__}.") from error
        except RedisError as error:
            self._note_refusal(error)
            raise Unavailable(f"Redis refuses: {error}") from error
        return given

    async def close(self) -> None:
        await self.client.aclose()

    def _note_refusal(self, error: RedisError) -> None:
        now = self._now()
        if now >= self._says_refusals_from:  # a full Redis refuses every write
            self._says_refusals_from = now + REFUSALS_SAID_EVERY_SECONDS
            _log.warning("redis.refused", reason=f"{type(error).__name__}: {error}")


LONGEST_WAIT_SECONDS: Final = 5.0  # of one call of `waiting`
_CALL_SECONDS: Final = 1.0  # many events at once, on a busy machine
_LATENESS_SECONDS: Final = 10.0  # of our own, which the library's bounds count and `asking` does not
_CALLS: Final = 8
_WAITING_CALLS: Final = 256


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
