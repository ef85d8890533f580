"""Turns that have ended, for operators to judge."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, and_, func, select

from app.answers.past_turn import PastQuestion, PastTurn
from app.conversations.conversation import Role
from app.core.list_page import ListPage, PageRequest
from app.core.turn import NO_ANSWER, AnsweredBy, TurnState
from app.search.threshold_curve import PastConfidences
from app.store.tables.conversations import FEEDBACK, MESSAGES, SEARCH_TRACES, TURNS
from app.store.transaction import Keyset, Repository

_is_question = and_(MESSAGES.c.turn_id == TURNS.c.id, MESSAGES.c.role == Role.VISITOR.value)
_was_a_question = func.coalesce(TURNS.c.answered_by, "").not_in([each.value for each in NO_ANSWER])

_PAST = (
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
)
_LATEST_FIRST = Keyset(TURNS.c.created_at, TURNS.c.id, descending=True)


class PastTurnRecords(Repository):
    """Past turns, without requests for a person and small talk, which no knowledge could answer."""

    def since(self, agent_id: UUID, since: datetime, at_most: int) -> list[PastTurn]:
        """Latest first."""
        statement = (
            _PAST.where(
                TURNS.c.agent_id == agent_id,
                TURNS.c.created_at >= since,
                TURNS.c.state != TurnState.RUNNING.value,
                _was_a_question,
            )
            .order_by(TURNS.c.created_at.desc(), TURNS.c.id.desc())
            .limit(at_most)
        )
        return [_past_turn(row) for row in self._connection.execute(statement)]

    def of_curated(self, answer_id: UUID, page: PageRequest) -> ListPage[PastTurn]:
        """Turns that the curated answer answered, latest first."""
        statement = _PAST.where(TURNS.c.curated_answer_id == answer_id)
        return _LATEST_FIRST.page(self._connection, statement, page, _past_turn)

    def curated_counts(self, answer_ids: Iterable[UUID], since: datetime) -> dict[UUID, int]:
        """How many turns each of the curated answers has answered since then; those without any are left out."""
        statement = (
            select(TURNS.c.curated_answer_id, func.count())
            .where(TURNS.c.curated_answer_id.in_(list(answer_ids)), TURNS.c.created_at >= since)
            .group_by(TURNS.c.curated_answer_id)
        )
        return dict(self._connection.execute(statement).all())

    def curated_ratings(self, agent_id: UUID, answer_id: UUID, since: datetime) -> dict[str, int]:
        """How often visitors have rated it "up" or "down" since then."""
        statement = (
            select(FEEDBACK.c.rating, func.count())
            .join(TURNS, TURNS.c.id == FEEDBACK.c.turn_id)
            .where(
                FEEDBACK.c.agent_id == agent_id, FEEDBACK.c.created_at >= since, TURNS.c.curated_answer_id == answer_id
            )
            .group_by(FEEDBACK.c.rating)
        )
        return dict(self._connection.execute(statement).all())

    def confidences(self, agent_id: UUID, since: datetime, at_most: int) -> list[PastConfidences]:
        """Confidences of turns that were answered, well or badly, latest first."""
        statement = (
            select(TURNS.c.answered_by, SEARCH_TRACES.c.trace)
            .outerjoin(SEARCH_TRACES, SEARCH_TRACES.c.turn_id == TURNS.c.id)
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
                answered_by == AnsweredBy.CURATED.value,
                tuple(found["calibrated"] for found in (searched or {}).get("ranked", ())),
            )
            for answered_by, searched in self._connection.execute(statement)
        ]


def _past_turn(row: Row[*tuple[Any, ...]]) -> PastTurn:
    turn_id, conversation_id, question, page_url, language, asked_at, answered_by, *what_it_got = row
    return PastTurn(
        turn_id,
        conversation_id,
        PastQuestion(question, page_url, language),
        asked_at,
        AnsweredBy(answered_by) if answered_by else None,
        *what_it_got,
    )
