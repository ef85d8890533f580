"""Gaps, as operators see them."""

from uuid import UUID

from sqlalchemy import select, update

from app.adapters.sql.gap_grooming import SqlGapGrooming
from app.adapters.sql.gap_replays import SqlGapReplays
from app.adapters.sql.gap_rows import gap_of
from app.adapters.sql.keyset import Keyset
from app.adapters.sql.models import AgentRow, GapQuestionRow, GapRow, TurnRow
from app.domain.errors import NotFound
from app.domain.gap import EVERY_GAP, Gap, GapFilter, GapState
from app.ports.records.page import ListPage, PageRequest

_MOST_ASKED_FIRST = Keyset(GapRow.count, GapRow.last_seen, GapRow.id, descending=True)


class SqlGaps(SqlGapGrooming, SqlGapReplays):
    """Implements `GapRecords`; what gaps mean and what replays ask have a file each."""

    async def page(
        self, agent_id: UUID, state: GapState | None, page: PageRequest, only: GapFilter = EVERY_GAP
    ) -> ListPage[Gap]:
        statement = select(GapRow).where(GapRow.agent_id == agent_id)
        if state is not None:
            statement = statement.where(GapRow.state == state.value)
        if only.reason is not None:
            statement = statement.where(GapRow.reason == only.reason.value)
        if only.since is not None:
            statement = statement.where(GapRow.last_seen >= only.since)
        if only.language is not None:
            spoken = (
                select(GapQuestionRow.id)
                .join(TurnRow, TurnRow.id == GapQuestionRow.turn_id)
                .where(GapQuestionRow.gap_id == GapRow.id, TurnRow.language == only.language)
            )
            statement = statement.where(spoken.exists())
        return await _MOST_ASKED_FIRST.page(self._session, statement, page, gap_of)

    async def get(self, workspace_id: UUID, gap_id: UUID) -> Gap:
        statement = (
            select(GapRow)
            .join(AgentRow, AgentRow.id == GapRow.agent_id)
            .where(GapRow.id == gap_id, AgentRow.workspace_id == workspace_id)
        )
        row = await self._session.scalar(statement)
        if row is None:
            raise NotFound("gap")
        return gap_of(row)

    async def set_state(self, workspace_id: UUID, gap_id: UUID, state: GapState, note: str) -> Gap:
        await self.get(workspace_id, gap_id)
        await self._session.execute(update(GapRow).where(GapRow.id == gap_id).values(state=state.value, note=note))
        return await self.get(workspace_id, gap_id)
