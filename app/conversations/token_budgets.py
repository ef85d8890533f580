"""Visitors' use of an agent's chat model: against its limits, and by month."""

from functools import cache
from typing import Final
from uuid import UUID

from app.agents.agent import LiveAgent
from app.agents.own_agent import reads_agent
from app.agents.records import AgentRecords
from app.agents.token_budget import (
    OF_DAY,
    OF_MONTH,
    OF_VISITOR,
    OF_WORKSPACE,
    TokenBudget,
    TokenLimit,
    WorkspaceTokens,
    day_of,
    month_of,
    next_day,
    next_month,
)
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.actor import Actor
from app.core.costs import MonthCost, TokenPrices
from app.core.turn import StoredTurn
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction, reads

MONTHS: Final = 12


class TokenBudgets(Wired):
    """`together` are the limits of each workspace."""

    _records: SystemOfRecord
    _prices: TokenPrices
    _together: WorkspaceTokens

    @reads_agent
    def months(self, tx: Transaction, actor: Actor, agent_id: UUID) -> list[MonthCost]:
        """The last MONTHS months with usage, newest first. Raises NotFound."""
        return StoredTurnRecords(tx).usage_by_month(agent_id, MONTHS, self._prices)

    @property
    def prices(self) -> TokenPrices:
        return self._prices

    def cost_of_turn(self, turn: StoredTurn) -> float | None:
        """In the operator's currency; None if no chat model was used, or no price is set."""
        return None if turn.usage is None else self._prices.cost(turn.usage)

    @reads
    def bounded(self, tx: Transaction, actor: Actor) -> dict[UUID, TokenBudget]:
        """The budgets of the workspace's published agents that have any limit, by agent."""
        agents = [agent for agent, _ in AgentRecords(tx).published(actor.workspace_id)]
        used = UsedTokens(tx)
        return {agent.id: _budget(used, agent, self._together) for agent in agents if _stated(agent, self._together)}

    @reads
    def budget(self, tx: Transaction, actor: Actor, agent_id: UUID) -> TokenBudget:
        """The agent's budget by its published configuration, else its draft. Raises NotFound."""
        return _budget(UsedTokens(tx), paying_agent(tx, actor.workspace_id, agent_id), self._together)


def paying_agent(tx: Transaction, workspace_id: UUID, agent_id: UUID) -> LiveAgent:
    """The agent with its published configuration, else its draft. Raises NotFound."""
    agent = AgentRecords(tx).agent(workspace_id, agent_id)
    return AgentRecords(tx).by_version(workspace_id, agent_id, agent.versions[-1])


class UsedTokens:
    """What agents and workspaces have used since a day, each summed once in a transaction."""

    def __init__(self, tx: Transaction) -> None:
        self.now = tx.clock.now()
        self.of_agent_since = cache(StoredTurnRecords(tx).tokens_since)
        self.of_visitor_since = StoredTurnRecords(tx).tokens_of_visitor_since
        self.of_workspace_since = cache(StoredTurnRecords(tx).tokens_of_workspace_since)


def _budget(used: UsedTokens, agent: LiveAgent, together: WorkspaceTokens) -> TokenBudget:
    today = used.of_agent_since(agent.id, used.now.date())
    return TokenBudget(today, next_day(used.now), token_limits(used, agent, together))


def token_limits(
    used: UsedTokens, agent: LiveAgent, together: WorkspaceTokens, visitor_id: UUID | None = None
) -> tuple[TokenLimit, ...]:
    """The limits of the agent, of its workspace (`together`), and of the visitor if one is given."""

    def limit(name: str, tokens: int) -> TokenLimit:
        is_of_day = name.endswith(OF_DAY)
        since = (day_of(used.now) if is_of_day else month_of(used.now)).date()
        if name.startswith(OF_WORKSPACE):
            spent = used.of_workspace_since(agent.workspace_id, since)
        elif visitor_id is not None and name == OF_VISITOR:
            spent = used.of_visitor_since(agent.id, visitor_id, day_of(used.now))
        else:
            spent = used.of_agent_since(agent.id, since)
        return TokenLimit(name, tokens, spent, since, next_day(used.now) if is_of_day else next_month(used.now))

    return tuple(limit(name, tokens) for name, tokens in _stated(agent, together, visitor_id))


def _stated(agent: LiveAgent, together: WorkspaceTokens, visitor_id: UUID | None = None) -> list[tuple[str, int]]:
    """The name and the tokens of each limit that is set."""
    stated = (
        (OF_VISITOR, agent.config.visitor_daily_tokens if visitor_id else None),
        (OF_DAY, agent.config.daily_tokens),
        (OF_MONTH, agent.config.monthly_tokens),
        (OF_WORKSPACE + OF_DAY, together.daily),
        (OF_WORKSPACE + OF_MONTH, together.monthly),
    )
    return [(name, tokens) for name, tokens in stated if tokens is not None]
