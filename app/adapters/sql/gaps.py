"""Gaps, as operators see them."""

from uuid import UUID

from sqlalchemy import select, update

from app.adapters.sql.gap_meanings import SqlGapMeanings
from app.adapters.sql.keyset import Keyset
from app.adapters.sql.models import AgentRow, GapRow
from app.domain.errors import NotFound
from app.domain.gap import Gap, GapReason, GapState
from app.ports.records.page import ListPage, PageRequest

_MOST_ASKED_FIRST = Keyset(GapRow.count, GapRow.last_seen, GapRow.id, descending=True)


class SqlGaps(SqlGapMeanings):
    """Implements `GapRecords`; what gaps mean has a file of its own."""

    async def page(self, agent_id: UUID, state: GapState | None, page: PageRequest) -> ListPage[Gap]:
        statement = select(GapRow).where(GapRow.agent_id == agent_id)
        if state is not None:
            statement = statement.where(GapRow.state == state.value)
        return await _MOST_ASKED_FIRST.page(self._session, statement, page, _gap)

    async def get(self, workspace_id: UUID, gap_id: UUID) -> Gap:
        statement = (
            select(GapRow)
            .join(AgentRow, AgentRow.id == GapRow.agent_id)
            .where(GapRow.id == gap_id, AgentRow.workspace_id == workspace_id)
        )
        row = await self._session.scalar(statement)
        if row is None:
            raise NotFound("gap")
        return _gap(row)

    async def set_state(self, workspace_id: UUID, gap_id: UUID, state: GapState, note: str) -> Gap:
        await self.get(workspace_id, gap_id)
        await self._session.execute(update(GapRow).where(GapRow.id == gap_id).values(state=state.value, note=note))
        return await self.get(workspace_id, gap_id)


def _gap(row: GapRow) -> Gap:
    return Gap(
        id=row.id,
        agent_id=row.agent_id,
        question=row.question,
        state=GapState(row.state),
        reason=GapReason(row.reason),
        count=row.count,
        first_seen=row.first_seen,
        last_seen=row.last_seen,
        note=row.note,
    )
