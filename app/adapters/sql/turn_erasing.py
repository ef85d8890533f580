"""What turns leave behind, for whatever erases them: the bill without their ids, gaps without their askings."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, delete, func, select, update

from app.adapters.sql.models import GapQuestionRow, GapRow, UsageRow
from app.adapters.sql.models.base import Base
from app.adapters.sql.session import SqlFamily, affected_rows
from app.adapters.sql.time_ordered_id import new_id
from app.domain.erasure import ErasedGaps


class SqlTurnErasing(SqlFamily):
    async def _make_usage_anonymous(self, turn_ids: Sequence[UUID]) -> None:
        for turn_id in turn_ids:
            await self._session.execute(update(UsageRow).where(UsageRow.turn_id == turn_id).values(turn_id=new_id()))

    async def _forget_gaps(self, asked_in: ColumnElement[bool]) -> ErasedGaps:
        """The condition is on `GapQuestionRow`."""
        gap_ids = list(await self._session.scalars(select(GapQuestionRow.gap_id).where(asked_in).distinct()))
        askings = await self._delete(GapQuestionRow, asked_in)
        return ErasedGaps(sum([await self._count_again(gap_id) for gap_id in gap_ids]), askings)

    async def _count_again(self, gap_id: UUID) -> int:
        """A gap by what others have asked; 1 when nobody has, and the gap is gone."""
        others = GapQuestionRow.gap_id == gap_id
        latest = select(GapQuestionRow).where(others).order_by(GapQuestionRow.asked_at.desc(), GapQuestionRow.id.desc())
        last = await self._session.scalar(latest.limit(1))
        if last is None:
            return await self._delete(GapRow, GapRow.id == gap_id)
        counted = select(func.count(), func.min(GapQuestionRow.asked_at)).where(others)
        count, first_seen = (await self._session.execute(counted)).one()
        own_words = select(GapRow.id).join(GapQuestionRow, GapQuestionRow.question == GapRow.question)
        if await self._session.scalar(own_words.where(GapRow.id == gap_id, others).limit(1)) is None:
            await self._reword(gap_id, last)
        await self._session.execute(
            update(GapRow)
            .where(GapRow.id == gap_id)
            .values(
                reason=last.reason,
                count=count,
                first_seen=first_seen,
                last_seen=last.asked_at,
            )
        )
        return 0

    async def _reword(self, gap_id: UUID, asking: GapQuestionRow) -> None:
        """Nobody who is left has asked the gap in its own words: it takes those of another asking, and loses what the
        old ones meant. Its key stays its own where another gap has that of the asking."""
        gap = GapRow.id == gap_id
        agent_id = select(GapRow.agent_id).where(gap).scalar_subquery()
        key = asking.question_key
        taken = select(GapRow.id).where(GapRow.agent_id == agent_id, GapRow.question_key == key, GapRow.id != gap_id)
        await self._session.execute(
            update(GapRow)
            .where(gap)
            .values(
                question=asking.question,
                question_key=key if await self._session.scalar(taken) is None else gap_id.hex,
                placed_by=None,
                meaning=None,
            )
        )

    async def _delete(self, table: type[Base], condition: Any) -> int:
        return affected_rows(await self._session.execute(delete(table).where(condition)))
