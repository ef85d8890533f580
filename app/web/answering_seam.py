"""What the edge asks of the answering room, so that tests can put a small double in its place."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol
from uuid import UUID

from app.answering.retrieval import SearchQuery
from app.answering.turn_feed import TurnFeed
from app.domain.agent import LiveAgent
from app.domain.conversation import Conversation, Message, Visitor
from app.domain.turn import Channel, TurnRequest, VisitorSession


class Opened(Protocol):
    """A conversation that a visitor may go on with. `messages` is empty unless it was resumed."""

    @property
    def session(self) -> VisitorSession: ...
    @property
    def visitor(self) -> Visitor: ...
    @property
    def conversation(self) -> Conversation: ...
    @property
    def messages(self) -> Sequence[Message]: ...


class VisitorConversations(Protocol):
    async def open(
        self,
        agent: LiveAgent,
        anonymous_id: UUID | None,
        channel: Channel = Channel.WIDGET,
        user_id: str | None = None,
    ) -> Opened:
        """`user_id` is one whose signature was checked."""
        ...

    async def messages(self, session: VisitorSession) -> Sequence[Message]:
        """The latest ones, oldest first."""
        ...

    async def clear(self, session: VisitorSession) -> None: ...


class SearchedAgent(Protocol):
    def as_json(self) -> Mapping[str, Any]:
        """threshold, best, low_confidence, chunks (best first) and trace."""
        ...


class AgentSearching(Protocol):
    async def search(
        self, workspace_id: UUID, agent_id: UUID, query: SearchQuery, version: Literal["live", "draft"] = "live"
    ) -> SearchedAgent:
        """Raises NotFound for an agent that is absent, another workspace's, or not published; IndexUnavailable."""
        ...


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
