"""Visitors' use of an agent's chat model: against its limits, and by month."""

from typing import Final
from uuid import UUID

from app.agents.agent import LiveAgent
from app.agents.own_agent import reads_agent
from app.agents.records import AgentRecords
from app.agents.token_budget import (
    OF_DAY,
    OF_MONTH,
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
from app.store.system_of_record import SystemOfRecord, Transaction, reads

MONTHS: Final = 12


class TokenBudgets:
    """`together` are the limits of each workspace."""

    def __init__(self, records: SystemOfRecord, prices: TokenPrices, together: WorkspaceTokens) -> None:
        self._records = records
        self._prices = prices
        self._together = together

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
        """The usage of each published agent of the actor's workspace that a limit holds for."""
        agents = [agent for agent, _ in AgentRecords(tx).published(actor.workspace_id)]
        return {agent.id: token_budget(tx, agent, self._together) for agent in agents if _stated(agent, self._together)}

    @reads
    def budget(self, tx: Transaction, actor: Actor, agent_id: UUID) -> TokenBudget:
        """By the published configuration, else the draft. Raises NotFound."""
        return token_budget(tx, paying_agent(tx, actor.workspace_id, agent_id), self._together)


def paying_agent(tx: Transaction, workspace_id: UUID, agent_id: UUID) -> LiveAgent:
    """The agent whose limits hold: as published, else its draft. Raises NotFound."""
    agent = AgentRecords(tx).agent(workspace_id, agent_id)
    if agent.live_version is not None:
        return AgentRecords(tx).live(agent_id)
    return LiveAgent(agent_id, workspace_id, 0, agent.generation, agent.draft)


def token_budget(tx: Transaction, agent: LiveAgent, together: WorkspaceTokens) -> TokenBudget:
    now = tx.clock.now()
    used = StoredTurnRecords(tx).tokens_since(agent.id, now.date())
    return TokenBudget(used, next_day(now), token_limits(tx, agent, together))


def token_limits(tx: Transaction, agent: LiveAgent, together: WorkspaceTokens) -> tuple[TokenLimit, ...]:
    """Those that hold for the agent; `together` are those of its workspace."""
    records, now = StoredTurnRecords(tx), tx.clock.now()

    def limit(name: str, tokens: int) -> TokenLimit:
        is_of_day = name.endswith(OF_DAY)
        since = (day_of(now) if is_of_day else month_of(now)).date()
        if name.startswith(OF_WORKSPACE):
            used = records.tokens_of_workspace_since(agent.workspace_id, since)
        else:
            used = records.tokens_since(agent.id, since)
        return TokenLimit(name, tokens, used, since, next_day(now) if is_of_day else next_month(now))

    return tuple(limit(name, tokens) for name, tokens in _stated(agent, together))


def _stated(agent: LiveAgent, together: WorkspaceTokens) -> list[tuple[str, int]]:
    """The name and the tokens of each limit that is set."""
    stated = (
        (OF_DAY, agent.config.daily_tokens),
        (OF_MONTH, agent.config.monthly_tokens),
        (OF_WORKSPACE + OF_DAY, together.daily),
        (OF_WORKSPACE + OF_MONTH, together.monthly),
    )
    return [(name, tokens) for name, tokens in stated if tokens is not None]
