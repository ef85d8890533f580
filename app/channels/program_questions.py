"""Questions of programs to an agent: who may ask, and how a question becomes a turn like a visitor's."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID, uuid4

from starlette.requests import Request

from app.agents.agent import LiveAgent
from app.agents.records import AgentRecords
from app.conversations.conversations import Conversations
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput, NotFound, Unauthorized
from app.core.search_filter import EVERY_PAGE, SearchFilter
from app.core.turn import Channel, Exchange, TokenUsage, TurnRequest
from app.core.turn_events import TurnFeed
from app.kit.limits import RateLimiter
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction, reads
from app.turns.api.visitor_turns import VisitorTurns
from app.web.access import Admission
from app.web.limits_policy import LimitsPolicy, VisitorLimits, count_named
from app.web.operation import ask, path_id


@dataclass(frozen=True, slots=True)
class ProgramCaller:
    """`actor` is None without a token; `network` then identifies the caller's network, "" for a local command."""

    agent: LiveAgent
    actor: Actor | None
    network: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        """The user id of the visitor for the program's questions. All programs without a token share one."""
        return f"API token {self.actor.name}" if self.actor else "programs without a token"

    @property
    def limit_key(self) -> str:
        """The key for limits: the token, else the network."""
        return f"token {self.actor.token_id}" if self.actor and self.actor.token_id else self.network


@dataclass(frozen=True, slots=True)
class ProgramAccess:
    """Requires an API token with the scope "ask", unless the agent is open to programs; callers without a token are
    limited by address, like visitors. The path has the agent's id."""

    scheme: str | None = None
    errors: Sequence[str] = ("unauthorized", "forbidden", "not_found", "rate_limited")

    async def admit(self, request: Request, admission: Admission) -> ProgramCaller:
        actor = await ask.admit(request, admission) if "authorization" in request.headers else None
        agent_id = path_id(request, "agent_id")
        agent = await admission.records.of_agent(agent_id).read(lambda tx: AgentRecords(tx).live(agent_id))
        if actor is not None:
            if actor.workspace_id != agent.workspace_id:
                raise NotFound("agent")
            return ProgramCaller(agent, actor)
        if not agent.config.open_to_programs:
            raise Unauthorized(
                'Programs need a token to ask this agent. Send an API token with the scope "ask" in the header '
                '"Authorization: Bearer <token>".'
            )
        await admission.count_address(admission.limits.questions_per_address, "ask", request)
        counting = VisitorLimits(admission.limiter, admission.addresses)
        await counting.count_day(request, agent_id, admission.limits, None)
        return ProgramCaller(agent, None, admission.addresses.network_key(request))


program = ProgramAccess()


@dataclass(frozen=True, slots=True)
class ProgramTurn:
    feed: TurnFeed
    conversation_id: UUID


class ProgramQuestions(Wired):
    """Each question is the only turn of its conversation: programs keep their history themselves."""

    _records: SystemOfRecord
    _conversations: Conversations
    _turns: VisitorTurns
    _limiter: RateLimiter
    _limits: LimitsPolicy

    @reads
    def published(self, tx: Transaction, actor: Actor) -> list[tuple[LiveAgent, datetime]]:
        """The agents of the actor's workspace, oldest first, with the time when each was created."""
        return AgentRecords(tx).published(actor.workspace_id)

    async def agent(self, actor: Actor, named: str) -> tuple[LiveAgent, datetime]:
        """The agent of `published` with this id or name. Raises NotFound; InvalidInput if several have the name."""
        agents = await self.published(actor)
        found = [each for each in agents if named in (str(each[0].id), each[0].config.name)]
        if not found:
            raise NotFound("agent")
        if len(found) > 1:
            raise InvalidInput("model", "Several agents have this name. Name one by its id.")
        return found[0]

    async def ask(
        self,
        caller: ProgramCaller,
        message: str,
        channel: Channel,
        *,
        user_id: str | None = None,
        is_proven: bool = False,
        earlier: Sequence[Exchange] = (),
        only: SearchFilter = EVERY_PAGE,
    ) -> ProgramTurn:
        """Begin a turn. `user_id` is the website's user for whom the program asks; without it, the visitor is the
        program. That user's actions and attributes are used only if `is_proven`. `earlier` is the conversation so far,
        oldest first. Pages must pass both `only` and the agent's filter. Raises RateLimited, and what `Turns.ask` does.
        """
        agent = caller.agent
        await count_named(self._limiter, self._limits, agent.id, user_id)
        opened = await self._conversations.open(agent, None, channel, user_id or caller.name, resumes=False)
        session = replace(opened.session, is_proven=is_proven, network=caller.limit_key)
        request = TurnRequest(uuid4(), message, "", only=only, earlier=tuple(earlier))
        return ProgramTurn(await self._turns.ask(session, request), opened.conversation.id)

    async def count(self, agent: LiveAgent) -> None:
        """Count a question against the limit that everyone who asks the agent shares. Raises RateLimited."""
        await count_named(self._limiter, self._limits, agent.id, None)

    async def usage(self, agent: LiveAgent, turn_id: UUID) -> TokenUsage:
        """The chat model tokens of a finished turn; zeros if there were none."""
        stored = await self._records.of_workspace(agent.workspace_id).read(
            lambda tx: StoredTurnRecords(tx).find(turn_id)
        )
        return (stored.usage if stored else None) or TokenUsage()
