"""What a replay of gaps asks, and which gaps are due for one."""

from typing import Any
from uuid import UUID

from sqlalchemy import Row, or_, select, update

from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.gap_state import GapReason, GapState
from app.core.personal_data import masked
from app.gaps.gap import Gap
from app.gaps.gap_replay import DueGap, GapAsking
from app.sources.source import RunState
from app.store.tables.agents import AGENTS
from app.store.tables.gaps import GAP_QUESTIONS, GAPS
from app.store.tables.sources import CRAWL_RUNS
from app.store.tables.turns import TURNS
from app.store.transaction import Repository, value_of

_AT_WORK = (RunState.QUEUED.value, RunState.RUNNING.value)
_READ_FOR_WORDINGS = 200  # askings; those before the latest of them ask nothing new


class GapReplayRecords(Repository):
    def askings(self, gap_id: UUID, at_most: int) -> list[GapAsking]:
        """Its wordings, each as it was last asked, latest first."""
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
        told: list[GapAsking] = []
        for asking in chosen:
            turn = turns[asking.turn_id]
            told.append(
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
        return told

    def due_for_replay(self, at_most: int) -> list[DueGap]:
        """Of all published agents that no run is reading for, most asked first, then latest."""
        is_being_read = (
            select(CRAWL_RUNS.c.id)
            .where(CRAWL_RUNS.c.agent_id == AGENTS.c.id, CRAWL_RUNS.c.state.in_(_AT_WORK))
            .exists()
        )
        statement = (
            select(GAPS, AGENTS.c.workspace_id, AGENTS.c.generation)
            .join(AGENTS, AGENTS.c.id == GAPS.c.agent_id)
            .where(
                GAPS.c.state == GapState.OPEN.value,
                or_(GAPS.c.replayed_at.is_(None), GAPS.c.replayed_at != AGENTS.c.generation),
                AGENTS.c.live_version.is_not(None),
                ~is_being_read,
            )
            .order_by(GAPS.c.count.desc(), GAPS.c.last_seen.desc(), GAPS.c.id)
            .limit(at_most)
        )
        return [
            DueGap(value_of(Gap, row), row.workspace_id, row.generation) for row in self._connection.execute(statement)
        ]

    def replayed(self, gap_id: UUID, generation: int, *, passes: bool) -> bool:
        """An open gap was asked at that generation; where it passes, it is proposed for closing. False for one that
        is no longer open."""
        is_as_it_was = GAPS.c.id == gap_id, GAPS.c.state == GapState.OPEN.value
        values: dict[str, object] = {"replayed_at": generation}
        if passes:
            values["state"] = GapState.PROPOSED.value
        changed = self._connection.execute(update(GAPS).where(*is_as_it_was).values(values).returning(GAPS.c.id))
        return changed.one_or_none() is not None
