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
from app.kit.limits.stream_places import LEASE_SECONDS, StreamPlaces
from app.kit.tasks.supervisor import Supervisor

_log = structlog.get_logger("docent.web")

_RENEW_SECONDS: Final = LEASE_SECONDS / 3


class LiveStreams:
    """At most `limit` at once for each visitor."""

    def __init__(self, places: StreamPlaces, limit: int) -> None:
        self._places = places
        self._limit = limit

    async def opened(self, visitor_id: UUID, answer: Callable[[], Awaitable[Response]]) -> Response:
        """What `answer` makes, holding a place until it has been sent. Raises RateLimited before it is made."""
        place = uuid4()
        await self._places.take(visitor_id, place, self._limit)
        try:
            return _Placed(await answer(), self._places, visitor_id, place)
        except BaseException:
            await self._places.leave(visitor_id, place)
            raise


class _Placed(Response):
    """The response inside, with a place that is renewed while it is sent."""

    def __init__(self, inside: Response, places: StreamPlaces, visitor_id: UUID, place: UUID) -> None:
        self._inside = inside
        self._places = places
        self._visitor_id = visitor_id
        self._place = place
        self.status_code = inside.status_code
        self.raw_headers = inside.raw_headers
        self.background = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        renewing = asyncio.create_task(Supervisor().keep_going("stream place", self._renew))
        try:
            await self._inside(scope, receive, send)
        finally:
            renewing.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.gather(renewing, return_exceptions=True)
                await self._places.leave(self._visitor_id, self._place)

    async def _renew(self) -> None:
        await asyncio.sleep(_RENEW_SECONDS)
        try:
            await self._places.renew(self._visitor_id, self._place)
        except Unavailable as error:
            _log.warning("stream.place_not_renewed", reason=str(error))
