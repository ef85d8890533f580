"""Operators put gaps in order: merged, split, assigned, noted; and what is known of one."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from uuid import UUID

from sqlalchemy import case, delete, func, select, update

from app.domain.errors import InvalidInput
from app.domain.gap import GapReason
from app.domain.gap_facts import TREND_DAYS, GapFacts, GapSample
from app.store.models import GapQuestionRow, GapRow, TurnRow
from app.store.time_ordered_id import new_id
from app.store.transaction import Repository
from app.store.turn_erasing import TurnErasing

WEEK = timedelta(days=7)


class GapGroomingRecords(Repository):
    async def merge(self, agent_id: UUID, into: UUID, gap_ids: Sequence[UUID]) -> None:
        """Their askings and counts come to `into`, and they are gone. Those of other agents stay."""
        gaps = select(GapRow).where(GapRow.agent_id == agent_id, GapRow.id.in_(gap_ids)).with_for_update()
        for gap in (await self._session.scalars(gaps)).all():
            await self._absorb(gap, into)
        await self._session.execute(update(GapRow).where(GapRow.id == into).values(may_join=False))

    async def split(self, gap_id: UUID, turn_id: UUID) -> UUID:
        """The wording of that turn becomes a gap of its own, in the same state, whose id is returned; neither joins
        another by itself from now on. Raises InvalidInput, naming `turn_id`, where there is nothing to split."""
        asking = await self._session.scalar(
            select(GapQuestionRow).where(GapQuestionRow.gap_id == gap_id, GapQuestionRow.turn_id == turn_id)
        )
        if asking is None:
            raise InvalidInput("turn_id", "The gap was not asked in this turn. Take one of its samples.")
        others = select(GapQuestionRow.id).where(
            GapQuestionRow.gap_id == gap_id, GapQuestionRow.question_key != asking.question_key
        )
        if await self._session.scalar(others.limit(1)) is None:
            raise InvalidInput("turn_id", "The gap has no other wording. There is nothing to split.")
        own = new_id()
        left = select(GapRow).where(GapRow.id == gap_id).with_for_update()
        gap = (await self._session.scalars(left)).one()
        await self._session.execute(update(GapRow).where(GapRow.id == gap_id).values(may_join=False))
        await self._session.execute(
            self._insert(GapRow).values(
                id=own,
                agent_id=gap.agent_id,
                question_key=own.hex,
                question="",
                state=gap.state,
                reason=asking.reason,
                count=0,
                note="",
                first_seen=asking.asked_at,
                last_seen=asking.asked_at,
                replayed_at=gap.replayed_at,
                may_join=False,
            )
        )
        await self._session.execute(
            update(GapQuestionRow)
            .where(GapQuestionRow.gap_id == gap_id, GapQuestionRow.question_key == asking.question_key)
            .values(gap_id=own)
        )
        for changed in (gap_id, own):  # the old one first: it may hold the key that is now the new one's
            await TurnErasing(self._tx).count_again([changed])
        return own

    async def tell(self, gap_id: UUID, *, assignee: str | None, note: str | None) -> None:
        """What is None stays."""
        told = {"assignee": assignee, "note": note}
        values = {name: value for name, value in told.items() if value is not None}
        if values:
            await self._session.execute(update(GapRow).where(GapRow.id == gap_id).values(values))

    async def facts(self, gap_id: UUID, samples: int) -> GapFacts:
        """With that many samples at most."""
        of_gap = GapQuestionRow.gap_id == gap_id
        now = self._now()
        asked = GapQuestionRow.asked_at
        counted = (
            select(
                func.count(func.distinct(TurnRow.visitor_id)),
                func.count().filter(asked > now - WEEK),
                func.count().filter(asked > now - 2 * WEEK, asked <= now - WEEK),
            )
            .select_from(GapQuestionRow)
            .join(TurnRow, TurnRow.id == GapQuestionRow.turn_id)
            .where(of_gap)
        )
        visitors, this_week, week_before = (await self._session.execute(counted)).one()
        days = [now - timedelta(days=back) for back in range(TREND_DAYS, -1, -1)]
        daily = select(*(func.count().filter(asked > a, asked <= b) for a, b in pairwise(days))).where(of_gap)
        by_day = (await self._session.execute(daily.select_from(GapQuestionRow))).one()
        spoken = (
            select(TurnRow.language)
            .join(GapQuestionRow, GapQuestionRow.turn_id == TurnRow.id)
            .where(of_gap, TurnRow.language.is_not(None))
            .group_by(TurnRow.language)
            .order_by(func.count().desc(), TurnRow.language)
        )
        latest = (
            select(GapQuestionRow, TurnRow.conversation_id, TurnRow.language)
            .join(TurnRow, TurnRow.id == GapQuestionRow.turn_id)
            .where(of_gap)
            .order_by(asked.desc(), GapQuestionRow.id.desc())
            .limit(samples)
        )
        return GapFacts(
            visitors=visitors,
            this_week=this_week,
            week_before=week_before,
            languages=tuple([language for language in await self._session.scalars(spoken) if language]),
            samples=tuple(
                [
                    GapSample(row.turn_id, conversation_id, row.question, language, GapReason(row.reason), row.asked_at)
                    for row, conversation_id, language in await self._session.execute(latest)
                ]
            ),
            by_day=tuple(by_day),
        )

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
