"""The interface of turns for the HTTP layer, helpers that read a turn to its end, and a limit on open answer streams
per visitor.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Final, Literal, Protocol
from uuid import UUID, uuid4

import anyio
import structlog
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.conversations.api.widget_models import AnswerOut, CitationOut, ConfirmationOut
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.errors import Unavailable
from app.core.turn import StoredTurn, TurnRequest, VisitorSession
from app.core.turn_events import Citations, Confirm, Done, Error, NumberedEvent, Token, TurnFeed
from app.kit.limits import LEASE_SECONDS, StreamSlots
from app.kit.tasks import Supervisor
from app.store.system_of_record import SystemOfRecord
from app.web.errors import OVERLOADED_RETRY_SECONDS, STATUS_OF_CODE, Refusal


class VisitorTurns(Protocol):
    async def ask(self, session: VisitorSession, request: TurnRequest) -> TurnFeed:
        """Begin the turn, or join it if it has begun. Raises TurnConflict, TurnInProgress, Overloaded."""
        ...

    async def rejoin(self, session: VisitorSession, turn_id: UUID, after: int = 0) -> TurnFeed:
        """The turn for a reader that has its events up to number `after`.

        Raises NotFound, also if those numbers are no longer known: the reader then starts again.
        """
        ...

    async def stop(self, session: VisitorSession, turn_id: UUID) -> None:
        """Raises NotFound."""
        ...

    async def feedback(
        self, session: VisitorSession, turn_id: UUID, rating: Literal["up", "down"], comment: str
    ) -> None:
        """Raises NotFound."""
        ...


async def ended_turn(
    turns: VisitorTurns, records: SystemOfRecord, session: VisitorSession, request: TurnRequest
) -> StoredTurn | None:
    """Ask the question, or join its turn, and wait for the end. None if the turn was erased meanwhile. Raises what
    `ask` does."""
    feed = await turns.ask(session, request)
    async with aclosing(feed.events()) as events:
        async for _ in events:
            pass
    own = records.of_workspace(session.workspace_id)
    return await own.read(lambda tx: StoredTurnRecords(tx).find(request.turn_id))


async def whole_answer(feed: TurnFeed, conversation_id: UUID) -> AnswerOut:
    """Read a turn to its end as one response. Raises a Refusal if the turn ended with an error."""
    async with aclosing(feed.events()) as events:
        return await _gathered(events, conversation_id)


async def _gathered(events: AsyncIterator[NumberedEvent], conversation_id: UUID) -> AnswerOut:
    text: list[str] = []
    citations: tuple[CitationOut, ...] = ()
    confirmation: ConfirmationOut | None = None
    async for numbered in events:
        match numbered.event:
            case Token() as token:
                text.append(token.token)
            case Citations() as cited:
                citations = tuple(CitationOut.showing(citation) for citation in cited.citations)
            case Confirm() as confirm:
                confirmation = ConfirmationOut.showing(confirm.confirmation)
            case Error() as error:
                raise refusal_of(error)
            case Done() as done:
                fields = {"answer": "".join(text), "citations": citations, "confirmation": confirmation}
                return AnswerOut.showing(done, conversation_id=conversation_id, **fields)
    raise Refusal("internal", "The turn broke off. Ask again with the same turn_id to get the rest.")


def refusal_of(error: Error) -> Refusal:
    """The HTTP error for a turn that ended with an error."""
    code = error.code if error.code in STATUS_OF_CODE else "internal"
    retry = {"Retry-After": str(OVERLOADED_RETRY_SECONDS)} if error.retryable else {}
    return Refusal(code, error.message, retry)


_log = structlog.get_logger("docent.web")

_RENEW_SECONDS: Final = LEASE_SECONDS / 3


class LiveStreams:
    """Limits the open answer streams of each visitor to `limit`."""

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
