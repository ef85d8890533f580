"""What turns and citations say of an agent's quality."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, or_, select

from app.core.turn import AnsweredBy, TurnState
from app.knowledge.document import VersionState
from app.quality.quality import DayQuality, PageCitations, TurnCounts
from app.store.batches import batches
from app.store.tables.documents import DOCUMENT_VERSIONS, DOCUMENTS
from app.store.tables.turns import CITATIONS, FEEDBACK, TURNS
from app.store.transaction import Repository


def _asked(first: date, days: int) -> ColumnElement[bool]:
    start = datetime.combine(first, time(), UTC)
    return and_(
        TURNS.c.created_at >= start,
        TURNS.c.created_at < start + timedelta(days=days),
        TURNS.c.state != TurnState.RUNNING.value,
        func.coalesce(TURNS.c.answered_by, "") != AnsweredBy.SMALL_TALK.value,  # nothing was asked
    )


class QualityRecords(Repository):
    """The caller has checked the workspace."""

    def counts(self, agent_ids: Sequence[UUID], first: date, days: int = 1) -> dict[UUID, TurnCounts]:
        """Of each agent that was asked at all in so many days from `first` on, by when turns were asked, in UTC."""
        is_done = TURNS.c.state == TurnState.DONE.value
        is_unsure = or_(TURNS.c.low_confidence, TURNS.c.answered_by == AnsweredBy.FALLBACK.value)
        counted: dict[UUID, TurnCounts] = {}
        for batch in batches(agent_ids):
            statement = (
                select(
                    TURNS.c.agent_id,
                    func.count(),
                    func.count().filter(is_done),
                    func.count().filter(is_done, is_unsure),
                    func.count().filter(is_done, TURNS.c.answered_by == AnsweredBy.HANDOFF.value),
                    func.count().filter(FEEDBACK.c.rating == "up"),
                    func.count().filter(FEEDBACK.c.rating == "down"),
                )
                .outerjoin(FEEDBACK, FEEDBACK.c.turn_id == TURNS.c.id)
                .where(TURNS.c.agent_id.in_(batch), _asked(first, days))
                .group_by(TURNS.c.agent_id)
            )
            for agent_id, turns, done, unsure, handed_over, up, down in self._connection.execute(statement):
                answered = done - unsure - handed_over
                counted[agent_id] = TurnCounts(turns, answered, unsure, turns - done, handed_over, up, down)
        return counted

    def day(self, agent_id: UUID, day: date) -> DayQuality:
        """By when turns were asked, in UTC."""
        counts = self.counts([agent_id], day).get(agent_id, TurnCounts())
        times = select(TURNS.c.first_token_ms).where(
            TURNS.c.agent_id == agent_id, _asked(day, days=1), TURNS.c.first_token_ms.is_not(None)
        )
        timed = self._connection.scalar(select(func.count()).select_from(times.subquery())) or 0

        def first_token(share: float) -> int | None:
            """The nearest rank."""
            if not timed:
                return None
            place = min(timed - 1, int(timed * share))
            ordered = times.order_by(TURNS.c.first_token_ms).offset(place).limit(1)
            return self._connection.scalar(ordered)

        p50, p95 = first_token(0.5), first_token(0.95)
        return DayQuality(**asdict(counts), day=day, first_token_p50=p50, first_token_p95=p95)

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
