"""What gaps mean, as vectors beside their questions, and how one gap joins another."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
from sqlalchemy import case, delete, select, update

from app.adapters.sql.models import GapQuestionRow, GapRow, TurnRow
from app.adapters.sql.session import SqlFamily
from app.domain.gap import GapState
from app.domain.gap_meaning import UnplacedGap

_FLOAT = np.dtype("<f4")
_COMPARED = 2000  # the open gaps of an agent that were seen last; 3 MB of vectors


class SqlGapMeanings(SqlFamily):
    async def unplaced(self, at_most: int) -> list[UnplacedGap]:
        language = (
            select(TurnRow.language)
            .join(GapQuestionRow, GapQuestionRow.turn_id == TurnRow.id)
            .where(GapQuestionRow.gap_id == GapRow.id)
            .order_by(GapQuestionRow.asked_at, GapQuestionRow.id)
            .limit(1)
            .scalar_subquery()
        )
        statement = (
            select(GapRow.id, GapRow.question, language)
            .where(GapRow.placed_by.is_(None))
            .order_by(GapRow.first_seen, GapRow.id)
            .limit(at_most)
        )
        return [UnplacedGap(*row) for row in await self._session.execute(statement)]

    async def place(
        self, gap_id: UUID, model_id: str, vector: Sequence[float] | None, joins_from: float
    ) -> UUID | None:
        gap = await self._session.scalar(select(GapRow).where(GapRow.id == gap_id).with_for_update())
        if gap is None or gap.placed_by is not None:
            return None
        meaning = None if vector is None else np.asarray(vector, _FLOAT)
        if meaning is not None and gap.may_join and gap.state == GapState.OPEN.value:
            nearest = await self._nearest(gap, model_id, meaning, joins_from)
            if nearest is not None:
                await self._absorb(gap, nearest)
                return nearest
        await self._session.execute(
            update(GapRow)
            .where(GapRow.id == gap_id)
            .values(placed_by=model_id, meaning=None if meaning is None else meaning.tobytes())
        )
        return None

    async def forget_meanings_but(self, model_id: str) -> None:
        others = GapRow.placed_by.is_not(None), GapRow.placed_by != model_id
        await self._session.execute(update(GapRow).where(*others).values(placed_by=None, meaning=None))

    async def _nearest(self, gap: GapRow, model_id: str, meaning: np.ndarray, at_least: float) -> UUID | None:
        statement = (
            select(GapRow.id, GapRow.meaning)
            .where(
                GapRow.agent_id == gap.agent_id,
                GapRow.state == GapState.OPEN.value,
                GapRow.placed_by == model_id,
                GapRow.meaning.is_not(None),
                GapRow.id != gap.id,
            )
            .order_by(GapRow.last_seen.desc(), GapRow.id)
            .limit(_COMPARED)
        )
        others = [(found, stored) for found, stored in await self._session.execute(statement) if stored is not None]
        if not others:
            return None
        cosines = np.stack([np.frombuffer(stored, _FLOAT) for _, stored in others]) @ meaning
        best = int(cosines.argmax())
        return others[best][0] if cosines[best] >= at_least else None

    async def _absorb(self, gap: GapRow, into: UUID) -> None:
        """The other keeps its question and what operators said of it; askings and their count come together."""
        moved = update(GapQuestionRow).where(GapQuestionRow.gap_id == gap.id).values(gap_id=into)
        await self._session.execute(moved)
        is_later = GapRow.last_seen < gap.last_seen
        is_earlier = GapRow.first_seen > gap.first_seen
        await self._session.execute(
            update(GapRow)
            .where(GapRow.id == into)
            .values(
                count=GapRow.count + gap.count,
                first_seen=case((is_earlier, gap.first_seen), else_=GapRow.first_seen),
                last_seen=case((is_later, gap.last_seen), else_=GapRow.last_seen),
                reason=case((is_later, gap.reason), else_=GapRow.reason),
            )
        )
        await self._session.execute(delete(GapRow).where(GapRow.id == gap.id))
