"""Topics with their questions, and counts of these by topic: packed for past days, else counted live."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import numpy as np
from sqlalchemy import ColumnElement, and_, func, insert, select, update

from app.conversations.conversation import Role
from app.conversations.records.packed_days import Kind, PackedDayRecords
from app.core.personal_data import masked
from app.kit.clock import begin_of
from app.quality.quality import TurnCounts, total
from app.quality.records.quality import OUTCOME, RATING
from app.quality.turn_arrays import OUTCOMES, RATINGS, Rows, tallied
from app.reports.report import TopicPart, TopicPlace, WaitingQuestion
from app.reports.report_days import ReportDays
from app.store.stored_vectors import packed, unpacked
from app.store.tables.conversations import FEEDBACK, MESSAGES, TOPIC_QUESTIONS, TOPICS, TURNS
from app.store.transaction import Repository, new_id

_IS_QUESTION: Final = MESSAGES.c.role == Role.VISITOR.value
_DAY: Final = timedelta(days=1)
_NONE: Final = UUID(int=0)  # of questions without a topic yet
# A topic's id in two halves, of which the lower one is random and identifies the topic; and the number of its questions
# by outcome and rating.
_TOPIC: Final = np.dtype([("upper", "<u8"), ("lower", "<u8"), ("cells", "<u4", (len(OUTCOMES), len(RATINGS)))])
_HALF: Final = 2**64


@dataclass(frozen=True, slots=True)
class _Piece:
    """A time range, from `since` until before `until`, without packed counts for some agents."""

    agent_ids: Sequence[UUID]
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class _TopicDays:
    """The summed counts of packed days, and the pieces to count live."""

    topics: Rows
    pieces: Sequence[_Piece]


class TopicRecords(Repository):
    def waiting(self, at_most: int) -> list[WaitingQuestion]:
        """Questions without a topic of all agents, oldest first."""
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
        """The topics of these wordings, by their key; wordings without a topic are missing."""
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
        """The agent's topics that have a vector, latest first."""
        statement = (
            select(TOPICS.c.id, TOPICS.c.meaning)
            .where(TOPICS.c.agent_id == agent_id, TOPICS.c.meaning.is_not(None))
            .order_by(TOPICS.c.id.desc())
            .limit(at_most)
        )
        found = self._connection.execute(statement)
        return [TopicPlace(unpacked(meaning), topic_id, None) for topic_id, meaning in found]

    def wordings(self, topic_id: UUID, at_most: int) -> list[str]:
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
        texts = {row.question_key: masked(row.text) for row in self._connection.execute(statement)}
        return list(texts.values())

    def place(self, agent_id: UUID, model_id: str, places: Sequence[TopicPlace]) -> int:
        """Add turns to topics, which are created if new; return the number of turns added. Skips turns whose topic was
        deleted, which keep waiting, and turns that another worker has placed meanwhile."""
        turn_ids = [turn_id for place in places for turn_id, _ in place.turns]
        moments = select(TOPIC_QUESTIONS.c.asked_at).where(TOPIC_QUESTIONS.c.turn_id.in_(turn_ids))
        days = [(agent_id, moment.date()) for moment in self._connection.scalars(moments)]
        PackedDayRecords(self._tx).outdate(days, [Kind.TOPICS])
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
        """Delete the topics by other models; their questions are placed again."""
        others = TOPICS.c.placed_by != model_id
        PackedDayRecords(self._tx).outdate_topics(others)
        self._delete(TOPICS, others)

    def of_days(self, agent_ids: Sequence[UUID], days: ReportDays, limit: int) -> tuple[list[TopicPart], int]:
        """The `limit` topics with most questions, in this order, and the number of questions without a topic yet."""
        counts, waiting = TopicDayRecords(self._tx).most(agent_ids, days, limit)
        before = TopicDayRecords(self._tx).question_counts(agent_ids, days.before)
        names = (
            select(TOPICS.c.id, TOPICS.c.agent_id, MESSAGES.c.text, TURNS.c.conversation_id)
            .join(TURNS, TURNS.c.id == TOPICS.c.turn_id)
            .join(MESSAGES, and_(MESSAGES.c.turn_id == TURNS.c.id, _IS_QUESTION))
            .where(TOPICS.c.id.in_(counts))
        )
        parts = {
            topic_id: TopicPart(
                topic_id, agent_id, masked(text), conversation_id, counts[topic_id], before.get(topic_id, 0)
            )
            for topic_id, agent_id, text, conversation_id in self._connection.execute(names)
        }
        return [parts[topic_id] for topic_id in counts if topic_id in parts], waiting

    def _new(self, agent_id: UUID, turn_id: UUID, model_id: str, meaning: Sequence[float]) -> UUID:
        topic_id = new_id()
        stored = packed(meaning) if len(meaning) else None
        values = {"id": topic_id, "agent_id": agent_id, "turn_id": turn_id, "placed_by": model_id, "meaning": stored}
        self._connection.execute(insert(TOPICS).values(**values))
        return topic_id


class TopicDayRecords(Repository):
    """The caller has checked the workspace of the agents."""

    def most(self, agent_ids: Sequence[UUID], days: ReportDays, limit: int) -> tuple[dict[UUID, TurnCounts], int]:
        """The counts of the `limit` topics with most questions, in this order, and the number of questions without
        one."""
        found = self._topic_days(agent_ids, days)
        counts = self._counts(found)
        waiting = counts.pop(_NONE, 0)
        listed = sorted(counts, key=lambda topic_id: (-counts[topic_id], topic_id))[:limit]
        outcomes: dict[UUID, list[TurnCounts]] = {topic_id: [] for topic_id in listed}
        is_listed = TOPIC_QUESTIONS.c.topic_id.in_(listed)
        for topics in (found.topics, *(_packed(self._cells(piece, is_listed)) for piece in found.pieces)):
            for topic_id, of_topic in zip(_ids(topics), tallied(topics["cells"].astype(np.int64)), strict=True):
                if topic_id in outcomes:
                    outcomes[topic_id].append(of_topic)
        return {topic_id: total(each) for topic_id, each in outcomes.items()}, waiting

    def question_counts(self, agent_ids: Sequence[UUID], days: ReportDays) -> dict[UUID, int]:
        """The number of questions in each topic."""
        return self._counts(self._topic_days(agent_ids, days))

    def pack(self, agent_id: UUID, day: date) -> bytes:
        """The packed counts of a day, empty if nothing was asked."""
        return _packed(self._cells(_Piece([agent_id], begin_of(day), begin_of(day + _DAY)))).tobytes()

    def _topic_days(self, agent_ids: Sequence[UUID], days: ReportDays) -> _TopicDays:
        """The packed counts, and the pieces without. Days of other zones begin within days in UTC, so the edges have to
        be counted live."""
        first, until = _day_from(days.since), days.until.date()
        if first >= until:
            return _TopicDays(np.empty(0, _TOPIC), [_Piece(agent_ids, days.since, days.until)])
        packed, spans = PackedDayRecords(self._tx).packed(Kind.TOPICS, agent_ids, first, until - _DAY)
        pieces = [_Piece(span.agent_ids, span.since, span.until) for span in spans]
        edges = ((days.since, begin_of(first)), (begin_of(until), days.until))
        pieces += [_Piece(agent_ids, since, end) for since, end in edges if since < end]
        return _TopicDays(_once(b"".join(content for _, _, content in packed)), pieces)

    def _counts(self, found: _TopicDays) -> dict[UUID, int]:
        sums = found.topics["cells"].sum(axis=(1, 2)).tolist()
        counts: dict[UUID, int] = dict(zip(_ids(found.topics), sums, strict=True))
        for piece in found.pieces:
            statement = select(TOPIC_QUESTIONS.c.topic_id, func.count()).where(_within(piece))
            for topic_id, often in self._connection.execute(statement.group_by(TOPIC_QUESTIONS.c.topic_id)):
                counts[topic_id or _NONE] = counts.get(topic_id or _NONE, 0) + often
        return counts

    def _cells(self, piece: _Piece, *only: ColumnElement[bool]) -> Iterator[tuple[UUID | None, int, int, int]]:
        """Rows of (topic, outcome, rating, number of questions)."""
        parts = TOPIC_QUESTIONS.c.topic_id, OUTCOME, RATING
        statement = (
            select(*parts, func.count())
            .select_from(TOPIC_QUESTIONS)
            .join(TURNS, TURNS.c.id == TOPIC_QUESTIONS.c.turn_id)
            .outerjoin(FEEDBACK, FEEDBACK.c.turn_id == TURNS.c.id)
            .where(_within(piece), *only)
            .group_by(*parts)
        )
        yield from self._connection.execute(statement)


def _within(piece: _Piece) -> ColumnElement[bool]:
    return and_(
        TOPIC_QUESTIONS.c.agent_id.in_(piece.agent_ids),
        TOPIC_QUESTIONS.c.asked_at >= piece.since,
        TOPIC_QUESTIONS.c.asked_at < piece.until,
    )


def _packed(found: Iterator[tuple[UUID | None, int, int, int]]) -> Rows:
    by_topic: dict[UUID, np.ndarray[Any, Any]] = {}
    for topic_id, outcome, rating, often in found:
        own = by_topic.setdefault(topic_id or _NONE, np.zeros((len(OUTCOMES), len(RATINGS)), np.uint32))
        own[outcome, rating] += often
    rows = [(topic_id.int // _HALF, topic_id.int % _HALF, own) for topic_id, own in by_topic.items()]
    return np.array(rows, _TOPIC)


def _once(days: bytes) -> Rows:
    """Sum the concatenated packed days: one row per topic."""
    if not days:
        return np.empty(0, _TOPIC)
    each = np.frombuffer(days, _TOPIC)
    each = each[np.argsort(each["lower"])]
    begins = np.flatnonzero(np.append(True, each["lower"][1:] != each["lower"][:-1]))
    topics: Rows = each[begins]
    topics["cells"] = np.add.reduceat(each["cells"], begins)
    return topics


def _ids(topics: Rows) -> Iterator[UUID]:
    for upper, lower in zip(topics["upper"].tolist(), topics["lower"].tolist(), strict=True):
        yield UUID(int=upper * _HALF + lower)


def _day_from(moment: datetime) -> date:
    """The first UTC day that begins at the moment or later."""
    return moment.date() if moment == begin_of(moment.date()) else moment.date() + _DAY
