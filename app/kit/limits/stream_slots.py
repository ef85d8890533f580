"""Port: limits how many answers one visitor reads at the same time; in this process."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol
from uuid import UUID

from app.core.errors import RateLimited, Unavailable

# A slot that nobody renews is free after this time: a visitor whose process was killed waits no longer than that.
LEASE_SECONDS = 20


class StreamSlots(Protocol):
    """The caller names the slot. One that is never released, because its process died, expires."""

    async def acquire(self, visitor_id: UUID, slot: UUID, limit: int) -> None:
        """Hold a slot for `LEASE_SECONDS`. Raises RateLimited if the visitor already holds `limit` of them."""
        ...

    async def renew(self, visitor_id: UUID, slot: UUID) -> None:
        """Hold it for another `LEASE_SECONDS`, even if it has expired."""
        ...

    async def release(self, visitor_id: UUID, slot: UUID) -> None: ...


class FallbackStreamSlots:
    """Uses the shared slots, and those of this process while they are down.

    A visitor may then read more answers at once, from several processes, and still gets answers. A slot that was
    acquired on one side may be released on the other: both are called, and one that could not be released is released
    before its visitor takes the next.
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
                asyncio.get_running_loop().call_later(LEASE_SECONDS, self._not_released.discard, late)  # it has expired
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
