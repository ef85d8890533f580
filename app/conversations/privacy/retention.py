"""Erases visitors' data once it is older than their agent's retention period."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import structlog

from app.conversations.privacy.records import RetentionRecords
from app.conversations.privacy.rights import RetentionPeriod
from app.conversations.records.turns import TurnRecords
from app.core.actor import Actor
from app.kit.clock import Clock
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords

log = structlog.get_logger(__name__)

RETENTION: Final = "retention"  # its name in the audit
_AT_ONCE: Final = 200  # rows per transaction, for which visitors' own writes wait


class Retention(Wired):
    """Several workers may erase at the same time. Each batch is one transaction with its own row in the audit;
    afterwards the database's journal is emptied, so that none of its files contains the text.
    """

    _records: SystemOfRecord
    _clock: Clock
    _at_once: int = _AT_ONCE

    async def erase(self) -> int:
        """Erase everything that is old enough; return the number of turns."""
        periods = await self._records.read(lambda tx: RetentionRecords(tx).periods())
        turns = [await self._erase(period) for period in periods]
        if any(found is not None for found in turns) and not await self._records.empty_journal():
            log.warning("retention.journal_busy")
        return sum(found or 0 for found in turns)

    async def _erase(self, period: RetentionPeriod) -> int | None:
        """Erase one batch. Returns the number of erased turns; None if nothing was erased."""
        before = self._clock.now() - period.age
        turns: int | None = None
        while True:
            erased = await self._records.of_workspace(period.workspace_id).write(
                lambda tx: self._erase_some(tx, period, before)
            )
            if any(erased.values()):
                turns = (turns or 0) + erased["turns"]
                log.info("retention.erased", agent_id=str(period.agent_id), **_details(period, erased))
            if self._at_once not in erased.values():
                return turns

    def _erase_some(self, tx: Transaction, period: RetentionPeriod, before: datetime) -> Mapping[str, int]:
        erased = RetentionRecords(tx).erase(period, before, self._at_once)
        if any(erased.values()):
            by = Actor(period.workspace_id, RETENTION)
            AuditRecords(tx).acted(by, "visitors.expire", period.agent_id, **_details(period, erased))
        return erased


class TraceRetention:
    """Drops the search part of traces of turns that began more than `days` ago; 0: never. Several workers may run at
    the same time."""

    def __init__(self, records: SystemOfRecord, clock: Clock, days: int, *, at_once: int = _AT_ONCE) -> None:
        self._records = records
        self._clock = clock
        self._age = timedelta(days=days)
        self._at_once = at_once

    async def drop(self) -> int:
        """Drop one batch; return how many."""
        if not self._age:
            return 0
        before = self._clock.now() - self._age
        return await self._records.write(lambda tx: TurnRecords(tx).drop_search_traces(before, self._at_once))


def _details(period: RetentionPeriod, erased: Mapping[str, int]) -> dict[str, int]:
    return {**erased, "older_than_days": period.days}
