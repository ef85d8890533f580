"""The last exchanges of a conversation, from the cache or the system of record."""

import json
from dataclasses import astuple
from typing import Protocol
from uuid import UUID

import structlog

from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.turn import Exchange
from app.kit.cache import Cache
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction

log = structlog.get_logger(__name__)

TURNS = 6
_TTL_SECONDS = 24 * 3600
# Outlasts any history that a running turn caches after the message.
_WROTE_TTL_SECONDS = _TTL_SECONDS + 3600


class HistoryCache(Protocol):
    """The history for models, where it is cached outside the system of record."""

    async def people_wrote(self, conversation_id: UUID) -> None:
        """A visitor or an operator has committed a live message, or a decision on a change: drop the cached history.
        Never raises."""
        ...


class History(Wired):
    """Implements `HistoryCache`. If people wrote in a conversation, its history is always read from the system of
    record: a message may come while a turn runs, which then caches a history without it."""

    _records: SystemOfRecord
    _cache: Cache

    async def recent(self, conversation_id: UUID) -> tuple[Exchange, ...]:
        """The latest exchanges, at most TURNS, oldest first."""
        remembered = await self.remembered(conversation_id)
        if remembered is not None:
            return remembered
        return await self._records.read(lambda tx: stored_history(tx, conversation_id))

    async def remembered(self, conversation_id: UUID) -> tuple[Exchange, ...] | None:
        """The latest exchanges from the cache; None if they have to be read from the record."""
        raw = await self._cache.get(_key(conversation_id))
        if raw is not None and await self._cache.get(_wrote_key(conversation_id)) is None:
            try:
                return tuple(Exchange(*past) for past in json.loads(raw))
            except (ValueError, TypeError) as error:
                log.warning("history.unreadable", reason=repr(error))
        return None

    async def remember(self, conversation_id: UUID, before: tuple[Exchange, ...], latest: Exchange) -> None:
        """Cache the last TURNS of the exchanges `before` and `latest`."""
        kept = [astuple(past) for past in (*before, latest)[-TURNS:]]
        await self._cache.set(_key(conversation_id), json.dumps(kept).encode(), ttl_seconds=_TTL_SECONDS)

    async def people_wrote(self, conversation_id: UUID) -> None:
        await self._cache.set(_wrote_key(conversation_id), b"1", ttl_seconds=_WROTE_TTL_SECONDS)

    async def forget(self, conversation_id: UUID) -> None:
        await self._cache.delete(_key(conversation_id))
        await self._cache.delete(_wrote_key(conversation_id))


def stored_history(tx: Transaction, conversation_id: UUID) -> tuple[Exchange, ...]:
    """The latest exchanges in the record, at most TURNS, oldest first."""
    return tuple(StoredTurnRecords(tx).history(conversation_id, TURNS))


def _key(conversation_id: UUID) -> str:
    return f"history:{conversation_id}"


def _wrote_key(conversation_id: UUID) -> str:
    return f"people-wrote:{conversation_id}"
