"""Who wants to know is told when an agent's day is nearly spent, before visitors notice."""

from contextlib import suppress
from typing import Final
from uuid import UUID

import structlog

from app.agents.records.agents import AgentRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.errors import NotFound
from app.core.webhook_event import WebhookEvent
from app.kit.clock import Clock
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.records import WebhookRecords

log = structlog.get_logger(__name__)

NEAR: Final = 0.8  # of the agent's daily_tokens


class BudgetWarnings:
    """Looks from time to time, so that no question waits for it, and tells once for each agent and day (UTC)."""

    def __init__(self, records: SystemOfRecord, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    async def announce(self) -> int:
        """Return how many agents it was told of."""
        now = self._clock.now()
        owed = await self._records.read(lambda tx: WebhookRecords(tx).owed(WebhookEvent.BUDGET_NEAR, now, now.date()))
        return sum([await self._announce(agent_id) for agent_id in owed])

    async def _announce(self, agent_id: UUID) -> bool:
        now = self._clock.now()
        own = self._records.of_agent(agent_id)

        def spent(tx: Transaction) -> dict[str, int] | None:
            with suppress(NotFound):
                daily = AgentRecords(tx).live(agent_id).config.daily_tokens
                used = StoredTurnRecords(tx).tokens_of_day(agent_id, now.date())
                if daily and used >= NEAR * daily:
                    return {"used_tokens": used, "daily_tokens": daily}
            return None

        told = await own.read(spent)
        if told is None:
            return False
        is_first = await own.write(
            lambda tx: WebhookRecords(tx).announce(agent_id, WebhookEvent.BUDGET_NEAR, told, now.date(), now)
        )
        if is_first:
            log.info("budget.warned", agent=str(agent_id), **told)
        return is_first
