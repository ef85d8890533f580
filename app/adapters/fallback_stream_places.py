"""StreamPlaces: shared ones, and while those are away places of this process."""

from contextlib import suppress
from uuid import UUID

from app.domain.errors import Unavailable
from app.ports.stream_places import StreamPlaces


class FallbackStreamPlaces:
    """A visitor may then read more answers at once, by asking more processes, and is still answered. What was taken
    in one way may be left in the other: both are told."""

    def __init__(self, shared: StreamPlaces, own: StreamPlaces) -> None:
        self._shared = shared
        self._own = own

    async def take(self, visitor_id: UUID, place: UUID, limit: int) -> None:
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
        with suppress(Unavailable):  # it runs out
            await self._shared.leave(visitor_id, place)
