"""Keeps a running turn's text safe: every two seconds or 64 tokens, never in the way of the stream."""

import asyncio
from time import monotonic
from uuid import UUID

import structlog

from app.domain.errors import DocentError
from app.ports.records.transaction import SystemOfRecord

log = structlog.get_logger(__name__)

INTERVAL_SECONDS = 2.0
INTERVAL_TOKENS = 64


class Checkpointer:
    """Writes the text so far beside the stream, one write at a time, when `INTERVAL_SECONDS` have passed or
    `INTERVAL_TOKENS` have come since the last one. A failed write is tried again with the next: the turn's end stores
    the whole text anyway."""

    def __init__(self, records: SystemOfRecord, turn_id: UUID) -> None:
        self._records = records
        self._turn_id = turn_id
        self._last = monotonic()
        self._tokens = 0
        self._writing: asyncio.Task[None] | None = None

    def offer(self, text: str) -> None:
        """The text has grown by a token, to `text`."""
        self._tokens += 1
        is_due = self._tokens >= INTERVAL_TOKENS or monotonic() - self._last >= INTERVAL_SECONDS
        if not is_due or (self._writing and not self._writing.done()):
            return
        self._last, self._tokens = monotonic(), 0
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
