"""What turns and citations say of an agent's quality."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, or_, select

from app.core.turn import AnsweredBy, TurnState
from app.knowledge.document import VersionState
from app.quality.quality import DayQuality, PageCitations, TurnCounts
from app.store.batches import batches
from app.store.tables.documents import DOCUMENT_VERSIONS, DOCUMENTS
from app.store.tables.turns import CITATIONS, FEEDBACK, TURNS
from app.store.transaction import Repository

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


def _begin(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


class QualityRecords(Repository):
    """The caller has checked the workspace."""

    def counts(self, agent_ids: Sequence[UUID], first: date, days: int = 1) -> dict[UUID, TurnCounts]:
        """Of each agent that was asked at all in so many days from `first` on, by when turns were asked, in UTC."""
        since = _begin(first)
        until = since + timedelta(days=days)
        found: dict[UUID, TurnCounts] = {}
        for batch in batches(agent_ids):
            statement = (
                select(TURNS.c.agent_id, *OUTCOMES, *THUMBS)
                .outerjoin(FEEDBACK, FEEDBACK.c.turn_id == TURNS.c.id)
                .where(TURNS.c.agent_id.in_(batch), asked(since, until))
                .group_by(TURNS.c.agent_id)
            )
            for agent_id, *outcomes in self._connection.execute(statement):
                found[agent_id] = counted(*outcomes)
        return found

    def day(self, agent_id: UUID, day: date) -> DayQuality:
        """By when turns were asked, in UTC."""
        counts = self.counts([agent_id], day).get(agent_id, TurnCounts())
        since = _begin(day)
        p50, p95 = self.first_words([agent_id], since, since + timedelta(days=1))
        return DayQuality(**asdict(counts), day=day, first_token_p50=p50, first_token_p95=p95)

    def first_words(self, agent_ids: Sequence[UUID], since: datetime, until: datetime) -> tuple[int | None, int | None]:
        """Milliseconds until the first word of the answers to what was asked from then and before then: within which
        half of them began, and 95 of 100, by the nearest rank; None where there was none."""
        times = select(TURNS.c.first_token_ms).where(
            TURNS.c.agent_id.in_(agent_ids), asked(since, until), TURNS.c.first_token_ms.is_not(None)
        )
        timed = self._connection.scalar(select(func.count()).select_from(times.subquery())) or 0

        def rank(share: float) -> int | None:
            if not timed:
                return None
            place = min(timed - 1, int(timed * share))
            ordered = times.order_by(TURNS.c.first_token_ms).offset(place).limit(1)
            return self._connection.scalar(ordered)

        return rank(0.5), rank(0.95)

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
