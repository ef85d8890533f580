"""Port: what visitors wrote goes when it is old enough."""

from datetime import datetime
from typing import Protocol

from app.domain.retention import ErasedByAge, RetentionPeriod


class RetentionRecords(Protocol):
    async def periods(self) -> list[RetentionPeriod]:
        """Every agent with its period: the published one, else the draft's."""
        ...

    async def erase(self, period: RetentionPeriod, before: datetime, limit: int) -> ErasedByAge:
        """Remove at most `limit` ended turns that were asked before then, with all that belongs to them, as many
        leads and live messages that were written before then, and as many conversations and visitors that have no
        turn left and were not seen since.

        What turns cost stays, under ids that lead nowhere. A gap is counted again by the askings that remain, and
        goes with the last of them.
        """
        ...
