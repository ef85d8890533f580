"""What turns and citations say of an agent's quality."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Select, Text, and_, cast, func, or_, select

from app.core.turn import AnsweredBy, TurnState
from app.knowledge.document import VersionState
from app.quality.quality import DayQuality, PageCitations, TurnCounts
from app.quality.records.moment_parts import utc_day
from app.store.tables.conversations import CITATIONS, FEEDBACK, TURNS
from app.store.tables.documents import DOCUMENT_VERSIONS, DOCUMENTS
from app.store.transaction import Repository, batches

_IS_DONE: Final = TURNS.c.state == TurnState.DONE.value
_IS_UNSURE: Final = or_(TURNS.c.low_confidence, TURNS.c.answered_by == AnsweredBy.FALLBACK.value)
_IS_HANDED_OVER: Final = TURNS.c.answered_by == AnsweredBy.HANDOFF.value
IS_ANSWERED: Final = and_(_IS_DONE, ~_IS_UNSURE, ~_IS_HANDED_OVER)
OUTCOMES: Final = (
    func.count(),
    func.count().filter(_IS_DONE),
    func.count().filter(_IS_DONE, _IS_UNSURE),
    func.count().filter(_IS_DONE, _IS_HANDED_OVER),
)
THUMBS: Final = (
    func.count().filter(FEEDBACK.c.rating == "up"),
    func.count().filter(FEEDBACK.c.rating == "down"),
)
# Of all turns that were timed: in one scan with the counts, and put into order by who asks, at a tenth of what it
# costs to look for each rank.
FIRST_WORDS: Final = func.aggregate_strings(cast(TURNS.c.first_token_ms, Text), ",")
_CLOCKS_APART: Final = timedelta(days=1)  # of the processes that stored a turn and its thumb


def counted(turns: int, done: int, unsure: int, handed_over: int, up: int = 0, down: int = 0) -> TurnCounts:
    """Of what OUTCOMES and then THUMBS count."""
    return TurnCounts(turns, done - unsure - handed_over, unsure, turns - done, handed_over, up, down)


def asked(since: datetime, until: datetime) -> ColumnElement[bool]:
    """Turns that began then and have ended, and were questions."""
    return and_(
        TURNS.c.created_at >= since,
        TURNS.c.created_at < until,
        TURNS.c.state != TurnState.RUNNING.value,
        func.coalesce(TURNS.c.answered_by, "") != AnsweredBy.SMALL_TALK.value,  # nothing was asked
    )


def rated_turns(agent_ids: Sequence[UUID], since: datetime, *parts: ColumnElement[Any]) -> Select[Any]:
    """The parts, and the thumbs of turns that were asked from then on. It begins with the thumbs, which are few."""
    return (
        select(*parts, *THUMBS)
        .select_from(FEEDBACK)
        .join(TURNS, TURNS.c.id == FEEDBACK.c.turn_id)
        .where(FEEDBACK.c.agent_id.in_(agent_ids), FEEDBACK.c.created_at >= since - _CLOCKS_APART)
    )


def milliseconds(words: str | None) -> list[int]:
    """That FIRST_WORDS has put together."""
    return [int(each) for each in words.split(",")] if words else []


def begin_of(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


class QualityRecords(Repository):
    """The caller has checked the workspace."""

    def days(self, agent_ids: Sequence[UUID], first: date, count: int) -> dict[UUID, list[DayQuality]]:
        """Of each agent so many days from `first` on, by when turns were asked, in UTC."""
        since = begin_of(first)
        inside = asked(since, since + timedelta(days=count))
        parts = TURNS.c.agent_id, utc_day(self._dialect, TURNS.c.created_at)
        outcomes: dict[tuple[UUID, str], Sequence[Any]] = {}
        thumbs: dict[tuple[UUID, str], Sequence[int]] = {}
        for batch in batches(agent_ids):
            counting = select(*parts, FIRST_WORDS, *OUTCOMES).where(TURNS.c.agent_id.in_(batch), inside)
            for agent_id, day, *counts in self._connection.execute(counting.group_by(*parts)):
                outcomes[agent_id, day] = counts
            for agent_id, day, *counts in self._connection.execute(
                rated_turns(batch, since, *parts).where(inside).group_by(*parts)
            ):
                thumbs[agent_id, day] = counts

        def of_day(agent_id: UUID, day: date) -> DayQuality:
            key = agent_id, day.isoformat()
            if key not in outcomes:
                return DayQuality(day=day)
            words, *counts = outcomes[key]
            return DayQuality.of(day, counted(*counts, *thumbs.get(key, ())), milliseconds(words))

        each = [first + timedelta(days=number) for number in range(count)]
        return {agent_id: [of_day(agent_id, day) for day in each] for agent_id in agent_ids}

    def cited(self, agent_id: UUID, since: datetime) -> list[PageCitations]:
        """Every URL that answers to questions since then cite, most cited first; anchors are part of it."""
        often = func.count()
        statement = (
            select(CITATIONS.c.url, func.max(CITATIONS.c.title), often)
            .join(TURNS, TURNS.c.id == CITATIONS.c.turn_id)
            .where(TURNS.c.agent_id == agent_id, TURNS.c.created_at >= since)
            .group_by(CITATIONS.c.url)
            .order_by(often.desc(), CITATIONS.c.url)
        )
        return [PageCitations(url, title, count) for url, title, count in self._connection.execute(statement)]

    def live_pages(self, agent_id: UUID) -> list[PageCitations]:
        """Every page that can be cited, by its URL."""
        statement = (
            select(DOCUMENTS.c.url, DOCUMENT_VERSIONS.c.title)
            .join(DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.document_id == DOCUMENTS.c.id)
            .where(DOCUMENT_VERSIONS.c.agent_id == agent_id, DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value)
            .order_by(DOCUMENTS.c.url)
        )
        return [PageCitations(url, title) for url, title in self._connection.execute(statement)]
