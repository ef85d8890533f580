"""TurnLog and TurnOrders on Redis."""

import asyncio
import json
import math
from collections.abc import AsyncGenerator, Collection, Sequence
from typing import Any, Final
from uuid import UUID

import structlog
from pydantic import TypeAdapter

from app.core.errors import Unavailable
from app.core.turn_events import Citations, Confirm, Done, Error, NumberedEvent, Start, Status, Token, TurnEvent
from app.kit.shared_redis import LONGEST_WAIT_SECONDS, BlockingRedis
from app.turns.remote.turn_log import KEPT_SECONDS, EventBatch, TurnHead, TurnOrder

_ABANDONED_SECONDS: Final = 3600  # a turn whose owner died without an end
_HAS_IT_ALREADY: Final = "equal or smaller"
_KINDS: Final[dict[str, TypeAdapter[Any]]] = {
    kind.name: TypeAdapter(kind) for kind in (Start, Status, Token, Citations, Confirm, Done, Error)
}


class RedisTurnLog:
    """`redis` holds a connection for each read in progress, because reads block."""

    is_shared: Final = True

    def __init__(self, redis: BlockingRedis) -> None:
        self._redis = redis

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
        return f"docent:turn:{turn_id}"


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


_log = structlog.get_logger(__name__)

_ORDERS: Final = "docent:turn-orders"
_KEPT_ORDERS: Final = 10_000  # for receivers that lost their connection for a moment
_REST_SECONDS: Final = 1.0
_KEPT_SECONDS: Final = 3600


class RedisTurnOrders:
    def __init__(self, redis: BlockingRedis) -> None:
        self._redis = redis

    async def send(self, order: TurnOrder) -> None:
        fields: dict[Any, Any] = {"order": _to_json(order)}
        pipeline = self._redis.client.pipeline(transaction=False)
        pipeline.xadd(_ORDERS, fields, maxlen=_KEPT_ORDERS)
        pipeline.expire(_ORDERS, _KEPT_SECONDS)
        async with self._redis.asking():
            await pipeline.execute()

    async def received(self) -> AsyncGenerator[TurnOrder, None]:
        last: bytes | None = None
        while True:
            try:
                last = last or await self._latest()
                orders = await self._after(last)
            except Unavailable as error:
                _log.warning("turn_orders.away", reason=str(error))
                await asyncio.sleep(_REST_SECONDS)
                continue
            for number, order in orders:
                last = number
                yield order

    async def _latest(self) -> bytes:
        async with self._redis.asking():
            newest: Any = await self._redis.client.xrevrange(_ORDERS, count=1)
        return bytes(newest[0][0]) if newest else b"0-0"

    async def _after(self, last: bytes) -> list[tuple[bytes, TurnOrder]]:
        async with self._redis.asking(LONGEST_WAIT_SECONDS):
            found: Any = await self._redis.waiting.xread({_ORDERS: last}, block=int(LONGEST_WAIT_SECONDS * 1000))
        return [(number, _from_json(fields[b"order"])) for number, fields in (found[0][1] if found else [])]


def _to_json(order: TurnOrder) -> str:
    return json.dumps({"kind": order.kind, "ids": [str(each) for each in order.ids], "sender": order.sender})


def _from_json(text: bytes) -> TurnOrder:
    order = json.loads(text)
    return TurnOrder(order["kind"], tuple(UUID(each) for each in order["ids"]), order["sender"])
