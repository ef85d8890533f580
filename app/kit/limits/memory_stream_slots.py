"""StreamSlots of one process."""

import time
from collections.abc import Callable
from uuid import UUID

from app.core.errors import RateLimited
from app.kit.limits.stream_slots import LEASE_SECONDS

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
