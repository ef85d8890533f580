"""What turns and citations say of an agent's quality."""

from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from sqlalchemy import and_, func, or_, select

from app.domain.document import VersionState
from app.domain.quality import DayQuality, PageCitations
from app.domain.turn import AnsweredBy, TurnState
from app.store.models import CitationRow, DocumentRow, DocumentVersionRow, FeedbackRow, TurnRow
from app.store.transaction import Repository


class QualityRecords(Repository):
    """The caller has checked the workspace."""

    async def day(self, agent_id: UUID, day: date) -> DayQuality:
        """By when turns were asked, in UTC."""
        start = datetime.combine(day, time(), UTC)
        asked = and_(
            TurnRow.agent_id == agent_id,
            TurnRow.created_at >= start,
            TurnRow.created_at < start + timedelta(days=1),
            TurnRow.state != TurnState.RUNNING.value,
            func.coalesce(TurnRow.answered_by, "") != AnsweredBy.SMALL_TALK.value,  # nothing was asked
        )
        is_done = TurnRow.state == TurnState.DONE.value
        is_unsure = or_(TurnRow.low_confidence, TurnRow.answered_by == AnsweredBy.FALLBACK.value)
        counted = (
            select(
                func.count(),
                func.count().filter(is_done),
                func.count().filter(is_done, is_unsure),
                func.count().filter(is_done, TurnRow.answered_by == AnsweredBy.HANDOFF.value),
                func.count().filter(FeedbackRow.rating == "up"),
                func.count().filter(FeedbackRow.rating == "down"),
                func.count(TurnRow.first_token_ms),
            )
            .select_from(TurnRow)
            .outerjoin(FeedbackRow, FeedbackRow.turn_id == TurnRow.id)
            .where(asked)
        )
        turns, done, abstained, handed_over, up, down, timed = (await self._session.execute(counted)).one()

        async def first_token(share: float) -> int | None:
            """The nearest rank."""
            if not timed:
                return None
            times = select(TurnRow.first_token_ms).where(asked, TurnRow.first_token_ms.is_not(None))
            place = min(timed - 1, int(timed * share))
            ordered = times.order_by(TurnRow.first_token_ms).offset(place).limit(1)
            return await self._session.scalar(ordered)

        return DayQuality(
            day,
            turns,
            done - abstained - handed_over,
            abstained,
            turns - done,
            up,
            down,
            await first_token(0.5),
            await first_token(0.95),
            handed_over,
        )

    async def cited(self, agent_id: UUID, since: datetime) -> list[PageCitations]:
        """Every URL that answers to questions since then cite, most cited first; anchors are part of it."""
        often = func.count()
        statement = (
            select(CitationRow.url, func.max(CitationRow.title), often)
            .join(TurnRow, TurnRow.id == CitationRow.turn_id)
            .where(TurnRow.agent_id == agent_id, TurnRow.created_at >= since)
            .group_by(CitationRow.url)
            .order_by(often.desc(), CitationRow.url)
        )
        return [PageCitations(url, title, count) for url, title, count in await self._session.execute(statement)]

    async def live_pages(self, agent_id: UUID) -> list[PageCitations]:
        """Every page that can be cited, by its URL."""
        statement = (
            select(DocumentRow.url, DocumentVersionRow.title)
            .join(DocumentVersionRow, DocumentVersionRow.document_id == DocumentRow.id)
            .where(DocumentVersionRow.agent_id == agent_id, DocumentVersionRow.state == VersionState.LIVE.value)
            .order_by(DocumentRow.url)
        )
        return [PageCitations(url, title) for url, title in await self._session.execute(statement)]
