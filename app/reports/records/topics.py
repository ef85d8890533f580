"""Topics, and the questions in them."""

from collections.abc import Collection, Sequence
from typing import Final
from uuid import UUID

import numpy as np
from sqlalchemy import ColumnElement, and_, delete, func, insert, select, update

from app.conversations.conversation import Role
from app.core.personal_data import masked
from app.quality.records.quality import OUTCOMES, THUMBS, asked, counted
from app.reports.report_days import ReportDays
from app.reports.topic import TopicPart, TopicPlace, WaitingQuestion
from app.store.tables.conversations import FEEDBACK, MESSAGES, TOPIC_QUESTIONS, TOPICS, TURNS
from app.store.transaction import Repository, new_id

_FLOAT: Final = np.dtype("<f4")
_IS_QUESTION: Final = MESSAGES.c.role == Role.VISITOR.value


class TopicRecords(Repository):
    def waiting(self, at_most: int) -> list[WaitingQuestion]:
        """Of all agents, asked first first."""
        statement = (
            select(TURNS.c.id, TURNS.c.agent_id, MESSAGES.c.text, TURNS.c.language)
            .select_from(TOPIC_QUESTIONS)
            .join(TURNS, TURNS.c.id == TOPIC_QUESTIONS.c.turn_id)
            .join(MESSAGES, and_(MESSAGES.c.turn_id == TURNS.c.id, _IS_QUESTION))
            .where(TOPIC_QUESTIONS.c.topic_id.is_(None))
            .order_by(TOPIC_QUESTIONS.c.asked_at, TOPIC_QUESTIONS.c.turn_id)
            .limit(at_most)
        )
        found = self._connection.execute(statement)
        return [WaitingQuestion(turn, agent, masked(text), language) for turn, agent, text, language in found]

    def known(self, agent_id: UUID, keys: Collection[str]) -> dict[str, UUID]:
        """The topic of each of these wordings that is in one."""
        statement = (
            select(TOPIC_QUESTIONS.c.question_key, TOPIC_QUESTIONS.c.topic_id)
            .where(
                TOPIC_QUESTIONS.c.agent_id == agent_id,
                TOPIC_QUESTIONS.c.question_key.in_(keys),
                TOPIC_QUESTIONS.c.topic_id.is_not(None),
            )
            .distinct()
        )
        return {row.question_key: row.topic_id for row in self._connection.execute(statement)}

    def places(self, agent_id: UUID, at_most: int) -> list[TopicPlace]:
        """The agent's topics whose meaning is known, the latest first."""
        statement = (
            select(TOPICS.c.id, TOPICS.c.meaning)
            .where(TOPICS.c.agent_id == agent_id, TOPICS.c.meaning.is_not(None))
            .order_by(TOPICS.c.id.desc())
            .limit(at_most)
        )
        found = self._connection.execute(statement)
        return [TopicPlace(np.frombuffer(meaning, _FLOAT).tolist(), topic_id, None) for topic_id, meaning in found]

    def wordings(self, topic_id: UUID, at_most: int) -> list[str]:
        """The first in which it was asked."""
        first = (
            select(func.min(TOPIC_QUESTIONS.c.asked_at).label("asked_at"), TOPIC_QUESTIONS.c.question_key)
            .where(TOPIC_QUESTIONS.c.topic_id == topic_id)
            .group_by(TOPIC_QUESTIONS.c.question_key)
            .order_by(func.min(TOPIC_QUESTIONS.c.asked_at), TOPIC_QUESTIONS.c.question_key)
            .limit(at_most)
            .subquery()
        )
        statement = (
            select(TOPIC_QUESTIONS.c.question_key, MESSAGES.c.text)
            .join(
                first,
                and_(
                    first.c.question_key == TOPIC_QUESTIONS.c.question_key,
                    first.c.asked_at == TOPIC_QUESTIONS.c.asked_at,
                ),
            )
            .join(MESSAGES, and_(MESSAGES.c.turn_id == TOPIC_QUESTIONS.c.turn_id, _IS_QUESTION))
            .where(TOPIC_QUESTIONS.c.topic_id == topic_id)
            .order_by(TOPIC_QUESTIONS.c.asked_at, TOPIC_QUESTIONS.c.turn_id)
        )
        told = {row.question_key: masked(row.text) for row in self._connection.execute(statement)}
        return list(told.values())

    def place(self, agent_id: UUID, model_id: str, places: Sequence[TopicPlace]) -> int:
        """The turns come to their topics, a new one is named by the first of its turns; return how many did. Those
        whose topic is gone wait on, and those that somebody else has placed meanwhile stay where they are."""
        turn_ids = [turn_id for place in places for turn_id, _ in place.turns]
        waiting = (
            select(TOPIC_QUESTIONS.c.turn_id)
            .where(TOPIC_QUESTIONS.c.turn_id.in_(turn_ids), TOPIC_QUESTIONS.c.topic_id.is_(None))
            .order_by(TOPIC_QUESTIONS.c.turn_id)
            .with_for_update()
        )
        still = set(self._connection.scalars(waiting))
        named = [place.topic_id for place in places if place.topic_id is not None]
        there = set(
            self._connection.scalars(select(TOPICS.c.id).where(TOPICS.c.id.in_(named)).with_for_update(read=True))
        )
        placed = 0
        for place in places:
            turns = [(turn_id, key) for turn_id, key in place.turns if turn_id in still]
            if not turns or (place.topic_id is not None and place.topic_id not in there):
                continue
            topic_id = place.topic_id or self._new(agent_id, turns[0][0], model_id, place.meaning)
            for turn_id, key in turns:
                own = update(TOPIC_QUESTIONS).where(TOPIC_QUESTIONS.c.turn_id == turn_id)
                self._connection.execute(own.values(topic_id=topic_id, question_key=key))
            placed += len(turns)
        return placed

    def forget_topics_but(self, model_id: str) -> None:
        """The questions of topics that any other model has placed wait again."""
        self._connection.execute(delete(TOPICS).where(TOPICS.c.placed_by != model_id))

    def of_days(self, agent_ids: Sequence[UUID], days: ReportDays, limit: int) -> list[TopicPart]:
        """Most questions first."""
        often = func.count()
        statement = (
            select(TOPIC_QUESTIONS.c.topic_id)
            .where(_during(agent_ids, days), TOPIC_QUESTIONS.c.topic_id.is_not(None))
            .group_by(TOPIC_QUESTIONS.c.topic_id)
            .order_by(often.desc(), TOPIC_QUESTIONS.c.topic_id)
            .limit(limit)
        )
        topic_ids = list(self._connection.scalars(statement))
        is_listed = TOPIC_QUESTIONS.c.topic_id.in_(topic_ids)
        outcomes = (
            select(TOPIC_QUESTIONS.c.topic_id, *OUTCOMES, *THUMBS)
            .select_from(TOPIC_QUESTIONS)
            .join(TURNS, TURNS.c.id == TOPIC_QUESTIONS.c.turn_id)
            .outerjoin(FEEDBACK, FEEDBACK.c.turn_id == TURNS.c.id)
            .where(is_listed, _during(agent_ids, days), asked(days.since, days.until))
            .group_by(TOPIC_QUESTIONS.c.topic_id)
        )
        counts = {topic_id: counted(*found) for topic_id, *found in self._connection.execute(outcomes)}
        earlier = (
            select(TOPIC_QUESTIONS.c.topic_id, often)
            .where(is_listed, _during(agent_ids, days.before))
            .group_by(TOPIC_QUESTIONS.c.topic_id)
        )
        before: dict[UUID, int] = {row[0]: row[1] for row in self._connection.execute(earlier)}
        names = (
            select(TOPICS.c.id, TOPICS.c.agent_id, MESSAGES.c.text, TURNS.c.conversation_id)
            .join(TURNS, TURNS.c.id == TOPICS.c.turn_id)
            .join(MESSAGES, and_(MESSAGES.c.turn_id == TURNS.c.id, _IS_QUESTION))
            .where(TOPICS.c.id.in_(topic_ids))
        )
        parts = [
            TopicPart(topic_id, agent_id, masked(text), conversation_id, counts[topic_id], before.get(topic_id, 0))
            for topic_id, agent_id, text, conversation_id in self._connection.execute(names)
            if topic_id in counts
        ]
        return sorted(parts, key=lambda part: topic_ids.index(part.topic_id))

    def waiting_count(self, agent_ids: Sequence[UUID], days: ReportDays) -> int:
        """How many of these days are in no topic yet."""
        statement = select(func.count()).where(_during(agent_ids, days), TOPIC_QUESTIONS.c.topic_id.is_(None))
        return self._connection.scalar(statement) or 0

    def _new(self, agent_id: UUID, turn_id: UUID, model_id: str, meaning: Sequence[float]) -> UUID:
        topic_id = new_id()
        stored = np.asarray(meaning, _FLOAT).tobytes() if len(meaning) else None
        values = {"id": topic_id, "agent_id": agent_id, "turn_id": turn_id, "placed_by": model_id, "meaning": stored}
        self._connection.execute(insert(TOPICS).values(**values))
        return topic_id


def _during(agent_ids: Sequence[UUID], days: ReportDays) -> ColumnElement[bool]:
    return and_(
        TOPIC_QUESTIONS.c.agent_id.in_(agent_ids),
        TOPIC_QUESTIONS.c.asked_at >= days.since,
        TOPIC_QUESTIONS.c.asked_at < days.until,
    )
