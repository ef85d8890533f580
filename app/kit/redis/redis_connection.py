"""Connections to Redis: few of them, and never a long wait."""

from dataclasses import dataclass
from typing import Final

from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import RedisError

from app.core.errors import Unavailable

_SECONDS: Final = 2.0  # the last resort, our own delays included: who cannot wait so long sets their own limit
_CONNECTIONS: Final = 16
_FACTS_SECONDS: Final = 3.0  # an operator can wait
_MIB: Final = 1024**2


def redis_client(url: str, *, seconds: float = _SECONDS, connections: int = _CONNECTIONS) -> Redis:
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
