"""What the processes of a run share, and how it is struck."""

import asyncio
import time
from dataclasses import dataclass, field

from tests.doubles.postgres_server import Failure, PostgresServer
from tests.scale.redis_server import RedisServer

AWAY_SECONDS = 3


@dataclass(frozen=True, slots=True)
class Servers:
    """`postgres` is None where the record is a SQLite file. `record_away` has from when to when it took no writes, by
    time.monotonic."""

    redis: RedisServer
    postgres: PostgresServer | None
    record_away: list[tuple[float, float]] = field(default_factory=list)
    _redis_is_struck: asyncio.Lock = field(default_factory=asyncio.Lock)  # the next blow falls when it is back
    _postgres_is_struck: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def strike_redis(self) -> None:
        """It comes back empty."""
        async with self._redis_is_struck:
            await asyncio.to_thread(self.redis.stop)
            await asyncio.sleep(AWAY_SECONDS)
            await asyncio.to_thread(self.redis.start)

    async def strike_postgres(self, how: Failure) -> None:
        async with self._postgres_is_struck:
            began = time.monotonic()
            await asyncio.to_thread(self._fail, how)
            self.record_away.append((began, time.monotonic()))

    def _fail(self, how: Failure) -> None:
        assert self.postgres
        with self.postgres.failing(how):
            time.sleep(AWAY_SECONDS)
