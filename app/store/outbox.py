"""Events for webhooks, written in the transaction in which they happen."""

from collections.abc import Collection
from datetime import date, datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Column, select
from sqlalchemy.dialects.sqlite import Insert

from app.store.tables.conversations import OUTBOX
from app.store.transaction import Repository, TurnIds, insert_of, new_id


class Outbox(Repository):
    def add_once(
        self, agent_id: UUID, kind: str, payload: dict[str, Any], *, first_day: date, happened_at: datetime
    ) -> bool:
        """Add a row about the week or day that began on `first_day`. False if there is one of that kind already."""
        row = self._insert(OUTBOX).values(
            id=new_id(), agent_id=agent_id, kind=kind, week=first_day, payload=payload, created_at=happened_at
        )
        insert = row.on_conflict_do_nothing().returning(OUTBOX.c.id)  # Postgres reports no row count for an insert
        return self._connection.scalar(insert) is not None

    def has(self, agent_id: UUID, kind: str, first_day: date) -> bool:
        """Whether `add_once` has added such a row."""
        one = OUTBOX.c.agent_id == agent_id, OUTBOX.c.kind == kind, OUTBOX.c.week == first_day
        return self._connection.scalar(select(OUTBOX.c.id).where(*one)) is not None

    def add(
        self,
        agent_id: UUID,
        kind: str,
        payload: dict[str, Any],
        *,
        turn_id: UUID | None = None,
        conversation_id: UUID | None = None,
    ) -> None:
        """Add one row about something that happens now, unless the turn already has one of that kind."""
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

    def drop(self, outbox_ids: Collection[UUID]) -> None:
        """Delete those of the rows that no other row refers to, because nothing is left to deliver. Rows about a week
        or day stay, so that `add_once` does not repeat them."""
        unwanted = [~select(child).where(child == OUTBOX.c.id).exists() for child in _children()]
        self._delete(OUTBOX, OUTBOX.c.id.in_(outbox_ids), OUTBOX.c.week.is_(None), *unwanted)

    def announce(self, turn: TurnIds, kind: str) -> None:
        payload = {"turn_id": str(turn.id), "conversation_id": str(turn.conversation_id)}
        self.add(turn.agent_id, kind, payload, turn_id=turn.id)


@cache
def _news(dialect: str) -> Insert:
    """Built once, because every turn ends with it."""
    return insert_of(dialect, OUTBOX).on_conflict_do_nothing()


def _children() -> list[Column[Any]]:
    """The columns that refer to the outbox."""
    return [
        key.parent
        for table in OUTBOX.metadata.tables.values()
        for key in table.foreign_keys
        if key.column.table is OUTBOX
    ]
