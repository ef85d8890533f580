"""How we speak to Redis: few connections, and never a long wait."""

from typing import Final

from redis.asyncio import BlockingConnectionPool, Redis

_SECONDS: Final = 0.1  # what is slower than this is slower than what it saves
_CONNECTIONS: Final = 16


def redis_client(url: str, *, seconds: float = _SECONDS, connections: int = _CONNECTIONS) -> Redis:
    """A client that waits `seconds` for a connection, and as long for an answer. Connects with its first command;
    close it with `aclose()`."""
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=connections,
        timeout=seconds,
        socket_connect_timeout=seconds,
        socket_timeout=seconds,
    )
    return Redis.from_pool(pool)
