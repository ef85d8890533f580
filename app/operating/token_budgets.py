"""What an agent's visitors have used up of the chat model: today, and month by month."""

from dataclasses import replace
from typing import Final
from uuid import UUID

from app.domain.costs import MonthCost, TokenPrices
from app.domain.token_budget import TokenBudget, next_day
from app.domain.turn import StoredTurn
from app.operating.actor import Actor
from app.ports.clock import Clock
from app.store.agents import AgentRecords
from app.store.stored_turns import StoredTurnRecords
from app.store.system_of_record import SystemOfRecord

_FREE: Final = TokenPrices()


class TokenBudgets:
    def __init__(self, records: SystemOfRecord, clock: Clock, prices: TokenPrices = _FREE) -> None:
        self._records = records
        self._clock = clock
        self._prices = prices

    async def months(self, actor: Actor, agent_id: UUID, count: int) -> list[MonthCost]:
        """The last `count` months in which the chat model was asked, newest first. Raises NotFound."""
        async with self._records.read() as tx:
            await AgentRecords(tx).get(actor.workspace_id, agent_id)
            found = await StoredTurnRecords(tx).usage_by_month(agent_id, count)
        return [replace(month, cost=self._prices.of(month.usage)) for month in found]

    def cost_of_turn(self, turn: StoredTurn) -> float | None:
        """In the operator's currency; None where no chat model was asked, or no price is set."""
        return None if turn.usage is None else self._prices.of(turn.usage)

    async def of(self, actor: Actor, agent_id: UUID) -> TokenBudget:
        """By the published configuration, else the draft. Raises NotFound."""
        now = self._clock.now()
        async with self._records.read() as tx:
            agent = await AgentRecords(tx).get(actor.workspace_id, agent_id)
            config = agent.draft if agent.live_version is None else (await AgentRecords(tx).live(agent_id)).config
            used = await StoredTurnRecords(tx).tokens_of_day(agent_id, now.date())
        return TokenBudget(config.daily_tokens, used, next_day(now))
