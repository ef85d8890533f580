"""Gaps, as operators see them."""

from uuid import UUID

from sqlalchemy import Select, func, select, update
from sqlalchemy.orm import InstrumentedAttribute, with_expression

from app.domain.errors import NotFound
from app.domain.gap import EVERY_GAP, Gap, GapFilter, GapOrder, GapState
from app.domain.gap_digest import LISTED, GapTally, Week
from app.domain.list_page import ListPage, PageRequest
from app.store.gap_grooming import WEEK
from app.store.gap_rows import gap_of
from app.store.keyset import Keyset
from app.store.models import AgentRow, GapQuestionRow, GapRow, TurnRow
from app.store.transaction import Repository

_MOST_ASKED_FIRST = Keyset(GapRow.count, GapRow.last_seen, GapRow.id, descending=True)
_LATEST_FIRST = Keyset(GapRow.last_seen, GapRow.id, descending=True)


class GapRecords(Repository):
    """Gaps come to be in `GapCounting`."""

    async def page(
        self,
        agent_id: UUID,
        state: GapState | None,
        page: PageRequest,
        only: GapFilter = EVERY_GAP,
        order: GapOrder = GapOrder.ASKED,
    ) -> ListPage[Gap]:
        statement = select(GapRow).where(GapRow.agent_id == agent_id)
        if state is not None:
            statement = statement.where(GapRow.state == state.value)
        if only.reason is not None:
            statement = statement.where(GapRow.reason == only.reason.value)
        if only.since is not None:
            statement = statement.where(GapRow.last_seen >= only.since)
        if only.text is not None:
            statement = statement.where(GapRow.question.icontains(only.text, autoescape=True))
        if only.language is not None:
            spoken = (
                select(GapQuestionRow.id)
                .join(TurnRow, TurnRow.id == GapQuestionRow.turn_id)
                .where(GapQuestionRow.gap_id == GapRow.id, TurnRow.language == only.language)
            )
            statement = statement.where(spoken.exists())
        if order is GapOrder.IMPACT:
            return await self._by_impact(agent_id, statement, page)
        keyset = _LATEST_FIRST if order is GapOrder.LATEST else _MOST_ASKED_FIRST
        return await keyset.page(self._session, statement, page, gap_of)

    async def _by_impact(self, agent_id: UUID, statement: Select[GapRow], page: PageRequest) -> ListPage[Gap]:
        """It sinks with time alone, so that it is worked out with each page."""
        askings = select(
            GapQuestionRow.gap_id,
            (
                func.count(TurnRow.visitor_id.distinct())
                * (1 + func.count().filter(GapQuestionRow.asked_at > self._now() - WEEK))
            ).label("impact"),
        )
        impacts = (
            askings.join(TurnRow, TurnRow.id == GapQuestionRow.turn_id)
            .join(GapRow, GapRow.id == GapQuestionRow.gap_id)
            .where(GapRow.agent_id == agent_id)
            .group_by(GapQuestionRow.gap_id)
            .subquery()
        )
        impact = func.coalesce(impacts.c.impact, 0).label("impact")
        keyset = Keyset(impact, GapRow.count, GapRow.last_seen, GapRow.id, descending=True)
        ranked = statement.outerjoin(impacts, impacts.c.gap_id == GapRow.id).options(
            with_expression(GapRow.impact, impact)
        )
        return await keyset.page(self._session, ranked, page, gap_of)

    async def get(self, workspace_id: UUID, gap_id: UUID) -> Gap:
        """Raises NotFound, for a foreign one as well."""
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
        """Raises NotFound."""
        was = (await self.get(workspace_id, gap_id)).state
        values: dict[str, object] = {"state": state.value, "note": note}
        if state is GapState.ANSWERED:
            values["answered_at"] = self._now()
        if state is GapState.OPEN and was not in (GapState.OPEN, GapState.PROPOSED):
            values["reopened_at"] = self._now()
        await self._session.execute(update(GapRow).where(GapRow.id == gap_id).values(**values))
        return await self.get(workspace_id, gap_id)

    async def of_week(self, agent_id: UUID, week: Week) -> tuple[GapTally, GapTally, GapTally]:
        """Those that were new in that week, closed with proof in it, and opened again in it."""
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
