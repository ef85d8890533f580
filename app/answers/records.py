"""Turns that have ended, as operators weigh them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import and_, func, select

from app.answers.past_turn import Asked, PastTurn
from app.conversations.conversation import Role
from app.core.turn import AnsweredBy, TurnState
from app.search.threshold_curve import PastConfidences
from app.store.models import FeedbackRow, MessageRow, TurnRow
from app.store.transaction import Repository

_is_question = and_(MessageRow.turn_id == TurnRow.id, MessageRow.role == Role.VISITOR.value)
_was_a_question = func.coalesce(TurnRow.answered_by, "").not_in((AnsweredBy.HANDOFF.value, AnsweredBy.SMALL_TALK.value))


class PastTurnRecords(Repository):
    """A visitor who asked for a person, or said hello, has asked nothing that
    knowledge could answer."""

    def since(self, agent_id: UUID, since: datetime, at_most: int) -> list[PastTurn]:
        """Latest first."""
        statement = (
            select(
                TurnRow.id,
                TurnRow.conversation_id,
                MessageRow.text,
                TurnRow.page_url,
                TurnRow.language,
                TurnRow.created_at,
                TurnRow.answered_by,
                TurnRow.curated_answer_id,
                TurnRow.confidence,
                TurnRow.low_confidence,
                FeedbackRow.rating,
            )
            .join(MessageRow, _is_question)
            .outerjoin(FeedbackRow, FeedbackRow.turn_id == TurnRow.id)
            .where(
                TurnRow.agent_id == agent_id,
                TurnRow.created_at >= since,
                TurnRow.state != TurnState.RUNNING.value,
                _was_a_question,
            )
            .order_by(TurnRow.created_at.desc(), TurnRow.id.desc())
            .limit(at_most)
        )
        return [
            PastTurn(
                turn_id,
                conversation_id,
                Asked(question, page_url, language),
                asked_at,
                AnsweredBy(answered_by) if answered_by else None,
                *what_it_got,
            )
            for turn_id, conversation_id, question, page_url, language, asked_at, answered_by, *what_it_got in (
                self._connection.execute(statement)
            )
        ]

    def confidences(self, agent_id: UUID, since: datetime, at_most: int) -> list[PastConfidences]:
        """Of turns that were answered, well or badly, latest first."""
        statement = (
            select(TurnRow.answered_by, TurnRow.trace)
            .where(
                TurnRow.agent_id == agent_id,
                TurnRow.created_at >= since,
                TurnRow.state == TurnState.DONE.value,
                _was_a_question,
            )
            .order_by(TurnRow.created_at.desc(), TurnRow.id.desc())
            .limit(at_most)
        )
        return [
            PastConfidences(
                answered_by == AnsweredBy.CURATED.value, tuple(found["calibrated"] for found in trace.get("ranked", ()))
            )
            for answered_by, trace in self._connection.execute(statement)
        ]
