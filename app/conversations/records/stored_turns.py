"""Turns as they are read: one by id, a conversation's, and the history that the model is told."""

from datetime import date, datetime
from typing import Any, TypeVar, cast
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Table, and_, bindparam, func, select
from sqlalchemy.orm import InstrumentedAttribute, aliased

from app.conversations.conversation import Role
from app.conversations.past_exchanges import MESSAGES_PER_EXCHANGE, past_exchanges
from app.conversations.people.records.live_chats import live_message_of
from app.conversations.records.citations import citations_of
from app.core.costs import MonthCost
from app.core.turn import Exchange, StoredTurn, TokenUsage, TurnState
from app.store.codec import value_of
from app.store.models import (
    AgentDayRow,
    AgentRow,
    CitationRow,
    FeedbackRow,
    LiveMessageRow,
    MessageRow,
    TurnRow,
    UsageRow,
)
from app.store.transaction import Repository, TurnIds

Value = TypeVar("Value")

_question = aliased(MessageRow)
_answer = aliased(MessageRow)
_is_question = and_(_question.turn_id == TurnRow.id, _question.role == Role.VISITOR.value)
_is_answer = and_(_answer.turn_id == TurnRow.id, _answer.role == Role.AGENT.value)

_TURNS = cast(Table, TurnRow.__table__)
_LIVE_MESSAGES = cast(Table, LiveMessageRow.__table__)
_asked, _told = (cast(Table, MessageRow.__table__).alias(name) for name in ("asked", "told"))
# Asked with the first question of each conversation, so they are made once and of columns alone.
_ANSWERED = (
    select(_TURNS.c.created_at, _asked.c.text, _told.c.text)
    .join(_asked, and_(_asked.c.turn_id == _TURNS.c.id, _asked.c.role == Role.VISITOR.value))
    .join(_told, and_(_told.c.turn_id == _TURNS.c.id, _told.c.role == Role.AGENT.value))
    .where(
        _TURNS.c.conversation_id == bindparam("conversation_id"),
        _TURNS.c.state == TurnState.DONE.value,
        _told.c.text != "",
    )
    .order_by(_TURNS.c.position.desc())
    .limit(bindparam("most"))
)
_WRITTEN = (
    select(_LIVE_MESSAGES)
    .where(_LIVE_MESSAGES.c.conversation_id == bindparam("conversation_id"))
    .order_by(_LIVE_MESSAGES.c.number.desc())
    .limit(bindparam("most"))
)


class StoredTurnRecords(Repository):
    def find(self, turn_id: UUID) -> StoredTurn | None:
        found = self.where(TurnRow.id == turn_id)
        return found[0] if found else None

    def history(self, conversation_id: UUID, limit: int) -> list[Exchange]:
        """The latest exchanges, oldest first: answered turns, and between them what the visitor and a person of the
        team wrote to each other (`past_exchanges`)."""
        own = {"conversation_id": conversation_id}
        answered = self._connection.execute(_ANSWERED, own | {"most": limit})
        turns = [(asked_at, Exchange(question, answer)) for asked_at, question, answer in answered]
        written = self._connection.execute(_WRITTEN, own | {"most": limit * MESSAGES_PER_EXCHANGE})
        messages = [live_message_of(row) for row in written]
        return past_exchanges(reversed(turns), reversed(messages), limit)

    def tokens_of_day(self, agent_id: UUID, day: date) -> int:
        """What the agent's turns that ended on that day, by UTC, cost, and what was charged beside them, tokens read
        and written together."""
        statement = select(AgentDayRow.tokens).where(AgentDayRow.agent_id == agent_id, AgentDayRow.day == day)
        return self._connection.scalar(statement) or 0

    def usage_by_month(self, agent_id: UUID, months: int) -> list[MonthCost]:
        """What the chat model was asked for, newest month first, without prices."""
        is_sqlite = self._dialect == "sqlite"
        month = (
            func.strftime("%Y-%m", UsageRow.created_at)
            if is_sqlite
            else func.to_char(func.timezone("UTC", UsageRow.created_at), "YYYY-MM")
        ).label("month")
        sums = [
            func.coalesce(func.sum(column), 0)
            for column in (UsageRow.prompt_tokens, UsageRow.completion_tokens, UsageRow.cached_tokens)
        ]
        found = self._connection.execute(
            select(month, func.count(), *sums)
            .where(UsageRow.agent_id == agent_id, UsageRow.model != "")
            .group_by(month)
            .order_by(month.desc())
            .limit(months)
        )
        return [
            MonthCost(name, calls, TokenUsage(int(read), int(written), cached_tokens=int(cached)))
            for name, calls, read, written, cached in found
        ]

    def moved_at(self, workspace_id: UUID) -> datetime | None:
        """When a turn of the workspace last ended, or got its first thumb."""
        ended = select(func.max(UsageRow.created_at)).where(UsageRow.agent_id == AgentRow.id).scalar_subquery()
        rated = select(func.max(FeedbackRow.created_at)).where(FeedbackRow.agent_id == AgentRow.id).scalar_subquery()
        moments = self._connection.execute(select(ended, rated).where(AgentRow.workspace_id == workspace_id))
        return max((moment for both in moments for moment in both if moment is not None), default=None)

    def thumbs(self, agent_id: UUID) -> dict[str, tuple[int, int]]:
        """Thumbs up and down that answers got, by the URL of each section that they cited."""
        statement = (
            select(
                CitationRow.url,
                func.count().filter(FeedbackRow.rating == "up"),
                func.count().filter(FeedbackRow.rating == "down"),
            )
            .join(FeedbackRow, FeedbackRow.turn_id == CitationRow.turn_id)
            .where(FeedbackRow.agent_id == agent_id)
            .group_by(CitationRow.url)
        )
        return {url: (up, down) for url, up, down in self._connection.execute(statement)}

    def of_conversation(self, conversation_id: UUID) -> list[StoredTurn]:
        """Oldest first, with citations and trace."""
        return self.where(TurnRow.conversation_id == conversation_id)

    def where(self, condition: ColumnElement[bool]) -> list[StoredTurn]:
        """Those that meet a condition on `TurnRow`, oldest first."""
        statement = (
            select(
                TurnRow,
                _question.text.label("question"),
                func.coalesce(_answer.text, TurnRow.partial_answer).label("answer"),
                _answer.id.label("message_id"),
                FeedbackRow.rating,
                func.coalesce(FeedbackRow.comment, "").label("comment"),
            )
            .join(_question, _is_question)
            .outerjoin(_answer, _is_answer)
            .outerjoin(FeedbackRow, FeedbackRow.turn_id == TurnRow.id)
            .where(condition)
            .order_by(TurnRow.position)
        )
        rows = self._connection.execute(statement).all()
        citations = citations_of(self._connection, [row.id for row in rows])
        return [value_of(StoredTurn, row, citations=citations.get(row.id, ())) for row in rows]

    def question(self, turn_id: UUID) -> str:
        """Of a turn that is there."""
        return self._message(turn_id, MessageRow.text, Role.VISITOR)

    def answer_id(self, turn_id: UUID) -> UUID:
        """Of a turn that has ended."""
        return self._message(turn_id, MessageRow.id, Role.AGENT)

    def _message(self, turn_id: UUID, column: InstrumentedAttribute[Value], role: Role) -> Value:
        statement = select(column).where(MessageRow.turn_id == turn_id, MessageRow.role == role.value)
        return self._connection.scalars(statement).one()


def ids_of(turn: Row[*tuple[Any, ...]]) -> TurnIds:
    return TurnIds(turn.id, turn.agent_id, turn.visitor_id, turn.conversation_id)
