"""The last turns of a conversation: from the cache, else from the system of record."""

import json
from uuid import UUID

import structlog

from app.domain.turn import Exchange
from app.ports.cache import Cache
from app.ports.records.transaction import SystemOfRecord

log = structlog.get_logger(__name__)

TURNS = 6
_TTL_SECONDS = 24 * 3600


class History:
    def __init__(self, records: SystemOfRecord, cache: Cache) -> None:
        self._records = records
        self._cache = cache

    async def recent(self, conversation_id: UUID) -> tuple[Exchange, ...]:
        """The latest answered turns, at most TURNS, oldest first."""
        raw = await self._cache.get(_key(conversation_id))
        if raw is not None:
            try:
                return tuple(Exchange(question, answer) for question, answer in json.loads(raw))
            except (ValueError, TypeError) as error:
                log.warning("history.unreadable", reason=repr(error))
        async with self._records.read() as records:
            return tuple(await records.turns.history(conversation_id, TURNS))

    async def remember(self, conversation_id: UUID, before: tuple[Exchange, ...], latest: Exchange) -> None:
        """`latest` has been stored after `before`."""
        kept = [[past.question, past.answer] for past in (*before, latest)[-TURNS:]]
        await self._cache.set(_key(conversation_id), json.dumps(kept).encode(), ttl_seconds=_TTL_SECONDS)

    async def forget(self, conversation_id: UUID) -> None:
        await self._cache.delete(_key(conversation_id))


def _key(conversation_id: UUID) -> str:
    return f"history:{conversation_id}"
