"""Who may call which route."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request

from app.domain.agent import LiveAgent
from app.domain.errors import Unauthorized
from app.domain.turn import VisitorSession
from app.operating.actor import Actor
from app.operating.api_tokens import ApiTokens
from app.ports.rate_limiter import RateLimiter
from app.ports.records.transaction import SystemOfRecord
from app.web.client_address import ClientAddresses
from app.web.errors import Refusal
from app.web.limits_policy import LimitsPolicy, a_minute
from app.web.origins import admit_token_origin
from app.web.visitor_tokens import VisitorTokens

API_SCHEME = "apiToken"
VISITOR_SCHEME = "visitorToken"


@dataclass(frozen=True, slots=True)
class VisitorCaller:
    session: VisitorSession
    agent: LiveAgent


class NewVisitorAccess:
    """For init: nobody is known yet, so addresses are counted. The handler checks the origin."""

    scheme: str | None = None
    errors: Sequence[str] = ("origin_refused", "rate_limited")

    def __init__(self, limiter: RateLimiter, limits: LimitsPolicy, addresses: ClientAddresses) -> None:
        self._limiter = limiter
        self._limits = limits
        self._addresses = addresses

    async def admit(self, request: Request) -> None:
        address = self._addresses.limit_key(request)
        await self._limiter.hit(a_minute(self._limits.inits_per_address), "init", "address", address)


class VisitorAccess:
    """A visitor token, from the origin that it was made for, which the agent must still list. It ends with what it is
    for: a conversation that was erased, or a visitor."""

    scheme: str | None = VISITOR_SCHEME
    errors: Sequence[str] = ("unauthorized", "origin_refused", "not_found", "rate_limited")

    def __init__(
        self, tokens: VisitorTokens, records: SystemOfRecord, limiter: RateLimiter, limits: LimitsPolicy
    ) -> None:
        self._tokens = tokens
        self._records = records
        self._limiter = limiter
        self._limits = limits

    async def admit(self, request: Request) -> VisitorCaller:
        claims = await self._tokens.verify(bearer_token(request, "visitor token from /v1/widget/init"))
        visitor = str(claims.session.visitor_id)
        await self._limiter.hit(a_minute(self._limits.calls_per_visitor), "calls", "visitor", visitor)
        async with self._records.read() as records:
            agent = await records.agents.live(claims.session.agent_id)
            is_kept = await records.conversations.is_kept(claims.session)
        if not is_kept:
            raise Unauthorized("What this visitor token was for has been erased. Ask for a new one at /v1/widget/init.")
        admit_token_origin(request, claims.origin, agent.config.allowed_origins)
        return VisitorCaller(claims.session, agent)


class ApiAccess:
    """An API token that has the scope."""

    scheme: str | None = API_SCHEME
    errors: Sequence[str] = ("unauthorized", "forbidden", "rate_limited")

    def __init__(self, tokens: ApiTokens, scope: str, limiter: RateLimiter, limits: LimitsPolicy) -> None:
        self._tokens = tokens
        self.scope = scope
        self._limiter = limiter
        self._limits = limits

    async def admit(self, request: Request) -> Actor:
        actor = await self._tokens.verify(bearer_token(request, "API token"))
        if not actor.may(self.scope):
            raise Refusal("forbidden", f'This API token lacks the scope "{self.scope}". Make one that has it.')
        key = (str(actor.workspace_id), actor.name)
        await self._limiter.hit(a_minute(self._limits.calls_per_api_token), "calls", "api_token", *key)
        return actor


def bearer_token(request: Request, what: str) -> str:
    """Raises Unauthorized."""
    headers = request.headers.getlist("authorization")
    scheme, _, token = headers[0].partition(" ") if len(headers) == 1 else ("", "", "")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized(f'Send the {what} in the header "Authorization: Bearer <token>".')
    return token.strip()
