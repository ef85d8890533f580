"""Checks before somebody may call, for both the API and the console."""

from dataclasses import dataclass

from starlette.requests import Request

from app.kit.limits.rate_limiter import RateLimiter
from app.store.system_of_record import SystemOfRecord
from app.web.client_address import ClientAddresses
from app.web.limits_policy import LimitsPolicy, a_minute
from app.web.visitor_tokens import VisitorTokens
from app.workspaces.api_tokens import ApiTokens
from app.workspaces.sign_in import SignIn


@dataclass(frozen=True, slots=True)
class Admission:
    api_tokens: ApiTokens
    sign_in: SignIn
    visitor_tokens: VisitorTokens
    records: SystemOfRecord
    limiter: RateLimiter
    limits: LimitsPolicy
    addresses: ClientAddresses

    async def count(self, per_minute: int, *key: str) -> None:
        """Raises RateLimited."""
        await self.limiter.hit(a_minute(per_minute), *key)

    async def count_address(self, per_minute: int, what: str, request: Request) -> None:
        """Raises RateLimited."""
        await self.count(per_minute, what, "address", self.addresses.limit_key(request))
