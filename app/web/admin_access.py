"""Who may call the admin API, by scope."""

from dataclasses import dataclass

from app.operating.actor import MANAGE, READ, WRITE
from app.operating.api_tokens import ApiTokens
from app.ports.rate_limiter import RateLimiter
from app.web.access import ApiAccess
from app.web.limits_policy import LimitsPolicy


@dataclass(frozen=True, slots=True)
class AdminAccess:
    read: ApiAccess
    write: ApiAccess
    manage: ApiAccess

    @classmethod
    def of(cls, tokens: ApiTokens, limiter: RateLimiter, limits: LimitsPolicy) -> "AdminAccess":
        read, write, manage = (ApiAccess(tokens, scope, limiter, limits) for scope in (READ, WRITE, MANAGE))
        return cls(read, write, manage)
