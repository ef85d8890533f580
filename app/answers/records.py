"""Turns that have ended, as operators weigh them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import and_, func, select

from app.answers.past_turn import Asked, PastTurn
from app.conversations.conversation import Role
from app.core.turn import AnsweredBy, TurnState
from app.search.threshold_curve import PastConfidences
from app.store.tables.conversations import MESSAGES
from app.store.tables.turns import FEEDBACK, TURNS
from app.store.transaction import Repository

_is_question = and_(MESSAGES.c.turn_id == TURNS.c.id, MESSAGES.c.role == Role.VISITOR.value)
_was_a_question = func.coalesce(TURNS.c.answered_by, "").not_in((AnsweredBy.HANDOFF.value, AnsweredBy.SMALL_TALK.value))


class PastTurnRecords(Repository):
    """A visitor who asked for a person, or said hello, has asked nothing that
    knowledge could answer."""

    def since(self, agent_id: UUID, since: datetime, at_most: int) -> list[PastTurn]:
        """Latest first."""
        statement = (
            select(
                TURNS.c.id,
                TURNS.c.conversation_id,
                MESSAGES.c.text,
                TURNS.c.page_url,
                TURNS.c.language,
                TURNS.c.created_at,
                TURNS.c.answered_by,
                TURNS.c.curated_answer_id,
                TURNS.c.confidence,
                TURNS.c.low_confidence,
                FEEDBACK.c.rating,
            )
            .join(MESSAGES, _is_question)
            .outerjoin(FEEDBACK, FEEDBACK.c.turn_id == TURNS.c.id)
            .where(
                TURNS.c.agent_id == agent_id,
                TURNS.c.created_at >= since,
                TURNS.c.state != TurnState.RUNNING.value,
                _was_a_question,
            )
            .order_by(TURNS.c.created_at.desc(), TURNS.c.id.desc())
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
            select(TURNS.c.answered_by, TURNS.c.trace)
            .where(
                TURNS.c.agent_id == agent_id,
                TURNS.c.created_at >= since,
                TURNS.c.state == TurnState.DONE.value,
                _was_a_question,
            )
            .order_by(TURNS.c.created_at.desc(), TURNS.c.id.desc())
            .limit(at_most)
        )
        return [
            PastConfidences(
                answered_by == AnsweredBy.CURATED.value, tuple(found["calibrated"] for found in trace.get("ranked", ()))
            )
            for answered_by, trace in self._connection.execute(statement)
        ]
