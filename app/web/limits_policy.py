"""All limits on one caller."""

from dataclasses import dataclass
from uuid import UUID

from starlette.requests import Request

from app.kit.limits import Limit, RateLimiter, a_day, a_minute, an_hour
from app.kit.wiring import Wired
from app.web.client_address import ClientAddresses


@dataclass(frozen=True, slots=True)
class LimitsPolicy:
    """Each number limits calls per minute, except `streams_per_visitor`: the answers that one visitor reads at the same
    time, including rejoined ones. Addresses are IPv4 addresses and IPv6 /64 networks. `leads_per_caller` applies to a
    visitor and to an address alike. Searches are numerous: a visitor who types makes one every few letters. No limit
    counts sign-ins to an account from all addresses, because anybody who knows its e-mail address could lock its
    operator out; a known device is counted separately. `codes_per_operator` counts all addresses together, because a
    code is only checked if the password is right; `codes_limits` has those per hour and day. Limits per day count
    questions to one agent in any 24 hours, by visitor and by network (IPv4 /24, IPv6 /48); 0 is no limit.
    `unproven_steps_...` count questions to one agent and new conversations with it in ten minutes, after which an agent
    with that setting demands a proof of work (`app/web/proof_of_work.py`)."""

    inits_per_address: int = 60
    questions_per_address: int = 60
    questions_per_visitor: int = 20
    questions_per_agent: int = 1200
    calls_per_visitor: int = 240
    calls_per_api_token: int = 1200
    searches_per_visitor: int = 120
    searches_per_address: int = 600
    streams_per_visitor: int = 2
    probes_per_address: int = 10
    metrics_per_address: int = 60
    sign_ins_per_address: int = 10
    sign_ins_per_account_and_address: int = 5
    sign_ins_per_known_device: int = 10
    password_changes_per_operator: int = 5
    codes_per_operator: int = 5
    password_links_per_address: int = 5
    calls_per_operator: int = 1200
    leads_per_caller: int = 5
    questions_per_visitor_day: int = 0
    questions_per_network_day: int = 0
    unproven_steps_per_visitor: int = 20
    unproven_steps_per_network: int = 90


def codes_limits(per_minute: int) -> tuple[Limit, ...]:
    """Limits for the one-time codes of an account: per hour four times, per day ten times as many as `per_minute`. By
    default, somebody who knows the password and guesses 50 codes in a day, of which three are valid at any time, has a
    chance of one in 6,000."""
    return a_minute(per_minute), an_hour(4 * per_minute), a_day(10 * per_minute)


async def count_named(limiter: RateLimiter, limits: LimitsPolicy, agent_id: UUID, user_id: str | None) -> None:
    """Count a question to the agent that does not come from a visitor's browser. `user_id` is the user whom a program
    names, if any. Raises RateLimited."""
    agent = str(agent_id)
    if user_id is not None:
        await limiter.hit(a_minute(limits.questions_per_visitor), "ask", "user", agent, user_id)
        if limits.questions_per_visitor_day:
            await limiter.hit(a_day(limits.questions_per_visitor_day), "ask a day", agent, "user", user_id)
    await limiter.hit(a_minute(limits.questions_per_agent), "ask", "agent", agent)


class VisitorLimits(Wired):
    """Counts calls by visitor and by the visitor's address."""

    _limiter: RateLimiter
    _addresses: ClientAddresses

    async def count(self, request: Request, visitor_id: UUID, what: str, *, per_address: int, per_visitor: int) -> None:
        """Count a call of the kind `what`; the limits are per minute. Raises RateLimited."""
        address = self._addresses.limit_key(request)
        await self._limiter.hit(a_minute(per_address), what, "address", address)
        await self._limiter.hit(a_minute(per_visitor), what, "visitor", str(visitor_id))

    async def count_question(self, request: Request, visitor_id: UUID, what: str, limits: LimitsPolicy) -> None:
        """Like `count`, with the limits of questions."""
        address, person = limits.questions_per_address, limits.questions_per_visitor
        await self.count(request, visitor_id, what, per_address=address, per_visitor=person)

    async def count_day(self, request: Request, agent_id: UUID, limits: LimitsPolicy, visitor_id: UUID | None) -> None:
        """Count a question against the limits per day; `visitor_id` is None for a program. The network is counted too,
        because one can return as another visitor. Raises RateLimited."""
        agent = str(agent_id)
        if visitor_id is not None and limits.questions_per_visitor_day:
            day = a_day(limits.questions_per_visitor_day)
            await self._limiter.hit(day, "ask a day", agent, "visitor", str(visitor_id))
        if limits.questions_per_network_day:
            day = a_day(limits.questions_per_network_day)
            await self._limiter.hit(day, "ask a day", agent, "network", self._addresses.network_key(request))


@dataclass(frozen=True, slots=True)
class StreamPolicy:
    """The timing of streams.

    `coalesce_seconds`: after the first token, tokens within this time are sent as one frame; 0 sends each alone.
    `drain_seconds`: how long a live stream may continue once the process has to stop.
    `look_seconds`: the interval of checking a run whose progress is streamed.
    `news_look_seconds`: the interval of checking for news for the console's pages.
    """

    coalesce_seconds: float = 0.03
    ping_seconds: float = 15
    send_timeout_seconds: float = 10
    drain_seconds: float = 20
    look_seconds: float = 1
    news_look_seconds: float = 2
