"""Periodic events: token limits that are nearly or wholly spent, and the weekly digest of gaps."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

import structlog

from app.agents.records import AgentRecords
from app.agents.token_budget import UNLIMITED, TokenLimit, WorkspaceTokens
from app.conversations.token_budgets import UsedTokens, token_limits
from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.core.turn import GapState
from app.core.webhook_event import WebhookEvent
from app.feature import NewsTaker
from app.gaps.gap import GapOrder
from app.gaps.gap_digest import LISTED, BigGap, GapDigest, TurnShares, Week, last_week, turn_shares
from app.gaps.records.gaps import GapRecords
from app.gaps.records.triage import GapTriageRecords
from app.kit.clock import Clock
from app.kit.wiring import Wired
from app.quality.records.quality import QualityRecords
from app.store.outbox import Outbox
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.records import WebhookRecords

log = structlog.get_logger(__name__)

NEAR: Final = 0.8  # share of a limit
_BUDGET: Final = (WebhookEvent.BUDGET_NEAR, WebhookEvent.BUDGET_SPENT)


class BudgetWarnings(Wired):
    """Announces each token limit of an agent and of its workspace once per day or month (UTC) when it is nearly spent,
    and once when it is spent. Runs periodically, so that no turn has to check. `together` has the limits of a
    workspace."""

    _records: SystemOfRecord
    _clock: Clock
    _together: WorkspaceTokens = UNLIMITED
    _takers: Sequence[NewsTaker] = ()

    async def announce(self) -> int:
        """Returns the number of announcements."""
        now = self._clock.now()
        wanting = await self._records.read(lambda tx: WebhookRecords(tx).wanting(_BUDGET, now, self._takers))
        return sum([await self._announce(agent_id) for agent_id in wanting])

    async def _announce(self, agent_id: UUID) -> int:
        now = self._clock.now()
        own = self._records.of_agent(agent_id)

        def reached(tx: Transaction) -> list[tuple[str, TokenLimit]]:
            with suppress(NotFound):
                limits = token_limits(UsedTokens(tx), AgentRecords(tx).live(agent_id), self._together)
                kinds = [(kind, limit) for limit in limits for kind in _reached(limit)]
                return [(kind, limit) for kind, limit in kinds if not Outbox(tx).has(agent_id, kind, limit.since)]
            return []

        def tell(tx: Transaction) -> int:
            return sum(
                Outbox(tx).add_once(agent_id, kind, _data(limit), first_day=limit.since, happened_at=now)
                for kind, limit in found
            )

        found = await own.read(reached)
        if not found:
            return 0
        count = await own.write(tell)
        if count:
            log.info("budget.warned", agent=str(agent_id), kinds=[kind for kind, _ in found])
        return count


def _reached(limit: TokenLimit) -> list[str]:
    """The outbox kinds of the events that the limit has reached. A limit of 0 is never announced."""
    shares = ((WebhookEvent.BUDGET_NEAR, NEAR), (WebhookEvent.BUDGET_SPENT, 1))
    is_reached = limit.tokens and limit.used_tokens
    return [
        f"{event.value}:{limit.name}"
        for event, share in shares
        if is_reached and limit.used_tokens >= share * limit.tokens
    ]


def _data(limit: TokenLimit) -> dict[str, Any]:
    return {"limit": limit.name, "used_tokens": limit.used_tokens, limit.name: limit.tokens}


class GapDigests(Wired):
    """Puts the digest of the latest complete week into the outbox, for each agent with a subscriber from before the end
    of that week. The outbox accepts one per agent and week, so several workers may run, also after an outage. Weeks
    before that are skipped."""

    _records: SystemOfRecord
    _clock: Clock
    _takers: Sequence[NewsTaker] = ()

    async def announce(self) -> int:
        """Returns the number of digests added."""
        week = last_week(self._clock.now())
        owed = await self._records.read(
            lambda tx: WebhookRecords(tx).owed(WebhookEvent.GAPS_WEEKLY, week.until, week.monday, self._takers)
        )
        return sum([await self._announce(agent_id, week) for agent_id in owed])

    async def _announce(self, agent_id: UUID, week: Week) -> bool:
        own, kind = self._records.of_agent(agent_id), WebhookEvent.GAPS_WEEKLY.value
        digest = await own.read(lambda tx: _digest(tx, agent_id, week))
        is_first = await own.write(
            lambda tx: Outbox(tx).add_once(
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
