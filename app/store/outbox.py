"""What webhooks may want to hear of, written in the transaction in which it happens."""

from datetime import date, datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy.dialects.sqlite import Insert

from app.store.tables.conversations import OUTBOX
from app.store.transaction import Repository, TurnIds, insert_of, new_id


class Outbox(Repository):
    def news(
        self,
        agent_id: UUID,
        kind: str,
        payload: dict[str, Any],
        *,
        turn_id: UUID | None = None,
        conversation_id: UUID | None = None,
        first_day: date | None = None,
        happened_at: datetime | None = None,
    ) -> Insert:
        """The insert of one row about a turn, a conversation, or the week or day of the agent that began on
        `first_day`, now unless it says when.

        A kind that was told of the turn, or of the agent's week or day, is not told again.
        """
        row = self._insert(OUTBOX).values(
            id=new_id(),
            turn_id=turn_id,
            conversation_id=conversation_id,
            agent_id=agent_id,
            kind=kind,
            week=first_day,
            payload=payload,
            created_at=happened_at or self._now(),
        )
        return row.on_conflict_do_nothing()

    def tell(
        self,
        agent_id: UUID,
        kind: str,
        payload: dict[str, Any],
        *,
        turn_id: UUID | None = None,
        conversation_id: UUID | None = None,
    ) -> None:
        """One row of what happens now."""
        self._add_row(agent_id, kind, payload, turn_id, conversation_id)

    def announce(self, turn: TurnIds, kind: str) -> None:
        payload = {"turn_id": str(turn.id), "conversation_id": str(turn.conversation_id)}
        self._add_row(turn.agent_id, kind, payload, turn.id, None)

    def _add_row(
        self, agent_id: UUID, kind: str, payload: dict[str, Any], turn_id: UUID | None, conversation_id: UUID | None
    ) -> None:
        row = {
            "id": new_id(),
            "turn_id": turn_id,
            "conversation_id": conversation_id,
            "agent_id": agent_id,
            "kind": kind,
            "payload": payload,
            "created_at": self._now(),
        }
        self._connection.execute(_news(self._dialect), row)


@cache
def _news(dialect: str) -> Insert:
    """Made once: every turn ends with it."""
    return insert_of(dialect, OUTBOX).on_conflict_do_nothing()
