"""Keeps a running turn's text safe: at most every two seconds, never in the way of the stream."""

import asyncio
from time import monotonic
from uuid import UUID

import structlog

from app.domain.errors import DocentError
from app.ports.records.transaction import SystemOfRecord

log = structlog.get_logger(__name__)

INTERVAL_SECONDS = 2.0


class Checkpointer:
    """Writes the text so far beside the stream, one write at a time. A failed write is tried again with the next:
    the turn's end stores the whole text anyway."""

    def __init__(self, records: SystemOfRecord, turn_id: UUID) -> None:
        self._records = records
        self._turn_id = turn_id
        self._last = monotonic()
        self._writing: asyncio.Task[None] | None = None

    def offer(self, text: str) -> None:
        """The text has grown to `text`."""
        if monotonic() - self._last < INTERVAL_SECONDS or (self._writing and not self._writing.done()):
            return
        self._last = monotonic()
        self._writing = asyncio.create_task(self._write(text))

    async def settle(self) -> None:
        """Wait for a write under way, so that it cannot land after the end."""
        if self._writing:
            await asyncio.gather(self._writing, return_exceptions=True)

    async def _write(self, text: str) -> None:
        try:
            async with self._records.write() as records:
                await records.turns.checkpoint(self._turn_id, text)
        except DocentError as error:
            log.warning("turn.checkpoint_failed", turn=str(self._turn_id), reason=str(error))
