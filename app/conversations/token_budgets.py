"""Visitors' use of an agent's chat model: today, and by month."""

from dataclasses import replace
from typing import Final
from uuid import UUID

from app.agents.own_agent import reads_agent
from app.agents.records import AgentRecords
from app.agents.token_budget import TokenBudget, next_day
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.actor import Actor
from app.core.costs import MonthCost, TokenPrices
from app.core.turn import StoredTurn, TokenUsage
from app.kit.clock import Clock
from app.store.system_of_record import SystemOfRecord, Transaction, reads

MONTHS: Final = 12


class TokenBudgets:
    def __init__(self, records: SystemOfRecord, clock: Clock, prices: TokenPrices) -> None:
        self._records = records
        self._clock = clock
        self._prices = prices

    @reads_agent
    def months(self, tx: Transaction, actor: Actor, agent_id: UUID) -> list[MonthCost]:
        """The last MONTHS months with usage, newest first. Raises NotFound."""
        found = StoredTurnRecords(tx).usage_by_month(agent_id, MONTHS)
        return [replace(month, cost=self._prices.of(month.usage)) for month in found]

    def cost(self, usage: TokenUsage) -> float | None:
        """In the operator's currency; None if no price is set."""
        return self._prices.of(usage)

    def cost_of_turn(self, turn: StoredTurn) -> float | None:
        """In the operator's currency; None if no chat model was used, or no price is set."""
        return None if turn.usage is None else self._prices.of(turn.usage)

    @reads
    def bounded(self, tx: Transaction, actor: Actor) -> dict[UUID, TokenBudget]:
        """Today's usage of each published agent of the actor's workspace that has a limit."""
        now = self._clock.now()
        agents = [agent for agent, _ in AgentRecords(tx).published(actor.workspace_id)]
        return {
            agent.id: TokenBudget(
                agent.config.daily_tokens,
                StoredTurnRecords(tx).tokens_of_day(agent.id, now.date()),
                next_day(now),
            )
            for agent in agents
            if agent.config.daily_tokens is not None
        }

    @reads
    def of(self, tx: Transaction, actor: Actor, agent_id: UUID) -> TokenBudget:
        """By the published configuration, else the draft. Raises NotFound."""
        now = self._clock.now()
        agent = AgentRecords(tx).get(actor.workspace_id, agent_id)
        config = agent.draft if agent.live_version is None else AgentRecords(tx).live(agent_id).config
        used = StoredTurnRecords(tx).tokens_of_day(agent_id, now.date())
        return TokenBudget(config.daily_tokens, used, next_day(now))
