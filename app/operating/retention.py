"""What visitors wrote and were told is erased when it is older than their agent keeps it."""

from typing import Final

import structlog

from app.domain.retention import RetentionPeriod
from app.ports.clock import Clock
from app.store.audit import AuditRecords
from app.store.retention import RetentionRecords
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)

RETENTION: Final = "retention"  # how the audit names it
_AT_ONCE: Final = 200  # rows of one transaction, which keeps visitors' own writes waiting


class Retention:
    """Several workers may erase at the same time. Each batch is one transaction with its own row in the audit;
    afterwards the database's journal is emptied, so that the words are in none of its files.
    """

    def __init__(
        self,
        records: SystemOfRecord,
        clock: Clock,
        *,
        at_once: int = _AT_ONCE,
    ) -> None:
        self._records = records
        self._clock = clock
        self._at_once = at_once

    async def erase(self) -> int:
        """Everything that is old enough by now; return how many turns that were."""
        async with self._records.read() as tx:
            periods = await RetentionRecords(tx).periods()
        turns = [await self._erase(period) for period in periods]
        if any(found is not None for found in turns) and not await self._records.empty_journal():
            log.warning("retention.journal_busy")
        return sum(found or 0 for found in turns)

    async def _erase(self, period: RetentionPeriod) -> int | None:
        """How many turns went; None when nothing did."""
        before = self._clock.now() - period.age
        turns: int | None = None
        while True:
            async with self._records.write() as tx:
                erased = await RetentionRecords(tx).erase(period, before, self._at_once)
                if erased:
                    details = {
                        "turns": erased.turns,
                        "conversations": erased.conversations,
                        "visitors": erased.visitors,
                        "leads": erased.leads,
                        "live_messages": erased.live_messages,
                        "older_than_days": period.days,
                    }
                    await AuditRecords(tx).record(
                        period.workspace_id, RETENTION, "visitors.expire", str(period.agent_id), details
                    )
            if erased:
                turns = (turns or 0) + erased.turns
                log.info("retention.erased", agent_id=str(period.agent_id), **details)
            if not erased.has_reached(self._at_once):
                return turns
