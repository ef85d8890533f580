"""What webhooks may want to hear of, written in the transaction in which it happens."""

from datetime import date, datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy.dialects.sqlite import Insert

from app.store.tables.conversations import OUTBOX
from app.store.transaction import Repository, TurnIds, insert_of, new_id


class Outbox(Repository):
    def tell_once(
        self, agent_id: UUID, kind: str, payload: dict[str, Any], *, first_day: date, happened_at: datetime
    ) -> bool:
        """One row about the week or day of the agent that began on `first_day`. False where that kind was told of it
        already."""
        row = self._insert(OUTBOX).values(
            id=new_id(), agent_id=agent_id, kind=kind, week=first_day, payload=payload, created_at=happened_at
        )
        told = row.on_conflict_do_nothing().returning(OUTBOX.c.id)  # Postgres counts no rows of an insert
        return self._connection.scalar(told) is not None

    def tell(
        self,
        agent_id: UUID,
        kind: str,
        payload: dict[str, Any],
        *,
        turn_id: UUID | None = None,
        conversation_id: UUID | None = None,
    ) -> None:
        """One row of what happens now. A kind that was told of the turn is not told again."""
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

    def announce(self, turn: TurnIds, kind: str) -> None:
        payload = {"turn_id": str(turn.id), "conversation_id": str(turn.conversation_id)}
        self.tell(turn.agent_id, kind, payload, turn_id=turn.id)


@cache
def _news(dialect: str) -> Insert:
    """Made once: every turn ends with it."""
    return insert_of(dialect, OUTBOX).on_conflict_do_nothing()
