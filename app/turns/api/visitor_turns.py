"""What the HTTP layer needs of turns, so that tests can use scripted ones; and a turn read to its end."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Literal, Protocol
from uuid import UUID

from app.conversations.api.widget_models import AnswerOut, CitationOut, ConfirmationOut
from app.core.turn import TurnRequest, VisitorSession
from app.core.turn_events import Citations, Confirm, Done, Error, NumberedEvent, Token, TurnFeed
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


async def whole_answer(feed: TurnFeed, conversation_id: UUID) -> AnswerOut:
    """Raises a Refusal for a turn that ended with an error."""
    async with aclosing(feed.events()) as events:
        return await _gathered(events, conversation_id)


async def _gathered(events: AsyncIterator[NumberedEvent], conversation_id: UUID) -> AnswerOut:
    text: list[str] = []
    citations: tuple[CitationOut, ...] = ()
    asked: ConfirmationOut | None = None
    async for numbered in events:
        match numbered.event:
            case Token() as token:
                text.append(token.token)
            case Citations() as cited:
                citations = tuple(CitationOut.showing(citation) for citation in cited.citations)
            case Confirm() as confirm:
                asked = ConfirmationOut.showing(confirm.confirmation)
            case Error() as error:
                raise refusal_of(error)
            case Done() as done:
                said = {"answer": "".join(text), "citations": citations, "confirmation": asked}
                return AnswerOut.showing(done, conversation_id=conversation_id, **said)
    raise Refusal("internal", "The turn broke off. Ask again with the same turn_id to get the rest.")


def refusal_of(error: Error) -> Refusal:
    """A turn's error for somebody who waits for the whole answer."""
    code = error.code if error.code in STATUS_OF_CODE else "internal"
    retry = {"Retry-After": str(OVERLOADED_RETRY_SECONDS)} if error.retryable else {}
    return Refusal(code, error.message, retry)
