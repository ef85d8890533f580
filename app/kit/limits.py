"""Limits on one caller's requests, on concurrent work of a kind, and on answers that a visitor reads at once; counted
in this process, or in Redis (`shared_redis.py`)."""

import asyncio
import math
import time
from bisect import bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from app.core.errors import RateLimited, Unavailable


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `count` hits in any `seconds`."""

    count: int
    seconds: int

    def refusal(self, retry_after_seconds: int) -> RateLimited:
        return RateLimited(
            "Too many requests. Try again a little later.", retry_after_seconds, (self.count, self.seconds)
        )


def a_minute(count: int) -> Limit:
    return Limit(count, 60)


def an_hour(count: int) -> Limit:
    return Limit(count, 3600)


def a_day(count: int) -> Limit:
    return Limit(count, 86_400)


class RateLimiter(Protocol):
    async def hit(self, limit: Limit, *key: str) -> None:
        """Count one hit of `key`.

        Raises RateLimited, with the seconds to wait, if the limit is used up.
        """
        ...


class FallbackRateLimiter:
    """Uses the shared limiter, and one in this process while that is down.

    Limits are then counted per process, which is less strict, but visitors still get answers. `shared` logs that it is
    down.
    """

    def __init__(self, shared: RateLimiter, own: RateLimiter) -> None:
        self._shared = shared
        self._own = own

    async def hit(self, limit: Limit, *key: str) -> None:
        try:
            await self._shared.hit(limit, *key)
        except Unavailable:
            await self._own.hit(limit, *key)


class MemoryRateLimiter:
    """Counts hits in a moving window per key, for the last `max_keys` callers of each limit.

    The `limits` library has one too, but its asynchronous storage walks over all keys, with a thread for each, after
    every hit.
    """

    def __init__(self, *, max_keys: int = 100_000, now: Callable[[], float] = time.monotonic) -> None:
        self._max_keys = max_keys
        self._now = now
        self._callers: defaultdict[Limit, OrderedDict[tuple[str, ...], list[float]]] = defaultdict(OrderedDict)

    @property
    def remembered_count(self) -> int:
        """The number of hits by all callers."""
        return sum(len(hits) for callers in self._callers.values() for hits in callers.values())

    async def hit(self, limit: Limit, *key: str) -> None:
        now = self._now()
        counts_from, callers = now - limit.seconds, self._callers[limit]
        self._forget_before(counts_from, callers)
        hits = callers.setdefault(key, [])
        callers.move_to_end(key)
        del hits[: bisect_right(hits, counts_from)]
        if len(hits) >= limit.count:
            wait = math.ceil(hits[0] + limit.seconds - now) if hits else limit.seconds
            raise limit.refusal(max(1, wait))
        hits.append(now)
        if len(callers) > self._max_keys:
            callers.popitem(last=False)

    def _forget_before(self, moment: float, callers: OrderedDict[tuple[str, ...], list[float]]) -> None:
        """Callers are ordered by their latest hit, so the first ones expire first."""
        while callers:
            key, hits = next(iter(callers.items()))
            if hits and hits[-1] > moment:
                return
            del callers[key]


# Slots for one kind of work: a limited number at once, and a limited number that wait.
class ConcurrencyLimitReached(Exception):
    """The queue is full, or no slot became free in time."""


class ConcurrencyLimiter:
    """Allows `running` pieces of work at once. Up to `waiting` more wait for a slot, first come first served, each for
    at most `wait_seconds`."""

    def __init__(self, *, running: int, waiting: int, wait_seconds: float) -> None:
        self._free = asyncio.Semaphore(running)
        self._waiting = waiting
        self._wait_seconds = wait_seconds
        self._waiting_now = 0

    @property
    def is_full(self) -> bool:
        """Whether all slots are taken and the queue is full."""
        return self._free.locked() and self._waiting_now >= self._waiting

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Holds a slot while the block runs. Raises ConcurrencyLimitReached, immediately if the queue is full."""
        if self.is_full:
            raise ConcurrencyLimitReached(f"{self._waiting} wait already")
        self._waiting_now += 1
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._free.acquire()
        except TimeoutError as error:
            raise ConcurrencyLimitReached(f"no slot became free within {self._wait_seconds:g} s") from error
        finally:
            self._waiting_now -= 1
        try:
            yield
        finally:
            self._free.release()


# A slot that nobody renews is free after this time: a visitor whose process was killed waits no longer than that.
LEASE_SECONDS = 20


class StreamSlots(Protocol):
    """Slots for answers that a visitor reads at once. The caller chooses the slot's id. A slot that is not released,
    because its process died, expires."""

    async def acquire(self, visitor_id: UUID, slot: UUID, limit: int) -> None:
        """Hold a slot for `LEASE_SECONDS`. Raises RateLimited if the visitor already holds `limit` of them."""
        ...

    async def renew(self, visitor_id: UUID, slot: UUID) -> None:
        """Hold the slot for another `LEASE_SECONDS`, even if it has expired."""
        ...

    async def release(self, visitor_id: UUID, slot: UUID) -> None: ...


class FallbackStreamSlots:
    """Uses `shared`, or `own`, which counts in this process, while `shared` is down.

    A visitor may then read more answers at once, from several processes, and still gets answers. A slot may be acquired
    in one and released in the other, so `release` calls both. A slot that could not be released in `shared` is released
    before its visitor acquires the next.
    """

    def __init__(self, shared: StreamSlots, own: StreamSlots) -> None:
        self._shared = shared
        self._own = own
        self._not_released: set[tuple[UUID, UUID]] = set()

    async def acquire(self, visitor_id: UUID, slot: UUID, limit: int) -> None:
        for late in [late for late in self._not_released if late[0] == visitor_id]:
            await self._release_shared(*late)
        try:
            await self._shared.acquire(visitor_id, slot, limit)
        except Unavailable:
            await self._own.acquire(visitor_id, slot, limit)

    async def renew(self, visitor_id: UUID, slot: UUID) -> None:
        try:
            await self._shared.renew(visitor_id, slot)
        except Unavailable:
            await self._own.renew(visitor_id, slot)

    async def release(self, visitor_id: UUID, slot: UUID) -> None:
        await self._own.release(visitor_id, slot)
        await self._release_shared(visitor_id, slot)

    async def _release_shared(self, visitor_id: UUID, slot: UUID) -> None:
        late = (visitor_id, slot)
        try:
            await self._shared.release(visitor_id, slot)
        except Unavailable:
            if late not in self._not_released:
                self._not_released.add(late)
                asyncio.get_running_loop().call_later(LEASE_SECONDS, self._not_released.discard, late)  # expired
        else:
            self._not_released.discard(late)


RETRY_SECONDS = 5  # by then, an answer that is being read may have ended


def too_many_streams(limit: int) -> RateLimited:
    return RateLimited(
        f"{limit} answers are being read already. Close one of them, or try again a little later.", RETRY_SECONDS
    )


class MemoryStreamSlots:
    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._held: dict[UUID, dict[UUID, float]] = {}  # visitor -> slot -> when it expires

    async def acquire(self, visitor_id: UUID, slot: UUID, limit: int) -> None:
        now = self._now()
        held = {each: until for each, until in self._held.get(visitor_id, {}).items() if until > now}
        if len(held) >= limit:
            raise too_many_streams(limit)
        self._held[visitor_id] = held | {slot: now + LEASE_SECONDS}

    async def renew(self, visitor_id: UUID, slot: UUID) -> None:
        self._held.setdefault(visitor_id, {})[slot] = self._now() + LEASE_SECONDS

    async def release(self, visitor_id: UUID, slot: UUID) -> None:
        held = self._held.get(visitor_id, {})
        held.pop(slot, None)
        if not held:
            self._held.pop(visitor_id, None)
