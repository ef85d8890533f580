"""Port: how many answers one visitor reads at the same time."""

from typing import Protocol
from uuid import UUID

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
