"""Merges, splits, assigns and annotates gaps, and reads their details."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, and_, case, func, select, update

from app.conversations.records.gap_counting import GapCounting
from app.core.errors import InvalidInput
from app.core.turn import GapState
from app.gaps.gap import TREND_DAYS, GapFacts, GapSample, GrowingGap
from app.store.tables.agents import AGENTS
from app.store.tables.conversations import CONVERSATIONS, TURNS
from app.store.tables.gaps import GAP_QUESTIONS, GAPS
from app.store.transaction import Repository

WEEK = timedelta(days=7)
_READ_FOR_LANGUAGES = 200  # askings; earlier ones add nothing


class GapTriageRecords(Repository):
    def merge(self, agent_id: UUID, into: UUID, gap_ids: Sequence[UUID]) -> None:
        """Move the askings and counts of these gaps to `into`, and delete them. Skips gaps of other agents."""
        gaps = select(GAPS).where(GAPS.c.agent_id == agent_id, GAPS.c.id.in_(gap_ids)).with_for_update()
        for gap in self._connection.execute(gaps).all():
            self._absorb(gap, into)
        self._update(GAPS, GAPS.c.id == into, may_join=False)

    def split(self, gap_id: UUID, turn_id: UUID) -> UUID:
        """Make the wording of this turn a new gap with the same state; return its id. Neither gap is merged
        automatically from now on. Raises InvalidInput, naming `turn_id`, if there is nothing to split."""
        asking = self._connection.execute(
            select(GAP_QUESTIONS).where(GAP_QUESTIONS.c.gap_id == gap_id, GAP_QUESTIONS.c.turn_id == turn_id)
        ).first()
        if asking is None:
            raise InvalidInput("turn_id", "This turn does not belong to the gap. Choose one of the gap's questions.")
        others = select(GAP_QUESTIONS.c.id).where(
            GAP_QUESTIONS.c.gap_id == gap_id, GAP_QUESTIONS.c.question_key != asking.question_key
        )
        if self._connection.scalar(others.limit(1)) is None:
            raise InvalidInput("turn_id", "The gap has only one question, so there is nothing to split off.")
        left = select(GAPS).where(GAPS.c.id == gap_id).with_for_update()
        gap = self._connection.execute(left).one()
        self._update(GAPS, GAPS.c.id == gap_id, may_join=False)
        first = {"reason": asking.reason, "first_seen": asking.asked_at, "last_seen": asking.asked_at}
        own = GapCounting(self._tx).add_like(gap, **first, may_join=False)
        of_wording = (GAP_QUESTIONS.c.gap_id == gap_id, GAP_QUESTIONS.c.question_key == asking.question_key)
        self._update(GAP_QUESTIONS, *of_wording, gap_id=own)
        for changed in (gap_id, own):  # the old gap first, because the new one may take over its key
            GapCounting(self._tx).count_again([changed])
        return own

    def edit(self, gap_id: UUID, *, assignee: str | None, note: str | None) -> None:
        """None leaves a value unchanged."""
        given = {"assignee": assignee, "note": note}
        values = {name: value for name, value in given.items() if value is not None}
        if values:
            self._update(GAPS, GAPS.c.id == gap_id, **values)

    def growing(self, workspace_id: UUID, limit: int) -> list[GrowingGap]:
        """Growing gaps of all agents of the workspace, greatest growth first."""
        this_week, week_before = _askings(self._now())
        asked_lately = GAP_QUESTIONS.c.asked_at > self._now() - 2 * WEEK
        statement = (
            select(GAPS.c.id, GAPS.c.agent_id, GAPS.c.question, this_week, week_before)
            .select_from(AGENTS)
            .join(GAPS, GAPS.c.agent_id == AGENTS.c.id)
            .join(GAP_QUESTIONS, and_(GAP_QUESTIONS.c.gap_id == GAPS.c.id, asked_lately))
            .where(
                AGENTS.c.workspace_id == workspace_id,
                GAPS.c.state == GapState.OPEN.value,
                GAPS.c.last_seen > self._now() - WEEK,
            )
            .group_by(GAPS.c.id, GAPS.c.agent_id, GAPS.c.question, GAPS.c.last_seen)
            .having(this_week > week_before)
            .order_by((this_week - week_before).desc(), this_week.desc(), GAPS.c.last_seen.desc(), GAPS.c.id.desc())
            .limit(limit)
        )
        return [GrowingGap(*found) for found in self._connection.execute(statement)]

    def facts(self, gap_id: UUID, samples: int) -> GapFacts:
        """The gap's details, with at most `samples` askings."""
        of_gap = GAP_QUESTIONS.c.gap_id == gap_id
        now = self._now()
        asked_at, latest_first = GAP_QUESTIONS.c.asked_at, GAP_QUESTIONS.c.asked_at.desc()
        visitors = self._connection.scalar(select(GAPS.c.visitors).where(GAPS.c.id == gap_id)) or 0
        days = [now - timedelta(days=back) for back in range(TREND_DAYS, -1, -1)]
        daily = (func.count().filter(asked_at > a, asked_at <= b) for a, b in pairwise(days))
        lately = select(*_askings(now), *daily).where(of_gap, asked_at > days[0])
        this_week, week_before, *by_day = self._connection.execute(lately.select_from(GAP_QUESTIONS)).one()
        latest_askings = (
            select(GAP_QUESTIONS.c.turn_id).where(of_gap).order_by(latest_first).limit(_READ_FOR_LANGUAGES).subquery()
        )
        spoken = (
            select(TURNS.c.language)
            .join(latest_askings, latest_askings.c.turn_id == TURNS.c.id)
            .where(TURNS.c.language.is_not(None))
            .group_by(TURNS.c.language)
            .order_by(func.count().desc(), TURNS.c.language)
        )
        latest = (
            select(
                GAP_QUESTIONS, TURNS.c.language, CONVERSATIONS.c.id.label("conversation_id"), CONVERSATIONS.c.channel
            )
            .join(TURNS, TURNS.c.id == GAP_QUESTIONS.c.turn_id)
            .join(CONVERSATIONS, CONVERSATIONS.c.id == TURNS.c.conversation_id)
            .where(of_gap)
            .order_by(latest_first, GAP_QUESTIONS.c.id.desc())
            .limit(samples)
        )
        return GapFacts(
            visitors=visitors,
            this_week=this_week,
            week_before=week_before,
            languages=tuple([language for language in self._connection.scalars(spoken) if language]),
            samples=tuple(self._values(GapSample, latest)),
            by_day=tuple(by_day),
        )

    def _absorb(self, gap: Row[Any], into: UUID) -> None:
        """Merge `gap` into `into`, which keeps its question and operators' changes; askings and counts are combined."""
        moved = update(GAP_QUESTIONS).where(GAP_QUESTIONS.c.gap_id == gap.id).values(gap_id=into)
        self._connection.execute(moved)
        is_later = GAPS.c.last_seen < gap.last_seen
        is_earlier = GAPS.c.first_seen > gap.first_seen
        self._update(
            GAPS,
            GAPS.c.id == into,
            count=GAPS.c.count + gap._mapping["count"],
            first_seen=case((is_earlier, gap.first_seen), else_=GAPS.c.first_seen),
            last_seen=case((is_later, gap.last_seen), else_=GAPS.c.last_seen),
            reason=case((is_later, gap.reason), else_=GAPS.c.reason),
        )
        GapCounting(self._tx).count_visitors([into])
        self._delete(GAPS, GAPS.c.id == gap.id)


def _askings(now: datetime) -> tuple[ColumnElement[int], ColumnElement[int]]:
    """The numbers of askings in the last 7 days, and in the 7 before."""
    asked_at = GAP_QUESTIONS.c.asked_at
    return (
        func.count().filter(asked_at > now - WEEK),
        func.count().filter(asked_at > now - 2 * WEEK, asked_at <= now - WEEK),
    )
