"""What web processes share through Redis, in this process, and away whenever a test says so."""

from collections.abc import AsyncGenerator, Collection, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from app.core.errors import Unavailable
from app.core.turn_events import NumberedEvent
from app.kit.limits import FallbackRateLimiter, Limit, MemoryRateLimiter, RateLimiter
from app.turns.remote.remote_turns import SharedTurns
from app.turns.remote.turn_log import EventBatch, MemoryTurnOrders, TurnHead, TurnOrder
from tests.doubles.memory_turn_log import MemoryTurnLog


@dataclass
class SharedMemory:
    """While `is_away` the cache reads as a miss and writes nothing, and everything else raises Unavailable. It outlives
    the processes that use it."""

    is_away: bool = False
    cached: dict[str, bytes] = field(default_factory=dict)
    log: MemoryTurnLog = field(default_factory=MemoryTurnLog)
    orders: MemoryTurnOrders = field(default_factory=MemoryTurnOrders)
    limiter: MemoryRateLimiter = field(default_factory=MemoryRateLimiter)

    def cache(self) -> "_Cache":
        return _Cache(self)

    def rate_limiter(self) -> RateLimiter:
        return FallbackRateLimiter(_Limiter(self), MemoryRateLimiter())

    def turns(self) -> SharedTurns:
        return SharedTurns(_Log(self), _Orders(self))

    def check(self) -> None:
        if self.is_away:
            raise Unavailable("Redis was told to be away.")


@dataclass
class _Cache:
    shared: SharedMemory

    async def get(self, key: str) -> bytes | None:
        return None if self.shared.is_away else self.shared.cached.get(key)

    async def set(self, key: str, value: bytes, *, ttl_seconds: int) -> None:
        if not self.shared.is_away:
            self.shared.cached[key] = value

    async def delete(self, key: str) -> None:
        if not self.shared.is_away:
            self.shared.cached.pop(key, None)


@dataclass
class _Limiter:
    shared: SharedMemory

    async def hit(self, limit: Limit, *key: str) -> None:
        self.shared.check()
        await self.shared.limiter.hit(limit, *key)


@dataclass
class _Log:
    shared: SharedMemory
    is_shared = True

    async def append(self, batches: Sequence[EventBatch]) -> Collection[UUID]:
        self.shared.check()
        return await self.shared.log.append(batches)

    async def head(self, turn_id: UUID) -> TurnHead | None:
        self.shared.check()
        return await self.shared.log.head(turn_id)

    async def read(self, turn_id: UUID, after: int, wait_seconds: float) -> list[NumberedEvent]:
        self.shared.check()
        return await self.shared.log.read(turn_id, after, wait_seconds)

    async def forget(self, turn_ids: Collection[UUID]) -> None:
        self.shared.check()
        await self.shared.log.forget(turn_ids)


@dataclass
class _Orders:
    shared: SharedMemory

    async def send(self, order: TurnOrder) -> None:
        self.shared.check()
        await self.shared.orders.send(order)

    def received(self) -> AsyncGenerator[TurnOrder, None]:
        return self.shared.orders.received()
