"""TurnOrders in Redis: one stream that every web process reads."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any, Final
from uuid import UUID

import structlog

from app.core.errors import Unavailable
from app.kit.redis.blocking_redis import LONGEST_WAIT_SECONDS, BlockingRedis
from app.turns.remote.turn_orders import TurnOrder

_log = structlog.get_logger(__name__)

_KEPT_ORDERS: Final = 10_000  # for those who were away for a moment
_REST_SECONDS: Final = 1.0
_KEPT_SECONDS: Final = 3600


class RedisTurnOrders:
    def __init__(self, redis: BlockingRedis, *, key: str = "docent:turn-orders") -> None:
        self._redis = redis
        self._key = key

    async def send(self, order: TurnOrder) -> None:
        fields: dict[Any, Any] = {"order": _to_json(order)}
        pipeline = self._redis.client.pipeline(transaction=False)
        pipeline.xadd(self._key, fields, maxlen=_KEPT_ORDERS)
        pipeline.expire(self._key, _KEPT_SECONDS)
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
            newest: Any = await self._redis.client.xrevrange(self._key, count=1)
        return bytes(newest[0][0]) if newest else b"0-0"

    async def _after(self, last: bytes) -> list[tuple[bytes, TurnOrder]]:
        async with self._redis.asking(LONGEST_WAIT_SECONDS):
            found: Any = await self._redis.waiting.xread({self._key: last}, block=int(LONGEST_WAIT_SECONDS * 1000))
        return [(number, _from_json(fields[b"order"])) for number, fields in (found[0][1] if found else [])]


def _to_json(order: TurnOrder) -> str:
    return json.dumps({"kind": order.kind, "ids": [str(each) for each in order.ids], "sender": order.sender})


def _from_json(text: bytes) -> TurnOrder:
    order = json.loads(text)
    return TurnOrder(order["kind"], tuple(UUID(each) for each in order["ids"]), order["sender"])
