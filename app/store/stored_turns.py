"""Turns as they are read: one by id, a conversation's, and the history that the model is told."""

from datetime import date
from typing import TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import InstrumentedAttribute, aliased

from app.domain.conversation import Role
from app.domain.costs import MonthCost
from app.domain.past_exchanges import MESSAGES_PER_EXCHANGE, past_exchanges
from app.domain.turn import AnsweredBy, Citation, Exchange, Finish, StoredTurn, TokenUsage, TurnState
from app.store.citations import citations_of
from app.store.live_chats import live_message_of
from app.store.models import AgentDayRow, CitationRow, FeedbackRow, LiveMessageRow, MessageRow, TurnRow, UsageRow
from app.store.transaction import Repository, TurnIds

Value = TypeVar("Value")

_question = aliased(MessageRow)
_answer = aliased(MessageRow)
_is_question = and_(_question.turn_id == TurnRow.id, _question.role == Role.VISITOR.value)
_is_answer = and_(_answer.turn_id == TurnRow.id, _answer.role == Role.AGENT.value)


class StoredTurnRecords(Repository):
    async def find(self, turn_id: UUID) -> StoredTurn | None:
        found = await self.where(TurnRow.id == turn_id)
        return found[0] if found else None

    async def history(self, conversation_id: UUID, limit: int) -> list[Exchange]:
        """The latest exchanges, oldest first: answered turns, and between them what the visitor and a person of the
        team wrote to each other (`past_exchanges`)."""
        answered = (
            select(TurnRow.created_at, _question.text, _answer.text)
            .select_from(TurnRow)
            .join(_question, _is_question)
            .join(_answer, _is_answer)
            .where(
                TurnRow.conversation_id == conversation_id,
                TurnRow.state == TurnState.DONE.value,
                _answer.text != "",
            )
            .order_by(TurnRow.position.desc())
            .limit(limit)
        )
        written = (
            select(LiveMessageRow)
            .where(LiveMessageRow.conversation_id == conversation_id)
            .order_by(LiveMessageRow.number.desc())
            .limit(limit * MESSAGES_PER_EXCHANGE)
        )
        turns = [
            (asked_at, Exchange(question, answer))
            for asked_at, question, answer in await self._session.execute(answered)
        ]
        messages = [live_message_of(row) for row in await self._session.scalars(written)]
        return past_exchanges(reversed(turns), reversed(messages), limit)

    async def tokens_of_day(self, agent_id: UUID, day: date) -> int:
        """What the agent's turns that ended on that day, by UTC, cost, and what was charged beside them, tokens read
        and written together."""
        statement = select(AgentDayRow.tokens).where(AgentDayRow.agent_id == agent_id, AgentDayRow.day == day)
        return await self._session.scalar(statement) or 0

    async def usage_by_month(self, agent_id: UUID, months: int) -> list[MonthCost]:
        """What the chat model was asked for, newest month first, without prices."""
        is_sqlite = self._session.get_bind().dialect.name == "sqlite"
        month = (
            func.strftime("%Y-%m", UsageRow.created_at)
            if is_sqlite
            else func.to_char(func.timezone("UTC", UsageRow.created_at), "YYYY-MM")
        ).label("month")
        sums = [
            func.coalesce(func.sum(column), 0)
            for column in (UsageRow.prompt_tokens, UsageRow.completion_tokens, UsageRow.cached_tokens)
        ]
        found = await self._session.execute(
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

    async def thumbs(self, agent_id: UUID) -> dict[str, tuple[int, int]]:
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
        return {url: (up, down) for url, up, down in await self._session.execute(statement)}

    async def of_conversation(self, conversation_id: UUID) -> list[StoredTurn]:
        """Oldest first, with citations and trace."""
        return await self.where(TurnRow.conversation_id == conversation_id)

    async def where(self, condition: ColumnElement[bool]) -> list[StoredTurn]:
        """Those that meet a condition on `TurnRow`, oldest first."""
        statement = (
            select(TurnRow, _question.text, _answer.id, _answer.text, FeedbackRow.rating, FeedbackRow.comment)
            .join(_question, _is_question)
            .outerjoin(_answer, _is_answer)
            .outerjoin(FeedbackRow, FeedbackRow.turn_id == TurnRow.id)
            .where(condition)
            .order_by(TurnRow.position)
        )
        rows = (await self._session.execute(statement)).all()
        citations = await citations_of(self._session, [turn.id for turn, *_ in rows])
        return [
            _stored_turn(turn, question, message_id, answer, citations.get(turn.id, ()), rating, comment)
            for turn, question, message_id, answer, rating, comment in rows
        ]

    async def question(self, turn_id: UUID) -> str:
        """Of a turn that is there."""
        return await self._message(turn_id, MessageRow.text, Role.VISITOR)

    async def answer_id(self, turn_id: UUID) -> UUID:
        """Of a turn that has ended."""
        return await self._message(turn_id, MessageRow.id, Role.AGENT)

    async def _message(self, turn_id: UUID, column: InstrumentedAttribute[Value], role: Role) -> Value:
        statement = select(column).where(MessageRow.turn_id == turn_id, MessageRow.role == role.value)
        return (await self._session.scalars(statement)).one()


def ids_of(turn: TurnRow) -> TurnIds:
    return TurnIds(turn.id, turn.agent_id, turn.visitor_id, turn.conversation_id)


def _stored_turn(
    turn: TurnRow,
    question: str,
    message_id: UUID | None,
    answer: str | None,
    citations: tuple[Citation, ...],
    rating: str | None,
    comment: str | None,
) -> StoredTurn:
    return StoredTurn(
        id=turn.id,
        conversation_id=turn.conversation_id,
        visitor_id=turn.visitor_id,
        agent_id=turn.agent_id,
        question=question,
        fingerprint=turn.fingerprint,
        state=TurnState(turn.state),
        answer=turn.partial_answer if answer is None else answer,
        answered_by=AnsweredBy(turn.answered_by) if turn.answered_by else None,
        confidence=turn.confidence,
        low_confidence=turn.low_confidence,
        finish=Finish(turn.finish) if turn.finish else None,
        error_code=turn.error_code,
        message_id=message_id,
        page_url=turn.page_url,
        created_at=turn.created_at,
        ended_at=turn.ended_at,
        citations=citations,
        trace=turn.trace,
        language=turn.language,
        rating=rating,
        comment=comment or "",
    )
