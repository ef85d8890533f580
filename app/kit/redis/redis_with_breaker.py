"""Clients of Redis that do not call it while it is down: one for short calls, one for calls that wait."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

import structlog
from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from app.core.errors import Unavailable
from app.kit.circuit_breaker import CircuitBreaker, CircuitOpen
from app.kit.timeouts import patient_timeout

_CONNECTION_SECONDS: Final = (
    2.0  # the last resort, our own delays included: who cannot wait so long sets their own limit
)
_CONNECTIONS: Final = 16
_FACTS_SECONDS: Final = 3.0  # an operator can wait
_MIB: Final = 1024**2


def redis_client(url: str, *, seconds: float = _CONNECTION_SECONDS, connections: int = _CONNECTIONS) -> Redis:
    """A client that waits `seconds` for a connection, and as long for a response. Connects with its first command;
    close it with `aclose()`."""
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=connections,
        timeout=seconds,
        socket_connect_timeout=seconds,
        socket_timeout=seconds,
    )
    return Redis.from_pool(pool)


@dataclass(frozen=True, slots=True)
class RedisFacts:
    """`policy` is what it evicts when `max_mib` are full (0: no limit); `time` is seconds of the epoch."""

    version: str
    policy: str
    max_mib: int
    time: float


async def redis_facts(url: str) -> RedisFacts:
    """Raises Unavailable."""
    redis = redis_client(url, seconds=_FACTS_SECONDS)
    try:
        told = await redis.info()
        seconds, microseconds = await redis.time()
    except (RedisError, OSError) as error:
        raise Unavailable(f"it does not answer ({type(error).__name__}).") from error
    finally:
        await redis.aclose()
    return RedisFacts(
        version=str(told.get("redis_version", "of unknown version")),
        policy=str(told.get("maxmemory_policy", "policy unknown")),
        max_mib=int(told.get("maxmemory", 0)) // _MIB,
        time=seconds + microseconds / 1e6,
    )


_log = structlog.get_logger(__name__)

T = TypeVar("T")

# Three of them, which open the circuit, take less than a quarter of a second together: the longest that a visitor
# waits.
CALL_SECONDS: Final = 0.08

REFUSALS_SAID_EVERY_SECONDS: Final = 60.0

_AWAY: Final = (RedisConnectionError, RedisTimeoutError, OSError, TimeoutError)


class RedisWithBreaker:
    """One process's use of one Redis: `call_seconds` per call, and a single circuit, so that after a failure of the
    cache, the limits need not wait as well. Only Redis's time counts, not delays of this process.

    `client` is for calls that may take longer.
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
        """The result of `command`. Raises Unavailable.

        An error reply, such as to a write when the memory is full, raises at once and leaves the circuit closed.
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
_CALL_SECONDS: Final = 1.0  # for many events at once, on a busy machine
_LATENESS_SECONDS: Final = 10.0  # of our own, which the library's limits include and `asking` does not
_CALLS: Final = 8
_WAITING_CALLS: Final = 256


class BlockingRedis:
    """`client` is for calls that return at once. Each call of `waiting` may take `LONGEST_WAIT_SECONDS`, and has its
    own connections, so that the others need not wait for it."""

    def __init__(self, url: str, circuit: CircuitBreaker, *, call_seconds: float = _CALL_SECONDS) -> None:
        longest = LONGEST_WAIT_SECONDS + call_seconds
        self.client: Redis = redis_client(url, seconds=call_seconds + _LATENESS_SECONDS, connections=_CALLS)
        self.waiting: Redis = redis_client(url, seconds=longest + _LATENESS_SECONDS, connections=_WAITING_CALLS)
        self._call_seconds = call_seconds
        self._circuit = circuit

    @asynccontextmanager
    async def asking(self, wait_seconds: float = 0.0) -> AsyncIterator[None]:
        """Around a call that lets Redis wait up to `wait_seconds` for data. Raises Unavailable; an error reply, such as
        about full memory, leaves the circuit closed, and so does a delay of our own."""
        try:
            with self._circuit.call(_AWAY):
                async with patient_timeout(wait_seconds + self._call_seconds):
                    yield
                    task = asyncio.current_task()
                    if task and task.cancelling():  # before Python 3.12, the library may lose a cancel while it sends
                        raise asyncio.CancelledError
        except CircuitOpen as error:
            raise Unavailable(f"Redis is not asked: {error}.") from error
        except (*_AWAY, RedisError) as error:
            raise Unavailable(f"Redis does not keep the turns: {type(error).__name__}: {error}") from error

    async def close(self) -> None:
        await self.client.aclose()
        await self.waiting.aclose()
