"""Access rules: each operation of the API and each page of the console declares who may call it as its `access`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from starlette.requests import Request

from app.agents.agent import LiveAgent
from app.agents.records import AgentRecords
from app.conversations.records.conversations import ConversationRecords
from app.core.actor import ASK, MANAGE, READ, WRITE, Actor
from app.core.errors import Unauthorized
from app.core.turn import VisitorSession
from app.kit.limits import RateLimiter, a_minute
from app.store.system_of_record import SystemOfRecord
from app.store.transaction import Transaction
from app.web.client_address import ClientAddresses
from app.web.errors import Refusal
from app.web.limits_policy import LimitsPolicy
from app.web.middleware.public_url import path_below
from app.web.origins import admit_token_origin
from app.web.visitor_tokens import VisitorTokens
from app.workspaces.api_tokens import ApiTokens
from app.workspaces.operator import Operator
from app.workspaces.operators import acting
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


API_SCHEME = "apiToken"
VISITOR_SCHEME = "visitorToken"


@dataclass(frozen=True, slots=True)
class VisitorCaller:
    session: VisitorSession
    agent: LiveAgent


@dataclass(frozen=True, slots=True)
class Everyone:
    scheme: str | None = None
    errors: Sequence[str] = ()

    async def admit(self, request: Request, admission: Admission) -> None:
        return None


@dataclass(frozen=True, slots=True)
class CountedAddress:
    """Anybody, with at most `limit` calls per minute from one address."""

    what: str
    limit: Callable[[LimitsPolicy], int]
    errors: Sequence[str]
    scheme: str | None = None

    async def admit(self, request: Request, admission: Admission) -> None:
        await admission.count_address(self.limit(admission.limits), self.what, request)


@dataclass(frozen=True, slots=True)
class HookAccess:
    """A service that the operation identifies by a signature. Services call for many agents from few addresses, so one
    address may call each hook as often as `inits_per_address`, and all together ten times as often."""

    scheme: str | None = None
    errors: Sequence[str] = ("unauthorized", "rate_limited")

    async def admit(self, request: Request, admission: Admission) -> None:
        per_minute = admission.limits.inits_per_address
        await admission.count_address(10 * per_minute, "hook", request)
        await admission.count_address(per_minute, path_below(request.scope), request)


@dataclass(frozen=True, slots=True)
class VisitorAccess:
    """A visitor token, sent from the origin that it was issued for, which the agent must still list. It becomes invalid
    when its conversation or visitor is erased."""

    scheme: str | None = VISITOR_SCHEME
    errors: Sequence[str] = ("unauthorized", "origin_refused", "not_found", "rate_limited")

    async def admit(self, request: Request, admission: Admission) -> VisitorCaller:
        claims = await admission.visitor_tokens.verify(bearer_token(request, "visitor token from /v1/widget/init"))
        visitor_id = str(claims.session.visitor_id)
        await admission.count(admission.limits.calls_per_visitor, "calls", "visitor", visitor_id)
        agent, is_kept = await admission.records.of_workspace(claims.session.workspace_id).read(
            lambda tx: _caller(tx, claims.session)
        )
        if not is_kept:
            raise Unauthorized("The data of this visitor token has been erased. Ask for a new one at /v1/widget/init.")
        admit_token_origin(request, claims.origin, agent.config.allowed_origins)
        return VisitorCaller(replace(claims.session, network=admission.addresses.network_key(request)), agent)


def _caller(tx: Transaction, session: VisitorSession) -> tuple[LiveAgent, bool]:
    """The agent that the visitor asks, and whether visitor and conversation still exist."""
    return AgentRecords(tx).live(session.agent_id), ConversationRecords(tx).is_kept(session)


@dataclass(frozen=True, slots=True)
class ScopedAccess:
    """An API token, or an operator at the console, that has the scope."""

    scope: str
    scheme: str | None = API_SCHEME
    errors: Sequence[str] = ("unauthorized", "forbidden", "rate_limited")

    async def admit(self, request: Request, admission: Admission) -> Actor:
        actor = await admission.api_tokens.verify(bearer_token(request, "API token"), path_below(request.scope))
        if not actor.may(self.scope):
            raise Refusal("forbidden", f'This API token lacks the scope "{self.scope}". Make one that has it.')
        key = (str(actor.workspace_id), actor.name)
        await admission.count(admission.limits.calls_per_api_token, "calls", "api_token", *key)
        return actor

    async def admit_operator(self, operator: Operator, admission: Admission) -> Actor:
        """Raises RateLimited or a Refusal."""
        await admission.count(admission.limits.calls_per_operator, "calls", "operator", str(operator.id))
        actor = acting(operator)
        if not actor.may(self.scope):
            raise Refusal("forbidden", f"Your role does not allow this: it needs the right to {self.scope}.")
        return actor


everyone = Everyone()
new_visitor = CountedAddress("init", lambda limits: limits.inits_per_address, ("origin_refused", "rate_limited"))
anybody_with_link = CountedAddress("file", lambda limits: limits.questions_per_address, ("rate_limited",))
hook = HookAccess()
visitor = VisitorAccess()
read, write, manage, ask = map(ScopedAccess, (READ, WRITE, MANAGE, ASK))


def bearer_token(request: Request, what: str) -> str:
    """Raises Unauthorized."""
    headers = request.headers.getlist("authorization")
    scheme, _, token = headers[0].partition(" ") if len(headers) == 1 else ("", "", "")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized(f'Send the {what} in the header "Authorization: Bearer <token>".')
    return token.strip()
