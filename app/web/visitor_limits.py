"""How often a visitor may do something, by where they call from and by who they are."""

from uuid import UUID

from starlette.requests import Request

from app.ports.rate_limiter import RateLimiter
from app.web.client_address import ClientAddresses
from app.web.limits_policy import a_minute


class VisitorLimits:
    def __init__(self, limiter: RateLimiter, addresses: ClientAddresses) -> None:
        self._limiter = limiter
        self._addresses = addresses

    async def count(self, request: Request, visitor_id: UUID, what: str, *, per_address: int, per_visitor: int) -> None:
        """Once more of `what`, of which so many a minute may be done. Raises RateLimited."""
        address = self._addresses.limit_key(request)
        await self._limiter.hit(a_minute(per_address), what, "address", address)
        await self._limiter.hit(a_minute(per_visitor), what, "visitor", str(visitor_id))
