"""Redis, which all processes share: clients that do not call it while it is down, one for short calls and one for calls
that wait; and a cache, rate limits and slots of streams that use them."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import quote
from uuid import UUID

import structlog
from limits import RateLimitItemPerSecond
from limits.aio.storage import RedisStorage
from limits.aio.strategies import MovingWindowRateLimiter
from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from app.core.errors import Unavailable
from app.kit.circuit_breaker import CircuitBreaker, CircuitOpen
from app.kit.limits import LEASE_SECONDS, Limit, too_many_streams
from app.kit.timeouts import patient_timeout

# The last resort, which includes delays of this process: callers that cannot wait so long set a shorter limit.
_CONNECTION_SECONDS: Final = 2.0
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
    """Facts about a server. `policy` is how it evicts when `max_mib` are full (0: no limit); `time` is its clock, in
    seconds since the epoch."""

    version: str
    policy: str
    max_mib: int
    time: float


async def redis_facts(url: str) -> RedisFacts:
    """Raises Unavailable."""
    redis = redis_client(url, seconds=_FACTS_SECONDS)
    try:
        info = await redis.info()
        seconds, microseconds = await redis.time()
    except (RedisError, OSError) as error:
        raise Unavailable(f"it does not answer ({type(error).__name__}).") from error
    finally:
        await redis.aclose()
    return RedisFacts(
        version=str(info.get("redis_version", "of unknown version")),
        policy=str(info.get("maxmemory_policy", "policy unknown")),
        max_mib=int(info.get("maxmemory", 0)) // _MIB,
        time=seconds + microseconds / 1e6,
    )


_log = structlog.get_logger(__name__)

T = TypeVar("T")

# Three timeouts, after which the circuit opens, take less than a quarter of a second: the longest that a visitor waits.
CALL_SECONDS: Final = 0.08

REFUSALS_SAID_EVERY_SECONDS: Final = 60.0

_AWAY: Final = (RedisConnectionError, RedisTimeoutError, OSError, TimeoutError)


class RedisWithBreaker:
    """Runs commands of one process, each for at most `call_seconds`, behind a single circuit breaker: after a failure
    of the cache, the limits need not wait as well. Delays of this process do not count.

    `client` may be used directly for calls that take longer.
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
        """Run `command` and return its result. Raises Unavailable.

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


LONGEST_WAIT_SECONDS: Final = 5.0  # the longest call of `waiting`
_CALL_SECONDS: Final = 1.0  # for many events at once, on a busy machine
_LATENESS_SECONDS: Final = 10.0  # delays of this process: the library's timeouts include them, `asking` does not
_CALLS: Final = 8
_WAITING_CALLS: Final = 256


class BlockingRedis:
    """`client` is for calls that return at once; `waiting` is for calls that wait in Redis, for up to
    `LONGEST_WAIT_SECONDS`, and has connections of its own, so that the others need not wait for one."""

    def __init__(self, url: str, circuit: CircuitBreaker, *, call_seconds: float = _CALL_SECONDS) -> None:
        longest = LONGEST_WAIT_SECONDS + call_seconds
        self.client: Redis = redis_client(url, seconds=call_seconds + _LATENESS_SECONDS, connections=_CALLS)
        self.waiting: Redis = redis_client(url, seconds=longest + _LATENESS_SECONDS, connections=_WAITING_CALLS)
        self._call_seconds = call_seconds
        self._circuit = circuit

    @asynccontextmanager
    async def asking(self, wait_seconds: float = 0.0) -> AsyncIterator[None]:
        """Wrap a call that lets Redis wait up to `wait_seconds` for data. Raises Unavailable. Error replies, such as
        about full memory, and delays of this process leave the circuit closed."""
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


_PREFIX: Final = "docent:"


class RedisCache:
    """While Redis is down, every read is a miss and every write is dropped."""

    def __init__(self, redis: RedisWithBreaker) -> None:
        self._redis = redis

    async def get(self, key: str) -> bytes | None:
        try:
            value = await self._redis.call(lambda client: client.get(_PREFIX + key))
        except Unavailable:
            return None
        return value if isinstance(value, bytes) else None

    async def set(self, key: str, value: bytes, *, ttl_seconds: int) -> None:
        if ttl_seconds <= 0:
            await self.delete(key)
            return
        with suppress(Unavailable):
            await self._redis.call(lambda client: client.set(_PREFIX + key, value, ex=ttl_seconds))

    async def delete(self, key: str) -> None:
        with suppress(Unavailable):
            await self._redis.call(lambda client: client.delete(_PREFIX + key))


class LimitsRateLimiter:
    """Uses the limits library. Raises Unavailable while Redis is down: see `FallbackRateLimiter`."""

    def __init__(self, redis: RedisWithBreaker) -> None:
        self._redis = redis
        # Typed for plain options only, but passed through.
        pool: Any = redis.client.connection_pool
        self._storage = RedisStorage(
            "async+redis://",  # unused, because the pool has its own address
            implementation="redispy",
            key_prefix="docent:limit",
            connection_pool=pool,
        )
        self._limiter = MovingWindowRateLimiter(self._storage)

    async def hit(self, limit: Limit, *key: str) -> None:
        item = RateLimitItemPerSecond(limit.count, limit.seconds)
        parts = [quote(part, safe="") for part in key]  # limits joins them with slashes
        if limit.count > 0 and await self._redis.call(lambda _: self._limiter.hit(item, *parts)):
            return
        stats = await self._redis.call(lambda _: self._limiter.get_window_stats(item, *parts))
        wait = math.ceil(stats.reset_time - time.time())
        raise limit.refusal(min(limit.seconds, max(1, wait)))


# KEYS: the visitor's set. ARGV: slot, seconds of a lease, limit (-1: renew). All processes share Redis's clock.
_HOLD: Final = """
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local limit = tonumber(ARGV[3])
if limit >= 0 and redis.call('ZCARD', KEYS[1]) >= limit then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('EXPIRE', KEYS[1], tonumber(ARGV[2]))
return 1
"""
_RENEWAL: Final = -1


class RedisStreamSlots:
    """Keeps a sorted set of slots per visitor, scored by when each expires. Raises Unavailable while Redis is down: see
    `FallbackStreamSlots`."""

    def __init__(self, redis: RedisWithBreaker) -> None:
        self._redis = redis

    async def acquire(self, visitor_id: UUID, slot: UUID, limit: int) -> None:
        if not await self._hold(visitor_id, slot, limit):
            raise too_many_streams(limit)

    async def renew(self, visitor_id: UUID, slot: UUID) -> None:
        await self._hold(visitor_id, slot, _RENEWAL)

    async def release(self, visitor_id: UUID, slot: UUID) -> None:
        await self._redis.call(lambda client: client.zrem(_key(visitor_id), str(slot)))

    async def _hold(self, visitor_id: UUID, slot: UUID, limit: int) -> bool:
        held = (_key(visitor_id), str(slot), LEASE_SECONDS, limit)
        return bool(await self._redis.call(lambda client: client.eval(_HOLD, 1, *held)))


def _key(visitor_id: UUID) -> str:
    return f"docent:streams:{visitor_id}"
