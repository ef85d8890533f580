"""What the edge asks of turns, so that tests can put scripted ones in their place."""

from typing import Literal, Protocol
from uuid import UUID

from app.core.turn import TurnRequest, VisitorSession
from app.core.turn_events import TurnFeed


class VisitorTurns(Protocol):
    async def ask(self, session: VisitorSession, request: TurnRequest) -> TurnFeed:
        """Begin the turn, or join it where it has begun. Raises TurnConflict, TurnInProgress, Overloaded."""
        ...

    async def rejoin(self, session: VisitorSession, turn_id: UUID, after: int = 0) -> TurnFeed:
        """The turn for a reader that has its events up to number `after`.

        Raises NotFound, also when those numbers are no longer known: the reader then begins anew.
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
