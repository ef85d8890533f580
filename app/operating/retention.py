"""What visitors wrote and were told is erased when it is older than their agent keeps it."""

import asyncio
from types import TracebackType
from typing import Final, Self

import structlog

from app.domain.retention import RetentionPeriod
from app.ports.clock import Clock
from app.ports.records.transaction import SystemOfRecord

log = structlog.get_logger(__name__)

RETENTION: Final = "retention"  # how the audit names it
_LOOK_SECONDS: Final = 3600.0
_AT_ONCE: Final = 200  # rows of one transaction, which keeps visitors' own writes waiting


class Retention:
    """Erases while its block runs: at once, then every `look_seconds`. Several workers may do so at the same time.

    Each batch is one transaction with its own row in the audit; afterwards the database's journal is emptied, so that
    the words are in none of its files.
    """

    def __init__(
        self,
        records: SystemOfRecord,
        clock: Clock,
        *,
        look_seconds: float = _LOOK_SECONDS,
        at_once: int = _AT_ONCE,
    ) -> None:
        self._records = records
        self._clock = clock
        self._look_seconds = look_seconds
        self._at_once = at_once
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._running = asyncio.create_task(self._keep_erasing())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def erase(self) -> int:
        """Everything that is old enough by now; return how many turns that were."""
        async with self._records.read() as records:
            periods = await records.retention.periods()
        turns = [await self._erase(period) for period in periods]
        if any(found is not None for found in turns) and not await self._records.empty_journal():
            log.warning("retention.journal_busy")
        return sum(found or 0 for found in turns)

    async def _erase(self, period: RetentionPeriod) -> int | None:
        """How many turns went; None when nothing did."""
        before = self._clock.now() - period.age
        turns: int | None = None
        while True:
            async with self._records.write() as records:
                erased = await records.retention.erase(period, before, self._at_once)
                if erased:
                    details = {
                        "turns": erased.turns,
                        "conversations": erased.conversations,
                        "visitors": erased.visitors,
                        "older_than_days": period.days,
                    }
                    await records.audit.record(
                        period.workspace_id, RETENTION, "visitors.expire", str(period.agent_id), details
                    )
            if erased:
                turns = (turns or 0) + erased.turns
                log.info("retention.erased", agent_id=str(period.agent_id), **details)
            if not erased.has_reached(self._at_once):
                return turns

    async def _keep_erasing(self) -> None:
        while True:
            try:
                await self.erase()
            except Exception:  # a database that does not answer now may answer the next time
                log.warning("retention_failed", exc_info=True)
            await asyncio.sleep(self._look_seconds)
