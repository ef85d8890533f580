"""Changes that visitors are asked to confirm, and their decisions."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Index, Integer, Row, String, select

from app.core.confirmation import CONFIRM_WITHIN, Confirmation, ConfirmationState, ProposedChange
from app.core.turn import VisitorSession
from app.store.schema import Id, OfVisitors, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.tables.conversations import CONVERSATIONS
from app.store.transaction import Repository, TurnIds, batches, value_of

# A change that a turn has proposed. `action_id` may be gone; `url` and `body` are exactly what is sent.
CONFIRMATIONS = table(
    "confirmations",
    OfVisitors("confirmations", "What the visitor was asked to confirm."),
    own_id(),
    parent("agent_id", "agents"),
    parent("visitor_id", "visitors", index=True),
    parent("conversation_id", "conversations", index=True),
    parent("turn_id", "turns", unique=True),
    column("action_id", Id),
    column("revision", Integer),
    column("action", StorableText),
    column("title", StorableText),
    column("summary", StorableText),
    column("shown", StorableJson),
    column("method", String(10)),
    column("url", StorableText),
    column("body", StorableText, nullable=True),
    column("state", String(10)),
    column("text", StorableText, default=""),
    column("status", Integer, nullable=True),
    column("created_at", UtcDateTime),
    column("expires_at", UtcDateTime),
    column("decided_at", UtcDateTime, nullable=True),
    Index(None, "agent_id", "created_at"),
)


@dataclass(frozen=True, slots=True)
class PendingChange:
    """A confirmation as of now, with the call to make once it is confirmed."""

    confirmation: Confirmation
    change: ProposedChange


class ConfirmationRecords(Repository):
    def ask(self, turn: TurnIds, change: ProposedChange) -> None:
        """Store a proposed change for the visitor to decide. An earlier undecided one in this conversation becomes
        void, so that nobody confirms one and means the other."""
        now = self._now()
        is_open = CONFIRMATIONS.c.state == ConfirmationState.ASKED.value
        is_there = CONFIRMATIONS.c.conversation_id == turn.conversation_id
        self._update(
            CONFIRMATIONS, is_there, is_open, CONFIRMATIONS.c.expires_at > now, state=ConfirmationState.VOID.value
        )
        self._add(
            CONFIRMATIONS,
            change,
            agent_id=turn.agent_id,
            visitor_id=turn.visitor_id,
            conversation_id=turn.conversation_id,
            turn_id=turn.id,
            shown=[asdict(each) for each in change.shown],
            state=ConfirmationState.ASKED.value,
            text="",
            created_at=now,
            expires_at=now + CONFIRM_WITHIN,
        )

    def of_turn(self, turn_id: UUID) -> Confirmation | None:
        return confirmations_of(self._connection, [turn_id], self._now()).get(turn_id)

    def own(self, session: VisitorSession, confirmation_id: UUID, *, is_locked: bool = False) -> PendingChange:
        """Raises NotFound for one that this visitor was not asked in this conversation, or that was cleared."""
        statement = (
            select(CONFIRMATIONS)
            .join(CONVERSATIONS, CONVERSATIONS.c.id == CONFIRMATIONS.c.conversation_id)
            .where(
                CONFIRMATIONS.c.id == confirmation_id,
                CONFIRMATIONS.c.conversation_id == session.conversation_id,
                CONFIRMATIONS.c.visitor_id == session.visitor_id,
                CONFIRMATIONS.c.agent_id == session.agent_id,
                CONVERSATIONS.c.cleared_at.is_(None),
            )
        )
        row = self._first_row(statement.with_for_update(of=CONFIRMATIONS) if is_locked else statement, "confirmation")
        return PendingChange(_confirmation(row, self._now()), value_of(ProposedChange, row))

    def decide(self, confirmation_id: UUID, state: ConfirmationState) -> None:
        """Store the visitor's decision, or an outcome before anything was called."""
        self._set(confirmation_id, state=state.value, decided_at=self._now())

    def settle(self, confirmation_id: UUID, state: ConfirmationState, text: str, status: int | None) -> None:
        self._set(confirmation_id, state=state.value, text=text, status=status)

    def _set(self, confirmation_id: UUID, **values: Any) -> None:
        self._update(CONFIRMATIONS, CONFIRMATIONS.c.id == confirmation_id, **values)


def confirmations_of(connection: Connection, turn_ids: Sequence[UUID], now: datetime) -> dict[UUID, Confirmation]:
    """The confirmations of these turns by turn id, as of `now`; turns that propose nothing are missing."""
    found: dict[UUID, Confirmation] = {}
    for batch in batches(dict.fromkeys(turn_ids)):
        for row in connection.execute(select(CONFIRMATIONS).where(CONFIRMATIONS.c.turn_id.in_(batch))):
            found[row.turn_id] = _confirmation(row, now)
    return found


def _confirmation(row: Row[Any], now: datetime) -> Confirmation:
    return value_of(Confirmation, row).as_of(now)
