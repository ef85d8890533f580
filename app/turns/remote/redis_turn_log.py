"""TurnLog in Redis: a stream for each turn, shared by all web processes.

What was appended at once is one entry, whose id is the number of its last event: Redis then refuses numbers that it
has, and a reader asks for what is above the number that it has seen.
"""

import json
import math
from collections.abc import Collection, Sequence
from typing import Any, Final
from uuid import UUID

from pydantic import TypeAdapter

from app.core.errors import Unavailable
from app.core.turn_events import Citations, Confirm, Done, Error, NumberedEvent, Start, Status, Token, TurnEvent
from app.kit.redis.blocking_redis import BlockingRedis
from app.turns.remote.turn_log import KEPT_SECONDS, EventBatch, TurnHead

_ABANDONED_SECONDS: Final = 3600  # a turn whose owner died without an end
_HAS_IT_ALREADY: Final = "equal or smaller"
_KINDS: Final[dict[str, TypeAdapter[Any]]] = {
    kind.name: TypeAdapter(kind) for kind in (Start, Status, Token, Citations, Confirm, Done, Error)
}


class RedisTurnLog:
    """The client of `redis` that waits holds a connection for each read under way."""

    is_shared: Final = True

    def __init__(self, redis: BlockingRedis, *, prefix: str = "docent:turn:") -> None:
        self._redis = redis
        self._prefix = prefix

    async def append(self, batches: Sequence[EventBatch]) -> Collection[UUID]:
        lost: list[UUID] = []
        pipeline = self._redis.client.pipeline(transaction=False)
        expiries: list[tuple[str, int]] = []
        for batch in batches:
            key, is_first = self._key(batch.head.turn_id), batch.events[0].number == 1
            fields: dict[Any, Any] = {"events": events_to_json(batch.events)}
            if is_first:
                fields |= {"conversation": str(batch.head.conversation_id), "fingerprint": batch.head.fingerprint}
            last = batch.events[-1]
            pipeline.xadd(key, fields, id=f"{last.number}-0", nomkstream=not is_first)
            if is_first or last.is_last:
                expiries.append((key, KEPT_SECONDS if last.is_last else _ABANDONED_SECONDS))
        for key, seconds in expiries:
            pipeline.expire(key, seconds)
        async with self._redis.asking():
            replies = await pipeline.execute(raise_on_error=False)
            for batch, added in zip(batches, replies[: len(batches)], strict=True):
                if added is None:
                    lost.append(batch.head.turn_id)
                elif isinstance(added, Exception) and _HAS_IT_ALREADY not in str(added):
                    raise added
        return lost

    async def head(self, turn_id: UUID) -> TurnHead | None:
        async with self._redis.asking():
            first: Any = await self._redis.client.xrange(self._key(turn_id), count=1)
        fields = first[0][1] if first else {}
        if b"fingerprint" not in fields:
            return None
        return TurnHead(turn_id, UUID(fields[b"conversation"].decode()), fields[b"fingerprint"].decode())

    async def read(self, turn_id: UUID, after: int, wait_seconds: float) -> list[NumberedEvent]:
        key, block = self._key(turn_id), max(1, math.ceil(wait_seconds * 1000))
        async with self._redis.asking(wait_seconds):
            found: Any = await self._redis.waiting.xread({key: f"{after}-0"}, block=block)
        entries = found[0][1] if found else []
        events: list[NumberedEvent] = []
        for _, fields in entries:
            reached = events[-1].number if events else after
            events += [event for event in events_from_json(fields[b"events"]) if event.number > reached]
        if any(event.number != number for number, event in enumerate(events, after + 1)):
            raise Unavailable("The turn log has lost events of this turn.")
        return events

    async def forget(self, turn_ids: Collection[UUID]) -> None:
        if turn_ids:
            async with self._redis.asking():
                await self._redis.client.delete(*(self._key(turn_id) for turn_id in turn_ids))

    def _key(self, turn_id: UUID) -> str:
        return f"{self._prefix}{turn_id}"


def events_to_json(events: Sequence[NumberedEvent]) -> str:
    """ "[[number, name, fields], ...]"."""
    return json.dumps(
        [[n.number, n.event.name, _KINDS[n.event.name].dump_python(n.event, mode="json")] for n in events]
    )


def events_from_json(text: str | bytes) -> list[NumberedEvent]:
    return [NumberedEvent(number, _event(name, fields)) for number, name, fields in json.loads(text)]


def _event(name: str, fields: dict[str, Any]) -> TurnEvent:
    event: TurnEvent = _KINDS[name].validate_python(fields)
    return event
