"""Events that depend on the time: an agent's budget of the day is nearly spent, and the weekly digest of gaps."""

from contextlib import suppress
from typing import Final
from uuid import UUID

import structlog

from app.agents.records import AgentRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.errors import NotFound
from app.core.gap_state import GapState
from app.core.list_page import PageRequest
from app.core.webhook_event import WebhookEvent
from app.gaps.gap import GapOrder
from app.gaps.gap_digest import LISTED, BigGap, GapDigest, TurnShares, Week, last_week, turn_shares
from app.gaps.records.gaps import GapRecords
from app.gaps.records.triage import GapTriageRecords
from app.kit.clock import Clock
from app.quality.records.quality import QualityRecords
from app.store.outbox import Outbox
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.records import WebhookRecords

log = structlog.get_logger(__name__)

NEAR: Final = 0.8  # of the agent's daily_tokens


class BudgetWarnings:
    """Checks periodically, so that no question waits for it, and announces once per agent and day (UTC)."""

    def __init__(self, records: SystemOfRecord, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    async def announce(self) -> int:
        """Returns the number of agents announced."""
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
        kind = WebhookEvent.BUDGET_NEAR.value
        is_first = await own.write(
            lambda tx: Outbox(tx).tell_once(agent_id, kind, told, first_day=now.date(), happened_at=now)
        )
        if is_first:
            log.info("budget.warned", agent=str(agent_id), **told)
        return is_first


class GapDigests:
    """Puts the digest of the latest complete week into the outbox, for each agent with a webhook that wants it and
    existed before that week ended. The outbox accepts one per agent and week, so any number of workers may try, and one
    that was down catches up. Earlier weeks are not made up for."""

    def __init__(self, records: SystemOfRecord, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    async def announce(self) -> int:
        """Returns the number of digests added."""
        week = last_week(self._clock.now())
        owed = await self._records.read(
            lambda tx: WebhookRecords(tx).owed(WebhookEvent.GAPS_WEEKLY, week.until, week.monday)
        )
        return sum([await self._announce(agent_id, week) for agent_id in owed])

    async def _announce(self, agent_id: UUID, week: Week) -> bool:
        own, kind = self._records.of_agent(agent_id), WebhookEvent.GAPS_WEEKLY.value
        digest = await own.read(lambda tx: _digest(tx, agent_id, week))
        is_first = await own.write(
            lambda tx: Outbox(tx).tell_once(
                agent_id, kind, digest.figures, first_day=week.monday, happened_at=week.until
            )
        )
        if is_first:
            log.info("gap_digest.announced", agent=str(agent_id), week=week.monday.isoformat())
        return is_first


def _digest(tx: Transaction, agent_id: UUID, week: Week) -> GapDigest:
    new, answered, reopened = GapRecords(tx).of_week(agent_id, week)
    biggest = GapRecords(tx).page(agent_id, GapState.OPEN, PageRequest(LISTED), order=GapOrder.IMPACT)
    weighed: list[BigGap] = []
    for gap in biggest.items:
        facts = GapTriageRecords(tx).facts(gap.id, 0)
        weighed.append(BigGap(gap.id, gap.count, facts.visitors, facts.impact))
    return GapDigest(
        week=week,
        turns=_turns(tx, agent_id, week),
        turns_before=_turns(tx, agent_id, week.before),
        new=new,
        answered=answered,
        reopened=reopened,
        biggest=tuple(weighed),
    )


def _turns(tx: Transaction, agent_id: UUID, week: Week) -> TurnShares:
    return turn_shares(QualityRecords(tx).days([agent_id], week.monday, len(week.days))[agent_id])
