"""Port: how many answers one visitor reads at the same time."""

import asyncio
from typing import Protocol
from uuid import UUID

from app.core.errors import Unavailable

# A place that nobody renews is free after this: a visitor whose process was killed waits no longer to read on.
LEASE_SECONDS = 20


class StreamPlaces(Protocol):
    """A place is named by whoever takes it. One that is never left, because its process died, runs out by itself."""

    async def take(self, visitor_id: UUID, place: UUID, limit: int) -> None:
        """Hold a place for `LEASE_SECONDS`. Raises RateLimited when the visitor holds `limit` of them."""
        ...

    async def renew(self, visitor_id: UUID, place: UUID) -> None:
        """Hold it for `LEASE_SECONDS` from now on, whatever has become of it."""
        ...

    async def leave(self, visitor_id: UUID, place: UUID) -> None: ...


class FallbackStreamPlaces:
    """Shared ones, and while those are away places of this process.

    A visitor may then read more answers at once, by asking more processes, and is still answered. What was taken in
    one way may be left in the other: both are told, and a shared place that could not be left is left before its
    visitor takes the next.
    """

    def __init__(self, shared: StreamPlaces, own: StreamPlaces) -> None:
        self._shared = shared
        self._own = own
        self._not_left: set[tuple[UUID, UUID]] = set()

    async def take(self, visitor_id: UUID, place: UUID, limit: int) -> None:
        for late in [late for late in self._not_left if late[0] == visitor_id]:
            await self._leave_shared(*late)
        try:
            await self._shared.take(visitor_id, place, limit)
        except Unavailable:
            await self._own.take(visitor_id, place, limit)

    async def renew(self, visitor_id: UUID, place: UUID) -> None:
        try:
            await self._shared.renew(visitor_id, place)
        except Unavailable:
            await self._own.renew(visitor_id, place)

    async def leave(self, visitor_id: UUID, place: UUID) -> None:
        await self._own.leave(visitor_id, place)
        await self._leave_shared(visitor_id, place)

    async def _leave_shared(self, visitor_id: UUID, place: UUID) -> None:
        late = (visitor_id, place)
        try:
            await self._shared.leave(visitor_id, place)
        except Unavailable:
            if late not in self._not_left:
                self._not_left.add(late)
                asyncio.get_running_loop().call_later(LEASE_SECONDS, self._not_left.discard, late)  # it has run out
        else:
            self._not_left.discard(late)
