"""Reads and updates gaps for operators, and for replays."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, func, or_, select, update

from app.conversations.records.conversation_search import holds
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.list_page import ListPage, PageRequest
from app.core.personal_data import masked
from app.core.turn import GapReason, GapState
from app.gaps.gap import EVERY_GAP, DueGap, Gap, GapAsking, GapFilter, GapOrder
from app.gaps.gap_digest import LISTED, GapTally, Week
from app.gaps.records.triage import WEEK
from app.sources.runs.records.crawl_runs import IS_BEING_READ
from app.store.tables.agents import AGENTS, own_row
from app.store.tables.conversations import TURNS
from app.store.tables.gaps import GAP_QUESTIONS, GAPS
from app.store.transaction import Keyset, Repository, value_of

_MOST_ASKED_FIRST = Keyset(GAPS.c.count, GAPS.c.last_seen, GAPS.c.id, descending=True)
_LATEST_FIRST = Keyset(GAPS.c.last_seen, GAPS.c.id, descending=True)


class GapRecords(Repository):
    """Existing gaps; `GapCounting` creates them."""

    def page(
        self,
        agent_id: UUID,
        state: GapState | None,
        page: PageRequest,
        only: GapFilter = EVERY_GAP,
        order: GapOrder = GapOrder.ASKED,
    ) -> ListPage[Gap]:
        statement = self._fitting(select(GAPS), agent_id, only)
        if state is not None:
            statement = statement.where(GAPS.c.state == state.value)
        if order is GapOrder.IMPACT:
            return self._by_impact(statement, page)
        keyset = _LATEST_FIRST if order is GapOrder.LATEST else _MOST_ASKED_FIRST
        return self._page(keyset, Gap, statement, page)

    def counts(self, agent_id: UUID, only: GapFilter = EVERY_GAP) -> dict[GapState, int]:
        counted = select(GAPS.c.state, func.count().label("gaps")).group_by(GAPS.c.state)
        statement = self._fitting(counted, agent_id, only)
        return {GapState(row.state): row.gaps for row in self._connection.execute(statement)}

    def questions(self, gap_ids: Collection[UUID]) -> dict[UUID, str]:
        """The questions of those gaps that still exist."""
        if not gap_ids:
            return {}
        rows = self._connection.execute(select(GAPS.c.id, GAPS.c.question).where(GAPS.c.id.in_(gap_ids)))
        return {row.id: row.question for row in rows}

    def of_turns(self, workspace_id: UUID, turn_ids: Collection[UUID]) -> dict[UUID, Gap]:
        """The gap to which the question of each turn belongs, by turn id; turns without a gap are missing."""
        statement = (
            select(GAPS, GAP_QUESTIONS.c.turn_id)
            .join(GAP_QUESTIONS, GAP_QUESTIONS.c.gap_id == GAPS.c.id)
            .where(GAP_QUESTIONS.c.turn_id.in_(turn_ids), _of_workspace(workspace_id))
        )
        return {row.turn_id: value_of(Gap, row) for row in self._connection.execute(statement)}

    def _by_impact(self, statement: Select[Any], page: PageRequest) -> ListPage[Gap]:
        """Impact decreases with time, so it is computed for each page, from the askings of the last week."""
        lately = (
            select(func.count())
            .select_from(GAP_QUESTIONS)
            .where(GAP_QUESTIONS.c.gap_id == GAPS.c.id, GAP_QUESTIONS.c.asked_at > self._now() - WEEK)
            .correlate(GAPS)
            .scalar_subquery()
        )
        impact = (GAPS.c.visitors * (1 + lately)).label("impact")
        keyset = Keyset(impact, GAPS.c.count, GAPS.c.last_seen, GAPS.c.id, descending=True)
        return self._page(keyset, Gap, statement.add_columns(impact), page)

    def gap(self, workspace_id: UUID, gap_id: UUID) -> Gap:
        """Raises NotFound, also for another workspace's."""
        return self._found(Gap, own_row(GAPS, workspace_id, gap_id), "gap")

    def assigned(self, workspace_id: UUID, assignee: str, limit: int) -> list[Gap]:
        """The workspace's open gaps that are assigned to this operator, latest asked first."""
        statement = (
            select(GAPS)
            .where(_of_workspace(workspace_id), GAPS.c.state == GapState.OPEN.value, GAPS.c.assignee == assignee)
            .order_by(GAPS.c.last_seen.desc(), GAPS.c.id.desc())
            .limit(limit)
        )
        return self._values(Gap, statement)

    def turned(self, workspace_id: UUID, state: GapState, since: datetime, limit: int) -> list[tuple[Gap, datetime]]:
        """The workspace's gaps that have been in `state` since a change after `since`: answered with proof, or
        reopened. Latest first, with the time of the change."""
        at = GAPS.c.answered_at if state is GapState.ANSWERED else GAPS.c.reopened_at
        statement = (
            select(GAPS, at.label("turned_at"))
            .where(_of_workspace(workspace_id), GAPS.c.state == state.value, at >= since)
            .order_by(at.desc(), GAPS.c.id.desc())
            .limit(limit)
        )
        return [(value_of(Gap, row), row.turned_at) for row in self._connection.execute(statement)]

    def set_state(self, workspace_id: UUID, gap_id: UUID, state: GapState, note: str) -> Gap:
        """Raises NotFound."""
        was = self.gap(workspace_id, gap_id).state
        values: dict[str, object] = {"state": state.value, "note": note}
        if state is GapState.ANSWERED:
            values["answered_at"] = self._now()
        if state is GapState.OPEN and was not in (GapState.OPEN, GapState.PROPOSED):
            values["reopened_at"] = self._now()
        self._update(GAPS, GAPS.c.id == gap_id, **values)
        return self.gap(workspace_id, gap_id)

    def take_back(self, workspace_id: UUID, gap_id: UUID, state: GapState, note: str) -> Gap:
        """Restore the state before the gap was ignored; this does not count as reopening. Raises NotFound."""
        self._update(GAPS, GAPS.c.id == gap_id, state=state.value, note=note)
        return self.gap(workspace_id, gap_id)

    def of_week(self, agent_id: UUID, week: Week) -> tuple[GapTally, GapTally, GapTally]:
        """The tallies of gaps that were new, closed with proof, and reopened in the week."""
        return (
            self._tally(agent_id, week, GAPS.c.first_seen),
            self._tally(agent_id, week, GAPS.c.answered_at),
            self._tally(agent_id, week, GAPS.c.reopened_at),
        )

    def _tally(self, agent_id: UUID, week: Week, moment: ColumnElement[Any]) -> GapTally:
        happened = GAPS.c.agent_id == agent_id, moment >= week.since, moment < week.until
        most_asked = select(GAPS.c.id).where(*happened).order_by(GAPS.c.count.desc(), GAPS.c.id).limit(LISTED)
        return GapTally(
            self._connection.scalar(select(func.count()).select_from(GAPS).where(*happened)) or 0,
            tuple(self._connection.scalars(most_asked)),
        )

    def _fitting(self, statement: Select[Any], agent_id: UUID, only: GapFilter) -> Select[Any]:
        statement = statement.where(GAPS.c.agent_id == agent_id)
        if only.reason is not None:
            statement = statement.where(GAPS.c.reason == only.reason.value)
        if only.since is not None:
            statement = statement.where(GAPS.c.last_seen >= only.since)
        if only.text is not None:
            statement = statement.where(holds(GAPS.c.question, only.text, self._dialect == "sqlite"))
        if only.language is not None:
            spoken = (
                select(GAP_QUESTIONS.c.id)
                .join(TURNS, TURNS.c.id == GAP_QUESTIONS.c.turn_id)
                .where(GAP_QUESTIONS.c.gap_id == GAPS.c.id, TURNS.c.language == only.language)
            )
            statement = statement.where(spoken.exists())
        return statement


def _of_workspace(workspace_id: UUID) -> ColumnElement[bool]:
    return GAPS.c.agent_id.in_(select(AGENTS.c.id).where(AGENTS.c.workspace_id == workspace_id))


_READ_FOR_WORDINGS = 200  # askings; earlier ones add nothing


class GapReplayRecords(Repository):
    def askings(self, gap_id: UUID, at_most: int) -> list[GapAsking]:
        """The latest asking of each wording of the gap, latest first."""
        latest = (
            select(GAP_QUESTIONS, TURNS.c.language)
            .join(TURNS, TURNS.c.id == GAP_QUESTIONS.c.turn_id)
            .where(GAP_QUESTIONS.c.gap_id == gap_id)
            .order_by(GAP_QUESTIONS.c.asked_at.desc(), GAP_QUESTIONS.c.id.desc())
            .limit(_READ_FOR_WORDINGS)
        )
        wordings: dict[str, Row[*tuple[Any, ...]]] = {}
        for asking in self._connection.execute(latest):
            wordings.setdefault(asking.question_key, asking)
        chosen = list(wordings.values())[:at_most]
        asked_in = TURNS.c.id.in_([asking.turn_id for asking in chosen])
        turns = {turn.id: turn for turn in StoredTurnRecords(self._tx).where(asked_in)}
        askings: list[GapAsking] = []
        for asking in chosen:
            turn = turns[asking.turn_id]
            askings.append(
                GapAsking(
                    turn_id=turn.id,
                    question=asking.question,
                    standalone=masked(str(turn.trace.get("standalone") or asking.question)),
                    page_url=turn.page_url,
                    language=asking.language,
                    reason=GapReason(asking.reason),
                    answer=turn.answer,
                    answered_by=turn.answered_by,
                    confidence=turn.confidence,
                    cited=tuple(dict.fromkeys(citation.url for citation in turn.citations)),
                )
            )
        return askings

    def due_for_replay(self, at_most: int) -> list[DueGap]:
        """Open gaps to replay, of published agents whose sources are not being read; most frequent first, then
        latest."""
        statement = (
            select(GAPS, AGENTS.c.workspace_id, AGENTS.c.generation)
            .join(AGENTS, AGENTS.c.id == GAPS.c.agent_id)
            .where(
                GAPS.c.state == GapState.OPEN.value,
                or_(GAPS.c.replayed_at.is_(None), GAPS.c.replayed_at != AGENTS.c.generation),
                AGENTS.c.live_version.is_not(None),
                ~IS_BEING_READ,
            )
            .order_by(GAPS.c.count.desc(), GAPS.c.last_seen.desc(), GAPS.c.id)
            .limit(at_most)
        )
        return [
            DueGap(value_of(Gap, row), row.workspace_id, row.generation) for row in self._connection.execute(statement)
        ]

    def replayed(self, gap_id: UUID, generation: int, *, passes: bool) -> bool:
        """Store that the gap was replayed at `generation`; propose it for closing if it `passes`. False if the gap is
        no longer open."""
        is_as_it_was = GAPS.c.id == gap_id, GAPS.c.state == GapState.OPEN.value
        values: dict[str, object] = {"replayed_at": generation}
        if passes:
            values["state"] = GapState.PROPOSED.value
        changed = self._connection.execute(update(GAPS).where(*is_as_it_was).values(values).returning(GAPS.c.id))
        return changed.one_or_none() is not None
