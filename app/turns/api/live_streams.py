"""A visitor's answer streams, counted while they are open."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final
from uuid import UUID, uuid4

import anyio
import structlog
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.core.errors import Unavailable
from app.kit.limits.stream_slots import LEASE_SECONDS, StreamSlots
from app.kit.tasks.supervisor import Supervisor

_log = structlog.get_logger("docent.web")

_RENEW_SECONDS: Final = LEASE_SECONDS / 3


class LiveStreams:
    """At most `limit` at once for each visitor."""

    def __init__(self, slots: StreamSlots, limit: int) -> None:
        self._slots = slots
        self._limit = limit

    async def opened(self, visitor_id: UUID, answer: Callable[[], Awaitable[Response]]) -> Response:
        """The response that `answer` returns, holding a slot until it has been sent. Raises RateLimited before calling
        it.
        """
        slot = uuid4()
        await self._slots.acquire(visitor_id, slot, self._limit)
        try:
            return _Held(await answer(), self._slots, visitor_id, slot)
        except BaseException:
            await self._slots.release(visitor_id, slot)
            raise


class _Held(Response):
    """The inner response, with a slot that is renewed while it is sent."""

    def __init__(self, inside: Response, slots: StreamSlots, visitor_id: UUID, slot: UUID) -> None:
        self._inside = inside
        self._slots = slots
        self._visitor_id = visitor_id
        self._slot = slot
        self.status_code = inside.status_code
        self.raw_headers = inside.raw_headers
        self.background = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        renewing = asyncio.create_task(Supervisor().keep_going("stream slot", self._renew))
        try:
            await self._inside(scope, receive, send)
        finally:
            renewing.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.gather(renewing, return_exceptions=True)
                await self._slots.release(self._visitor_id, self._slot)

    async def _renew(self) -> None:
        await asyncio.sleep(_RENEW_SECONDS)
        try:
            await self._slots.renew(self._visitor_id, self._slot)
        except Unavailable as error:
            _log.warning("stream.slot_not_renewed", reason=str(error))
