"""Messengers of agents, and the questions that were asked there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, String, UniqueConstraint, select

from app.agents.records import AgentRecords
from app.conversations.conversation import RESUME_WITHIN, Visitor
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.turns import TurnRecords
from app.core.turn import Channel, VisitorSession
from app.messengers.messenger import Messenger, MessengerKeys, MessengerKind, MessengerQuestion, MessengerRating
from app.store.delivery_loop import Deliveries, DueRow, delivery_columns
from app.store.schema import Audited, OfVisitors, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.sealed_rows import SealedRows, sealed_columns
from app.store.tables.agents import AGENTS
from app.store.tables.conversations import CONVERSATIONS, VISITORS
from app.store.transaction import Repository, value_of

_ID_CHARS = 100
_RATED = 100  # latest questions of a visitor whose answers can be rated

# `sealed` has both keys, one per line, sealed with the key `sealed_by`.
MESSENGERS = table(
    "messengers",
    Audited("agent", key="agent_id"),
    own_id(),
    parent("agent_id", "agents"),
    column("kind", String(16)),
    column("created_at", UtcDateTime),
    *sealed_columns(),
    UniqueConstraint("agent_id", "kind"),
)

# A question and the place of its answer; its turn has the same id. Once the question is answered, `question` and
# `reply_to` are emptied, but for the `message` of the answer: the turn has the text, and `reply_to` may contain a token
# for posting.
MESSENGER_QUESTIONS = table(
    "messenger_questions",
    OfVisitors(),
    own_id(),
    parent("messenger_id", "messengers"),
    parent("visitor_id", "visitors", index=True),
    parent("conversation_id", "conversations", index=True),
    column("created_at", UtcDateTime),
    column("event_id", String(_ID_CHARS)),
    column("place", StorableText),
    column("question", StorableText),
    column("reply_to", StorableJson),
    *delivery_columns("messenger_questions"),
    UniqueConstraint("messenger_id", "event_id"),
)


@dataclass(frozen=True, slots=True)
class DueQuestion(DueRow):
    """`keys` is None if they cannot be unsealed."""

    agent_id: UUID
    service: MessengerKind
    visitor_id: UUID
    conversation_id: UUID
    question: str
    reply_to: Mapping[str, Any]
    created_at: datetime
    keys: MessengerKeys | None = field(repr=False)


class MessengerRecords(Repository):
    def messengers(self, agent_id: UUID) -> list[Messenger]:
        """By kind."""
        found = select(MESSENGERS).where(MESSENGERS.c.agent_id == agent_id).order_by(MESSENGERS.c.kind)
        return [
            value_of(Messenger, row, **self._state(MESSENGER_QUESTIONS.c.messenger_id == row.id))
            for row in self._connection.execute(found).all()
        ]

    def find(self, agent_id: UUID, kind: MessengerKind) -> tuple[Messenger, MessengerKeys] | None:
        """The returned messenger lacks `answered_at` and `last_error`. Raises SecretsLocked."""
        found = select(MESSENGERS).where(MESSENGERS.c.agent_id == agent_id, MESSENGERS.c.kind == kind.value)
        row = self._connection.execute(found).first()
        if row is None:
            return None
        keys = _keys(SealedRows(self._tx, MESSENGERS).opened(row))
        return value_of(Messenger, row, answered_at=None, last_error=""), keys

    def put(self, messenger: Messenger, keys: MessengerKeys) -> None:
        sealed = SealedRows(self._tx, MESSENGERS).sealed(messenger.id, f"{keys.signing}\n{keys.token}".encode())
        self._put(MESSENGERS, {"id": messenger.id}, messenger, **sealed)

    def clear(self, agent_id: UUID, messenger_id: UUID) -> None:
        """Delete the messenger and its pending questions; conversations stay. Raises NotFound."""
        is_it = (MESSENGERS.c.id == messenger_id) & (MESSENGERS.c.agent_id == agent_id)
        self._delete_one(MESSENGERS, "messenger", is_it)

    def _state(self, is_its: ColumnElement[bool]) -> dict[str, Any]:
        """`answered_at` and `last_error`, from the latest answered question and the latest question."""
        questions = select(MESSENGER_QUESTIONS).where(is_its).order_by(MESSENGER_QUESTIONS.c.id.desc()).limit(1)
        latest = self._connection.execute(questions).first()
        done = self._connection.execute(questions.where(MESSENGER_QUESTIONS.c.delivered_at.is_not(None))).first()
        return {"answered_at": done.delivered_at if done else None, "last_error": latest.last_error if latest else ""}


class MessengerQuestionRecords(Repository):
    @property
    def deliveries(self) -> Deliveries:
        return Deliveries(self._tx, MESSENGER_QUESTIONS)

    def put(self, messenger: Messenger, channel: Channel, question: MessengerQuestion, delay: timedelta) -> None:
        """Queue a question for after `delay`, in the conversation of its place. A repeated delivery has no effect."""
        known = select(MESSENGER_QUESTIONS.c.id).where(
            MESSENGER_QUESTIONS.c.messenger_id == messenger.id,
            MESSENGER_QUESTIONS.c.event_id == question.event_id[:_ID_CHARS],
        )
        if self._connection.scalar(known) is not None:
            return
        visitor = ConversationRecords(self._tx).signed_visitor(messenger.agent_id, question.user_id)
        conversation_id = (
            self._conversation(messenger, visitor, question) or ConversationRecords(self._tx).start(visitor, channel).id
        )
        owed = {
            "messenger_id": messenger.id,
            "visitor_id": visitor.id,
            "conversation_id": conversation_id,
            "created_at": self._now(),
            "event_id": question.event_id[:_ID_CHARS],
            "place": question.place,
            "question": question.question,
            "reply_to": dict(question.reply_to),
            "next_at": self._now() + delay,
        }
        self.deliveries.owe([owed])

    def claim(self, limit: int, lease_until: datetime) -> list[DueQuestion]:
        """See `Deliveries.claim`. Oldest first."""
        due = self.deliveries.claim(limit, lease_until)
        found = select(MESSENGER_QUESTIONS).where(MESSENGER_QUESTIONS.c.id.in_(due)).order_by(MESSENGER_QUESTIONS.c.id)
        rows = self._connection.execute(found).all()
        of_rows = MESSENGERS.c.id.in_({row.messenger_id for row in rows})
        owners = (
            select(MESSENGERS, AGENTS.c.workspace_id).join(AGENTS, AGENTS.c.id == MESSENGERS.c.agent_id).where(of_rows)
        )
        by_id = {each.id: self._owned(each) for each in self._connection.execute(owners).all()}
        return [value_of(DueQuestion, row, **by_id[row.messenger_id]) for row in rows]

    def _owned(self, messenger: Row[Any]) -> dict[str, Any]:
        """The fields of a DueQuestion that come from its messenger."""
        sealed = SealedRows(self._tx, MESSENGERS).opened_or_none(messenger)
        return {
            "workspace_id": messenger.workspace_id,
            "agent_id": messenger.agent_id,
            "service": MessengerKind(messenger.kind),
            "keys": None if sealed is None else _keys(sealed),
        }

    def answered(self, question_id: UUID, message: str) -> None:
        """`message` identifies the posted answer, for its rating."""
        self.deliveries.delivered(question_id)
        is_it = MESSENGER_QUESTIONS.c.id == question_id
        self._update(MESSENGER_QUESTIONS, is_it, question="", reply_to={"message": message})

    def rate(self, messenger: Messenger, channel: Channel, rating: MessengerRating) -> bool:
        """Store the rating of an answer by the visitor who has asked; False for anybody else and any other message."""
        questions = (
            select(MESSENGER_QUESTIONS)
            .join(VISITORS, VISITORS.c.id == MESSENGER_QUESTIONS.c.visitor_id)
            .where(MESSENGER_QUESTIONS.c.messenger_id == messenger.id, VISITORS.c.user_id == rating.user_id)
            .order_by(MESSENGER_QUESTIONS.c.id.desc())
            .limit(_RATED)
        )
        rated = [row for row in self._connection.execute(questions) if row.reply_to == {"message": rating.message}]
        for row in rated:
            workspace_id = AgentRecords(self._tx).live(messenger.agent_id).workspace_id
            who = (workspace_id, messenger.agent_id, row.visitor_id, row.conversation_id)
            session = VisitorSession(*who, channel, is_proven=False)
            TurnRecords(self._tx).feedback(session, row.id, rating.rating, "")
        return bool(rated)

    def _conversation(self, messenger: Messenger, visitor: Visitor, question: MessengerQuestion) -> UUID | None:
        """The conversation to continue: a thread's at any age, a channel's if it was active within RESUME_WITHIN."""
        there = (
            select(CONVERSATIONS.c.id)
            .join(MESSENGER_QUESTIONS, MESSENGER_QUESTIONS.c.conversation_id == CONVERSATIONS.c.id)
            .where(
                MESSENGER_QUESTIONS.c.messenger_id == messenger.id,
                MESSENGER_QUESTIONS.c.visitor_id == visitor.id,
                MESSENGER_QUESTIONS.c.place == question.place,
                CONVERSATIONS.c.cleared_at.is_(None),
            )
            .order_by(MESSENGER_QUESTIONS.c.id.desc())
            .limit(1)
        )
        if not question.is_thread:
            there = there.where(CONVERSATIONS.c.last_active_at >= self._now() - RESUME_WITHIN)
        return self._connection.scalar(there)


def _keys(sealed: bytes) -> MessengerKeys:
    signing, _, token = sealed.decode().partition("\n")
    return MessengerKeys(signing, token)
