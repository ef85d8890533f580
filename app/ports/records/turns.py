"""Port: turns, from the question's commit to the receipt."""

from collections.abc import Collection, Mapping
from datetime import date
from typing import Protocol
from uuid import UUID

from app.domain.costs import MonthCost
from app.domain.rephrasing import StoppedTurn
from app.domain.turn import Exchange, StoredTurn, TokenUsage, TurnEnd, TurnRequest, VisitorSession


class TurnRecords(Protocol):
    async def begin(self, session: VisitorSession, request: TurnRequest, agent_version: int, owner: str) -> None:
        """Store question and turn, `running`, owned by the process named `owner`.

        Raises TurnConflict when the id is taken, TurnInProgress when the conversation has a running turn, NotFound
        when the conversation is not this visitor's or was cleared.
        """
        ...

    async def checkpoint(self, texts: Mapping[UUID, str]) -> None:
        """Keep the texts so far of turns that are still running, or that were cut while their owner was silent."""
        ...

    async def finish(self, turn_id: UUID, end: TurnEnd) -> UUID:
        """Store the end: answer message, citations, usage, gap, outbox rows, curated hit. Returns the message's
        id. A turn that has already ended keeps its first end and returns that message's id; only a cut is no end: its
        owner lives after all, and what it says takes the cut's place. Raises NotFound for a turn that was erased."""
        ...

    async def find(self, turn_id: UUID) -> StoredTurn | None: ...

    async def history(self, conversation_id: UUID, limit: int) -> list[Exchange]:
        """The latest exchanges, oldest first: answered turns, and between them what the visitor and a person of the
        team wrote to each other (`past_exchanges`)."""
        ...

    async def tokens_of_day(self, agent_id: UUID, day: date) -> int:
        """What the agent's turns that ended on that day, by UTC, cost, and what was charged beside them, tokens read
        and written together."""
        ...

    async def usage_by_month(self, agent_id: UUID, months: int) -> list[MonthCost]:
        """What the chat model was asked for, newest month first, without prices."""
        ...

    async def charge(self, agent_id: UUID, purpose: str, usage: TokenUsage) -> None:
        """Count what the chat model cost beside a turn; it belongs to the agent's day like a turn's."""
        ...

    async def thumbs(self, agent_id: UUID) -> dict[str, tuple[int, int]]:
        """Thumbs up and down that answers got, by the URL of each section that they cited."""
        ...

    async def of_conversation(self, conversation_id: UUID) -> list[StoredTurn]:
        """Oldest first, with citations and trace."""
        ...

    async def cut_orphans(self, living_owners: Collection[str]) -> int:
        """Running turns of any other owner become `cut`; return how many."""
        ...

    async def stopped(self, at_most: int) -> list[StoppedTurn]:
        """Turns that visitors stopped and that were not judged, stopped longest ago first: those after which another
        question was begun in time, and those after which none can come any more."""
        ...

    async def judge_stopped(self, turn_id: UUID, *, is_rephrased: bool) -> None:
        """Once a turn. A rephrased question counts as a gap, unless the turn has counted as one before."""
        ...

    async def flag(self, turn_id: UUID) -> UUID | None:
        """The turn's question counts as a gap on an operator's word, unless it has counted as one before; return the
        gap's id, None for a question without words. Raises NotFound."""
        ...

    async def feedback(self, session: VisitorSession, turn_id: UUID, rating: str, comment: str) -> None:
        """One rating ("up" or "down") a turn; a later one replaces it. A first thumbs down also counts as a gap,
        unless the turn has counted as one before.
        Raises NotFound for a turn that is not this conversation's."""
        ...
