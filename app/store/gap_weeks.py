"""What became of an agent's gaps in one week."""

from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import InstrumentedAttribute

from app.domain.gap_digest import LISTED, GapTally, Week
from app.store.models import GapRow
from app.store.session import SqlFamily


class SqlGapWeeks(SqlFamily):
    async def of_week(self, agent_id: UUID, week: Week) -> tuple[GapTally, GapTally, GapTally]:
        return (
            await self._tally(agent_id, week, GapRow.first_seen),
            await self._tally(agent_id, week, GapRow.answered_at),
            await self._tally(agent_id, week, GapRow.reopened_at),
        )

    async def _tally(self, agent_id: UUID, week: Week, moment: InstrumentedAttribute[object]) -> GapTally:
        happened = GapRow.agent_id == agent_id, moment >= week.since, moment < week.until
        most_asked = select(GapRow.id).where(*happened).order_by(GapRow.count.desc(), GapRow.id).limit(LISTED)
        return GapTally(
            await self._session.scalar(select(func.count()).select_from(GapRow).where(*happened)) or 0,
            tuple(await self._session.scalars(most_asked)),
        )
